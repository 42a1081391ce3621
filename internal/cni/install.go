package cni

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// ReadyTimeout leaves room for slow machines; a lab needs seconds.
const ReadyTimeout = 3 * time.Minute

// Missing names what the variant needs and the cluster does not have, or
// nothing.
func Missing(c *cluster.Cluster, e Entry) string {
	if e.Services == "kube-proxy" && c.KubeProxy() == "none" {
		return e.Name + " does not replace kube-proxy, and the cluster has none"
	}
	return ""
}

// Services tells whether connections to a Service's address can be expected to
// arrive.
func Services(c *cluster.Cluster, e Entry) bool {
	return c.KubeProxy() != "none" || e.Services == "plugin"
}

// Install applies a variant's manifests and returns when all nodes can run
// pods. A variant that installs nothing leaves nodes as they are.
func Install(ctx context.Context, c *cluster.Cluster, e Entry, m Manifests, report func(step string)) error {
	if e.None() {
		return nil
	}
	report("installing " + e.Name)
	objects, err := cluster.Decode(m.YAML)
	if err != nil {
		return fmt.Errorf("installing %s: %w", e.Name, err)
	}
	if err := c.Apply(ctx, objects); err != nil {
		return fmt.Errorf("installing %s: %w", e.Name, err)
	}
	report("waiting for " + e.Name)
	if err := awaitFiles(ctx, c, e.Ready.Files); err != nil {
		return fmt.Errorf("installing %s: %w", e.Name, err)
	}
	if err := c.AwaitNodesReady(ctx, ReadyTimeout); err != nil {
		return fmt.Errorf("installing %s: %w", e.Name, err)
	}
	return nil
}

// AwaitAgents returns when all of the variant's agents say that they are ready,
// which they do some time after they work.
func AwaitAgents(ctx context.Context, c *cluster.Cluster, e Entry) error {
	for _, name := range e.Ready.DaemonSets {
		if err := awaitDaemonSet(ctx, c, e.Install.Namespace, name); err != nil {
			return fmt.Errorf("installing %s: %w", e.Name, err)
		}
	}
	return nil
}

func awaitDaemonSet(ctx context.Context, c *cluster.Cluster, namespace, name string) error {
	return cluster.Until(ctx, ReadyTimeout, "daemon set "+name, func(ctx context.Context) error {
		ds, err := c.Kube().AppsV1().DaemonSets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		s := ds.Status
		if s.ObservedGeneration < ds.Generation || s.DesiredNumberScheduled == 0 || s.NumberReady < s.DesiredNumberScheduled {
			return fmt.Errorf("%d of %d pods are ready", s.NumberReady, s.DesiredNumberScheduled)
		}
		return nil
	})
}

func awaitFiles(ctx context.Context, c *cluster.Cluster, files []string) error {
	for _, node := range c.NodeNames() {
		for _, file := range files {
			err := cluster.Until(ctx, ReadyTimeout, file+" on "+node, func(ctx context.Context) error {
				return c.RunOnNode(ctx, node, []string{"test", "-e", file}, nil, nil, nil)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Agents lists the running pods that are the plugin.
func Agents(ctx context.Context, c *cluster.Cluster, e Entry) ([]cluster.Pod, error) {
	var all []cluster.Pod
	for _, a := range e.Agents {
		namespace := a.Namespace
		if namespace == "" {
			namespace = e.Install.Namespace
		}
		pods, err := c.Pods(ctx, namespace, a.Selector)
		if err != nil {
			return nil, err
		}
		all = append(all, pods...)
	}
	return all, nil
}
