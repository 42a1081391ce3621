package cni

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// DataplaneOn lists the running pods of a node through which a plugin's traffic
// goes: those of the role dataplane.
func DataplaneOn(ctx context.Context, c *cluster.Cluster, e Entry, node string) ([]cluster.Pod, error) {
	pods, err := Agents(ctx, c, e.dataplane())
	if err != nil {
		return nil, err
	}
	pods = slices.DeleteFunc(pods, func(p cluster.Pod) bool { return p.Node != node })
	return pods, nil
}

// HasDataplane tells whether the catalog knows such pods. Of a plugin that was
// there already it need not.
func (e Entry) HasDataplane() bool { return len(e.dataplane().Agents) > 0 }

// Delete deletes pods with the time that each has to end by itself, as an
// upgrade of their DaemonSet does. Whoever made them makes new ones.
func Delete(ctx context.Context, c *cluster.Cluster, pods []cluster.Pod) error {
	for _, p := range pods {
		err := c.Kube().CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(p.UID)})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting pod %s: %w", p.Name, err)
		}
	}
	return nil
}

// Replaced returns nil when every one of the pods that were on a node has a
// successor there that says that it is ready.
func Replaced(ctx context.Context, c *cluster.Cluster, e Entry, node string, old []cluster.Pod) error {
	now, err := DataplaneOn(ctx, c, e, node)
	if err != nil {
		return err
	}
	ready := 0
	for _, p := range now {
		if slices.ContainsFunc(old, func(o cluster.Pod) bool { return o.UID == p.UID }) {
			return fmt.Errorf("pod %s still runs", p.Name)
		}
		full, err := c.Kube().CoreV1().Pods(p.Namespace).Get(ctx, p.Name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("looking up pod %s: %w", p.Name, err)
		}
		if podReady(*full) {
			ready++
		}
	}
	if ready < len(old) {
		return fmt.Errorf("%d of %d new pods are ready on %s", ready, len(old), node)
	}
	return nil
}
