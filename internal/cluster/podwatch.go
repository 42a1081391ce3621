package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// PodChange is what the API said of a pod.
type PodChange struct {
	// At is when it arrived here, by our clock: the API's own times are whole
	// seconds.
	At  time.Time
	Pod Pod
	// Bound tells that the pod has a node, Running that it runs with all that
	// is in it and has an address, Ended that it never will again.
	Bound, Running, Ended bool
	// Why says what is known of a pod that does not run.
	Why string
}

// WatchPods hands every change of the pods of ours with a label to told, from
// before it calls ready until told returns true or an error, or ctx ends. A
// watch that the API ends is an error: what happened meanwhile has no time.
func (c *Cluster) WatchPods(ctx context.Context, selector string, ready func(), told func(PodChange) (done bool, err error)) error {
	pods := c.kube.CoreV1().Pods(Namespace)
	there, err := pods.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return fmt.Errorf("listing pods %s: %w", selector, err)
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{LabelSelector: selector, ResourceVersion: there.ResourceVersion})
	if err != nil {
		return fmt.Errorf("watching pods %s: %w", selector, err)
	}
	defer w.Stop()
	ready()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case event, open := <-w.ResultChan():
			if !open {
				return errors.Join(context.Cause(ctx), fmt.Errorf("watching pods %s: the API ended the watch", selector))
			}
			change, ok := changeOf(event, time.Now())
			if !ok {
				return fmt.Errorf("watching pods %s: the API sent %s: %v", selector, event.Type, event.Object)
			}
			if done, err := told(change); done || err != nil {
				return err
			}
		}
	}
}

// changeOf reads an event of a watch; ok is false for what is none about a pod.
func changeOf(event watch.Event, at time.Time) (change PodChange, ok bool) {
	p, ok := event.Object.(*corev1.Pod)
	if !ok {
		return PodChange{}, false
	}
	change = PodChange{At: at, Pod: podFrom(p), Bound: p.Spec.NodeName != ""}
	ended := p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded
	switch {
	case event.Type == watch.Deleted:
		change.Ended, change.Why = true, "it was deleted"
	case ended:
		change.Ended, change.Why = true, whyNotRunning(p)
	case p.Status.Phase == corev1.PodRunning && p.Status.PodIP != "" && othersReady(p) == nil:
		change.Running = true
	default:
		change.Why = whyNotRunning(p)
	}
	return change, true
}
