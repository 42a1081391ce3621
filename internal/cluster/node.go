package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Node is a machine of the cluster.
type Node struct {
	Name, Address, Kernel, KubeletVersion, Runtime, PodCIDR string
	// SecondAddress is that of the other family; empty: the node has one.
	SecondAddress string
}

// Nodes lists the machines that can run pods, by name.
func (c *Cluster) Nodes(ctx context.Context) ([]Node, error) {
	list, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	nodes := make([]Node, 0, len(list.Items))
	for _, n := range list.Items {
		info := n.Status.NodeInfo
		node := Node{Name: n.Name, Kernel: info.KernelVersion, KubeletVersion: info.KubeletVersion, Runtime: info.ContainerRuntimeVersion, PodCIDR: n.Spec.PodCIDR}
		for _, a := range n.Status.Addresses {
			switch {
			case a.Type != corev1.NodeInternalIP:
			case node.Address == "":
				node.Address = a.Address
			case strings.Contains(a.Address, ":") != strings.Contains(node.Address, ":"):
				node.SecondAddress = a.Address
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// HavePodCIDRs returns an error that names a node without a pod CIDR.
func (c *Cluster) HavePodCIDRs(ctx context.Context) error {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.PodCIDR == "" {
			return fmt.Errorf("node %s has no pod CIDR", n.Name)
		}
	}
	return nil
}

// AwaitNodesReady returns when every node says that it can run pods.
func (c *Cluster) AwaitNodesReady(ctx context.Context, timeout time.Duration) error {
	return Until(ctx, timeout, "nodes to become ready", func(ctx context.Context) error {
		list, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, n := range list.Items {
			if message, ready := nodeReady(n); !ready {
				return fmt.Errorf("node %s is not ready: %s", n.Name, message)
			}
		}
		return nil
	})
}

func nodeReady(n corev1.Node) (message string, ready bool) {
	for _, cond := range n.Status.Conditions {
		if cond.Type == corev1.NodeReady {
			return cond.Message, cond.Status == corev1.ConditionTrue
		}
	}
	return "no status yet", false
}

// Answers checks that the API server and the kubelets respond.
func (c *Cluster) Answers(ctx context.Context) error {
	rest := c.kube.CoreV1().RESTClient()
	if _, err := rest.Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return fmt.Errorf("API server: %w", err)
	}
	// The kubelet's own health is behind a right that few users have.
	if m, ok := c.Machines.(interface{ KubeletsAnswer(context.Context) error }); ok {
		return m.KubeletsAnswer(ctx)
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := c.KubeletAnswers(ctx, n.Name); err != nil {
			return err
		}
	}
	return nil
}
