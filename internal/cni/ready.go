package cni

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// ReadyTimeout leaves room for slow machines, registries and plugins that
// install themselves in steps; a lab needs seconds.
const ReadyTimeout = 5 * time.Minute

// A wait that takes long says now and then what it waits for.
const (
	quietFor    = 5 * time.Second
	remindAfter = 15 * time.Second
)

// condition is something that must hold; its error says what is missing.
type condition struct {
	what  string
	holds func(context.Context) error
}

// awaitNodes returns when all nodes can run pods. If that does not happen, the
// error says what the plugin's pods say.
func awaitNodes(ctx context.Context, c *cluster.Cluster, e Entry, inv Inventory, o InstallOptions) error {
	var all []condition
	for _, node := range inv.NodeNames {
		for _, file := range e.Ready.Files {
			all = append(all, condition{file + " on " + node, func(ctx context.Context) error {
				err := c.RunOnNode(ctx, node, []string{"test", "-e", file}, nil, nil, nil)
				var exit *cluster.ExitError
				if errors.As(err, &exit) {
					return errors.New("it is not there")
				}
				return err
			}})
		}
	}
	all = append(all, condition{"the nodes", func(ctx context.Context) error { return nodesReady(ctx, c, e.Ready) }})
	timeout := o.Timeout
	if timeout == 0 {
		timeout = ReadyTimeout
	}
	err := await(ctx, all, timeout, e.Name, o.Report)
	if err != nil && ctx.Err() == nil {
		return unready(ctx, c, inv, o.Evidence, err)
	}
	return err
}

// AwaitAgents returns when all that the variant starts says that it is ready,
// which some of it does some time after it works.
func AwaitAgents(ctx context.Context, c *cluster.Cluster, e Entry) error {
	var all []condition
	for _, name := range e.Ready.DaemonSets {
		namespace, bare := inNamespace(name, e.Install.Namespace)
		all = append(all, condition{"daemon set " + bare, func(ctx context.Context) error { return daemonSetReady(ctx, c, namespace, bare) }})
	}
	for _, name := range e.Ready.Deployments {
		namespace, bare := inNamespace(name, e.Install.Namespace)
		all = append(all, condition{"deployment " + bare, func(ctx context.Context) error { return deploymentReady(ctx, c, namespace, bare) }})
	}
	for _, wanted := range e.Ready.Conditions {
		all = append(all, condition{wanted, func(ctx context.Context) error { return conditionHolds(ctx, c, wanted) }})
	}
	if err := await(ctx, all, ReadyTimeout, e.Name, func(string) {}); err != nil {
		return fmt.Errorf("installing %s: %w", e.Name, err)
	}
	return nil
}

// await waits for one condition after the other, within one timeout for all.
func await(ctx context.Context, all []condition, timeout time.Duration, name string, report func(string)) error {
	begun, told := time.Now(), time.Now().Add(quietFor-remindAfter)
	report("waiting for " + name)
	for _, one := range all {
		left := max(timeout-time.Since(begun), time.Second)
		err := cluster.Until(ctx, left, one.what, func(ctx context.Context) error {
			err := one.holds(ctx)
			if err != nil && time.Since(told) > remindAfter {
				told = time.Now()
				report(fmt.Sprintf("still waiting for %s: %s: %v", name, one.what, err))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func nodesReady(ctx context.Context, c *cluster.Cluster, r Ready) error {
	list, err := c.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range list.Items {
		if why := nodeLacks(n, r); why != "" {
			return fmt.Errorf("node %s %s", n.Name, why)
		}
	}
	return nil
}

// nodeLacks says why a node cannot be used yet, or nothing.
func nodeLacks(n corev1.Node, r Ready) string {
	for _, key := range r.Annotations {
		if _, has := n.Annotations[key]; !has {
			return "has no annotation " + key
		}
	}
	for _, t := range n.Spec.Taints {
		if matchesAny(r.NoTaints, t.Key) {
			return "has the taint " + t.Key
		}
	}
	for _, one := range n.Status.Conditions {
		if one.Type == corev1.NodeReady {
			if one.Status == corev1.ConditionTrue {
				return ""
			}
			return "is not ready: " + one.Message
		}
	}
	return "has no status yet"
}

func daemonSetReady(ctx context.Context, c *cluster.Cluster, namespace, name string) error {
	ds, err := c.Kube().AppsV1().DaemonSets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	s := ds.Status
	if s.ObservedGeneration < ds.Generation || s.DesiredNumberScheduled == 0 || s.NumberReady < s.DesiredNumberScheduled ||
		s.UpdatedNumberScheduled < s.DesiredNumberScheduled {
		return fmt.Errorf("%d of %d pods are ready", s.NumberReady, s.DesiredNumberScheduled)
	}
	return nil
}

func deploymentReady(ctx context.Context, c *cluster.Cluster, namespace, name string) error {
	d, err := c.Kube().AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	s := d.Status
	if s.ObservedGeneration < d.Generation || s.ReadyReplicas < wanted || s.UpdatedReplicas < wanted {
		return fmt.Errorf("%d of %d pods are ready", s.ReadyReplicas, wanted)
	}
	return nil
}

// conditionHolds reads "RESOURCE/NAME=CONDITION".
func conditionHolds(ctx context.Context, c *cluster.Cluster, wanted string) error {
	object, kind, _ := strings.Cut(wanted, "=")
	resource, name, _ := strings.Cut(object, "/")
	why, ok, err := c.Condition(ctx, resource, name, kind)
	if err == nil && !ok {
		err = errors.New(why)
	}
	return err
}
