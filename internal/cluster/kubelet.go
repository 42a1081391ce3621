package cluster

import (
	"context"
	"errors"
	"fmt"
)

// ErrKubeletStays says that a cluster's kubelets cannot be restarted: programs
// are run on its nodes through the kubelets themselves.
var ErrKubeletStays = errors.New("only kubelets of labs are restarted: elsewhere nodes are reached through them")

// CanEndKubelet returns nil where [Cluster.EndKubelet] can work, or
// [ErrKubeletStays].
func (c *Cluster) CanEndKubelet() error {
	if _, ok := c.Machines.(kubeletEnder); !ok {
		return ErrKubeletStays
	}
	return nil
}

type kubeletEnder interface {
	EndKubelet(ctx context.Context, node string) error
}

// EndKubelet asks a node's kubelet to end, by SIGTERM, as a service manager
// that restarts it does. The node starts it again by itself;
// [Cluster.KubeletAnswers] tells when it is there.
func (c *Cluster) EndKubelet(ctx context.Context, node string) error {
	m, ok := c.Machines.(kubeletEnder)
	if !ok {
		return ErrKubeletStays
	}
	return m.EndKubelet(ctx, node)
}

// KubeletAnswers checks that the kubelet of a node says that it is healthy,
// through the API server.
func (c *Cluster) KubeletAnswers(ctx context.Context, node string) error {
	rest := c.kube.CoreV1().RESTClient()
	if _, err := rest.Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("healthz").DoRaw(ctx); err != nil {
		return fmt.Errorf("kubelet of %s: %w", node, err)
	}
	return nil
}

// EndKubelet ends the program that pid 1 of the node keeps running. The number
// is that of the node's own PID namespace.
func (m labMachines) EndKubelet(ctx context.Context, node string) error {
	services, err := m.Services(node)
	if err != nil {
		return err
	}
	s, ok := services["kubelet"]
	if !ok || s.PID <= 0 {
		return fmt.Errorf("no kubelet runs on %s", node)
	}
	return m.RunOnNode(ctx, node, []string{"sh", "-c", `kill "$1"`, "end", fmt.Sprint(s.PID)}, nil, nil, nil)
}
