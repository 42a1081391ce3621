package cni

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cnibench/cnibench/internal/cluster"
)

// wiredPod is a pod of somebody else that a network plugin has connected. It
// works with that plugin only.
type wiredPod struct {
	Namespace, Name, Node string
	UID                   types.UID
	Managed               bool // a controller makes a new one when it goes
}

func (p wiredPod) String() string { return p.Namespace + "/" + p.Name + " on " + p.Node }

// wiredPods lists those that have an address. Our own are removed by whoever
// made them.
func wiredPods(ctx context.Context, c *cluster.Cluster, inv Inventory) ([]wiredPod, error) {
	return podsOnNodes(ctx, c, inv, func(p corev1.Pod) bool { return p.Status.PodIP != "" })
}

// podsOnNodes lists foreign pods that a plugin has connected or may be about to.
func podsOnNodes(ctx context.Context, c *cluster.Cluster, inv Inventory, wanted func(corev1.Pod) bool) ([]wiredPod, error) {
	list, err := c.Kube().CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing pods: %w", err)
	}
	var wired []wiredPod
	for _, p := range list.Items {
		ended := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if p.Spec.HostNetwork || p.Spec.NodeName == "" || ended || !wanted(p) || p.Namespace == cluster.Namespace || inv.selects(p) {
			continue
		}
		wired = append(wired, wiredPod{p.Namespace, p.Name, p.Spec.NodeName, p.UID, metav1.GetControllerOf(&p) != nil})
	}
	return wired, nil
}

// selects tells whether a pod is one of the plugin's own.
func (inv Inventory) selects(p corev1.Pod) bool {
	return slices.ContainsFunc(inv.Pods, func(s PodSelector) bool {
		selector, err := labels.Parse(s.Selector)
		return err == nil && s.Namespace == p.Namespace && selector.Matches(labels.Set(p.Labels))
	})
}

// restart deletes pods so that their controllers make new ones, which the
// present plugin connects. Those that nobody would make again it only names.
func restart(ctx context.Context, c *cluster.Cluster, wired []wiredPod, report func(string)) error {
	for _, p := range wired {
		if !p.Managed {
			report("pod " + p.String() + " has no controller and keeps the network of the plugin before: delete it and make it anew")
			continue
		}
		report("restarting pod " + p.String())
		if err := deletePod(ctx, c, p); err != nil {
			return err
		}
	}
	return nil
}

func deletePod(ctx context.Context, c *cluster.Cluster, p wiredPod) error {
	err := c.Kube().CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &p.UID}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("restarting pod %s: %w", p, err)
	}
	return nil
}

// releaseTimeout bounds the wait for pods that must be disconnected while the
// plugin is still there to do it.
const releaseTimeout = time.Minute

// release ends pods that the plugin has connected, and keeps the new ones of
// their controllers off the nodes until the plugin is gone. It returns those
// that stay, because nobody would make them again.
func release(ctx context.Context, c *cluster.Cluster, inv *Inventory, report func(string)) (staying []wiredPod, err error) {
	wired, err := podsOnNodes(ctx, c, *inv, func(corev1.Pod) bool { return true })
	if err != nil {
		return nil, err
	}
	ending := map[types.UID]bool{}
	for _, p := range wired {
		if p.Managed {
			ending[p.UID] = true
		} else {
			staying = append(staying, p)
		}
	}
	// A plugin whose files are gone cannot disconnect pods: they would not end.
	if len(ending) == 0 || inv.Cleaning {
		return staying, nil
	}
	if err := cordon(ctx, c, inv); err != nil {
		return staying, err
	}
	report(fmt.Sprintf("disconnecting %d pods", len(ending)))
	for _, p := range wired {
		if p.Managed {
			if err := deletePod(ctx, c, p); err != nil {
				return staying, err
			}
		}
	}
	err = cluster.Until(ctx, releaseTimeout, "pods to end", func(ctx context.Context) error {
		now, err := podsOnNodes(ctx, c, *inv, func(corev1.Pod) bool { return true })
		if err != nil {
			return err
		}
		for _, p := range now {
			if ending[p.UID] {
				return errors.New("pod " + p.String() + " is still there")
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		report(err.Error() + ": going on without them")
		err = nil // they are restarted when the next plugin is installed
	}
	return staying, err
}

// cordon closes nodes for new pods, and writes down first which.
func cordon(ctx context.Context, c *cluster.Cluster, inv *Inventory) error {
	list, err := c.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	var open []string
	for _, n := range list.Items {
		if !n.Spec.Unschedulable {
			open = append(open, n.Name)
		}
	}
	inv.Cordoned = union(inv.Cordoned, open)
	if err := inv.update(ctx, c); err != nil {
		return err
	}
	return setUnschedulable(ctx, c, open, true)
}

func setUnschedulable(ctx context.Context, c *cluster.Cluster, nodes []string, closed bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, closed)
	for _, name := range nodes {
		_, err := c.Kube().CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("opening or closing node %s: %w", name, err)
		}
	}
	return nil
}
