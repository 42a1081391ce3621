package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ForeignError names workloads that would be measured along.
type ForeignError struct{ Pods []string } // "NAMESPACE/NAME on NODE"

// foreignShown is how many are named; the rest is counted.
const foreignShown = 5

func (e *ForeignError) Error() string {
	shown := e.Pods[:min(len(e.Pods), foreignShown)]
	text := "other workloads run on the nodes that carry load: " + strings.Join(shown, ", ")
	if more := len(e.Pods) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Hint says what can be done.
func (e *ForeignError) Hint() string {
	return "drain the nodes, choose others, or say allowForeign: true in the campaign, and their noise becomes yours"
}

// refuseForeign looks for workloads on the nodes that carry load.
func (c *Cluster) refuseForeign(ctx context.Context, nodes, pluginNamespaces []string) error {
	list, err := c.kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	if pods := foreign(list.Items, nodes, pluginNamespaces); len(pods) > 0 {
		return &ForeignError{pods}
	}
	return nil
}

// foreign lists pods on the nodes that belong neither to the cluster, nor to
// its plugin, nor to us. Those of DaemonSets are on all nodes alike, and
// static pods are the control plane.
func foreign(pods []corev1.Pod, nodes, pluginNamespaces []string) []string {
	ours := append([]string{metav1.NamespaceSystem, Namespace}, pluginNamespaces...)
	var found []string
	for _, p := range pods {
		done := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if done || !slices.Contains(nodes, p.Spec.NodeName) || slices.Contains(ours, p.Namespace) || everywhere(p) {
			continue
		}
		found = append(found, p.Namespace+"/"+p.Name+" on "+p.Spec.NodeName)
	}
	slices.Sort(found)
	return found
}

func everywhere(p corev1.Pod) bool {
	owner := metav1.GetControllerOf(&p)
	return owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node")
}
