package cni

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// itemsOf lists what a plugin may write into a Node object. What Kubernetes
// itself writes there changes on its own.
func itemsOf(n corev1.Node) []nodestate.Item {
	var items []nodestate.Item
	for key := range n.Annotations {
		if !ofKubernetes(key) {
			items = append(items, nodestate.Item{Kind: nodestate.Annotation, Name: key})
		}
	}
	for key := range n.Labels {
		if !ofKubernetes(key) {
			items = append(items, nodestate.Item{Kind: nodestate.Label, Name: key})
		}
	}
	for _, t := range n.Spec.Taints {
		if !ofKubernetes(t.Key) {
			items = append(items, nodestate.Item{Kind: nodestate.Taint, Name: t.Key, Detail: string(t.Effect)})
		}
	}
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeNetworkUnavailable {
			items = append(items, nodestate.Item{Kind: nodestate.APICondition, Name: string(condition.Type), Detail: condition.Reason})
		}
	}
	return items
}

func ofKubernetes(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")
}

// labelNodes sets the labels that a plugin's own pods look for.
func labelNodes(ctx context.Context, c *cluster.Cluster, wanted map[string]string) error {
	if len(wanted) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": wanted}})
	if err != nil {
		return err
	}
	for _, name := range c.NodeNames() {
		if _, err := c.Kube().CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("labelling node %s: %w", name, err)
		}
	}
	return nil
}

// cleanNodeObject takes the plugin's annotations, labels, taints and condition
// off a node, and says what it took.
func cleanNodeObject(ctx context.Context, c *cluster.Cluster, name string, before nodestate.State, l Leftovers) ([]string, error) {
	nodes := c.Kube().CoreV1().Nodes()
	n, err := nodes.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("looking at node %s: %w", name, err)
	}
	doomed := leftoversOf(*n, before, l)
	if len(doomed) == 0 {
		return nil, nil
	}
	var done []string
	annotations, keys := map[string]any{}, map[string]any{}
	var taints []corev1.Taint
	withCondition := false
	for _, i := range doomed {
		done = append(done, "removed "+i.String())
		switch i.Kind {
		case nodestate.Annotation:
			annotations[i.Name] = nil
		case nodestate.Label:
			keys[i.Name] = nil
		case nodestate.APICondition:
			withCondition = true
		}
	}
	for _, t := range n.Spec.Taints {
		if !slices.Contains(doomed, nodestate.Item{Kind: nodestate.Taint, Name: t.Key, Detail: string(t.Effect)}) {
			taints = append(taints, t)
		}
	}
	change := map[string]any{"metadata": map[string]any{"annotations": annotations, "labels": keys}}
	if len(taints) < len(n.Spec.Taints) {
		change["spec"] = map[string]any{"taints": taints}
	}
	patch, err := json.Marshal(change)
	if err != nil {
		return nil, err
	}
	if _, err := nodes.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return nil, fmt.Errorf("cleaning node %s: %w", name, err)
	}
	if withCondition {
		patch := []byte(`{"status":{"conditions":[{"$patch":"delete","type":"NetworkUnavailable"}]}}`)
		if _, err := nodes.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			return nil, fmt.Errorf("cleaning the status of node %s: %w", name, err)
		}
	}
	return done, nil
}

// leftoversOf lists what the plugin is known to leave in a Node object and what
// was not there before. Only network plugins write NetworkUnavailable.
func leftoversOf(n corev1.Node, before nodestate.State, l Leftovers) []nodestate.Item {
	var doomed []nodestate.Item
	for _, i := range itemsOf(n) {
		known := i.Kind == nodestate.APICondition ||
			i.Kind == nodestate.Annotation && matchesAny(l.Annotations, i.Name) ||
			i.Kind == nodestate.Label && matchesAny(l.NodeLabels, i.Name) ||
			i.Kind == nodestate.Taint && matchesAny(l.Taints, i.Name)
		if known && !before.Has(i.Kind, i.Name) {
			doomed = append(doomed, i)
		}
	}
	return doomed
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return nodestate.Matches(p, name) })
}
