package cni

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// rolledOut returns nil when all pods of a workload are of its newest template
// and ready, and no others are left.
func rolledOut(ctx context.Context, c *cluster.Cluster, o cluster.Object) error {
	apps, at := c.Kube().AppsV1(), cmp.Or(o.Namespace, metav1.NamespaceDefault)
	switch o.Kind {
	case "DaemonSet":
		d, err := apps.DaemonSets(at).Get(ctx, o.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return daemonSetLacks(*d)
	case "Deployment":
		d, err := apps.Deployments(at).Get(ctx, o.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return deploymentLacks(*d)
	case "StatefulSet":
		s, err := apps.StatefulSets(at).Get(ctx, o.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return statefulSetLacks(*s)
	}
	return fmt.Errorf("a %s has no pods of its own", o.Kind)
}

// daemonSetLacks is nil where every node that is to have a pod has a new one
// that is ready. None may be to have one.
func daemonSetLacks(d appsv1.DaemonSet) error {
	s := d.Status
	return lacks(s.ObservedGeneration >= d.Generation, int(s.UpdatedNumberScheduled), int(s.NumberReady), int(s.DesiredNumberScheduled), int(s.CurrentNumberScheduled))
}

func deploymentLacks(d appsv1.Deployment) error {
	s := d.Status
	return lacks(s.ObservedGeneration >= d.Generation, int(s.UpdatedReplicas), int(s.ReadyReplicas), wantedReplicas(d.Spec.Replicas), int(s.Replicas))
}

func statefulSetLacks(d appsv1.StatefulSet) error {
	s := d.Status
	return lacks(s.ObservedGeneration >= d.Generation, int(s.UpdatedReplicas), int(s.ReadyReplicas), wantedReplicas(d.Spec.Replicas), int(s.Replicas))
}

// wantedReplicas is one where nothing is said.
func wantedReplicas(replicas *int32) int {
	if replicas == nil {
		return 1
	}
	return int(*replicas)
}

// lacks judges a workload's own status: how many of its pods are new, how many
// ready, how many there shall be and how many there are.
func lacks(observed bool, updated, ready, wanted, there int) error {
	switch {
	case !observed:
		return errors.New("its controller has not seen the change yet")
	case updated < wanted:
		return fmt.Errorf("%d of %d pods are new", updated, wanted)
	case ready < wanted:
		return fmt.Errorf("%d of %d pods are ready", ready, wanted)
	case there > wanted:
		return fmt.Errorf("%d pods too many are left", there-wanted)
	}
	return nil
}
