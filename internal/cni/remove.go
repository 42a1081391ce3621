package cni

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// Removal is what the removal of a plugin did. Maps are by node; the key
// "cluster" is the API's.
type Removal struct {
	Variant, Version string
	Cleaned          map[string][]string // what the plugin had left and is gone now
	Remains          map[string][]string // what is not as before
	// Unproven says that nobody looked at the nodes before the installation:
	// then Remains only has what the plugin is known to leave.
	Unproven bool
	// Staying are foreign pods without a controller, which have lost their
	// network: "NAMESPACE/NAME on NODE".
	Staying []string
}

const clusterKey = "cluster"

// Bounds of the parts of a removal.
const (
	finalizerTimeout = 20 * time.Second // for controllers to clean up
	endTimeout       = 2 * time.Minute  // for pods and namespaces to end
)

// NothingInstalledError says that there is nothing to remove.
type NothingInstalledError struct{}

func (*NothingInstalledError) Error() string {
	return "no network plugin of this cluster was installed by cnibench"
}

// Hint says what cnibench does not remove.
func (*NothingInstalledError) Hint() string {
	return "a plugin that was installed by other means must be removed by those"
}

// Remove takes the plugin that cnibench installed, or was installing, out of a
// cluster: its objects, and what it leaves on nodes. Then it compares nodes
// with what they were before; what differs is a *NotAsBeforeError. It can be
// interrupted and done again at any point.
func Remove(ctx context.Context, c *cluster.Cluster, report func(step string)) (Removal, error) {
	inv, found, err := Installed(ctx, c)
	if err != nil {
		return Removal{}, err
	}
	if !found {
		return Removal{}, &NothingInstalledError{}
	}
	r := remover{cluster: c, inv: inv, report: report, Removal: Removal{
		Variant: inv.Variant, Version: inv.Version, Unproven: inv.Before == nil,
		Cleaned: map[string][]string{}, Remains: map[string][]string{},
	}}
	if err := r.run(ctx); err != nil {
		return r.Removal, fmt.Errorf("removing %s: %w", inv.Variant, err)
	}
	if len(r.Remains) > 0 {
		return r.Removal, &NotAsBeforeError{inv.Variant, r.Remains}
	}
	return r.Removal, deleteInventory(ctx, c)
}

type remover struct {
	Removal
	cluster *cluster.Cluster
	inv     Inventory
	report  func(string)
	staying []wiredPod
}

func (r *remover) run(ctx context.Context) error {
	r.report("removing " + r.inv.Variant)
	steps := []func(context.Context) error{
		r.release, r.removeCustomResources, r.removeObjects, r.awaitPodsGone, r.removeDefinitions, r.cleanNodes, r.awaitObjectsGone, r.reopen,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *remover) release(ctx context.Context) (err error) {
	r.staying, err = release(ctx, r.cluster, &r.inv, r.report)
	for _, p := range r.staying {
		r.Staying = append(r.Staying, p.String())
	}
	return err
}

// keeps tells whether an object was there before the plugin, or cannot go.
func (r *remover) keeps(o cluster.Object) bool {
	switch o.Name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease, cluster.Namespace:
		if o.Kind == "Namespace" {
			return true
		}
	}
	return slices.Contains(r.inv.Existed, o)
}

// removeObjects deletes everything but definitions, last first. Namespaces are
// asked to go at the same time: their controller lets five seconds pass first.
func (r *remover) removeObjects(ctx context.Context) error {
	for _, o := range slices.Backward(r.inv.Objects) {
		if o.Kind == "CustomResourceDefinition" || r.keeps(o) {
			continue
		}
		if err := r.cluster.Delete(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// podGrace is what a plugin's pod gets to end. Its work is undone anyway.
const podGrace = int64(2)

// awaitPodsGone ends the plugin's pods: nodes can be cleaned when nobody makes
// them dirty again.
func (r *remover) awaitPodsGone(ctx context.Context) error {
	r.report("waiting for the pods of " + r.inv.Variant + " to end")
	asked := map[string]bool{}
	return cluster.Until(ctx, endTimeout, "pods of "+r.inv.Variant+" to end", func(ctx context.Context) error {
		left := ""
		for _, s := range r.inv.Pods {
			pods := r.cluster.Kube().CoreV1().Pods(s.Namespace)
			list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: s.Selector})
			if err != nil {
				return err
			}
			for _, p := range list.Items {
				left = p.Namespace + "/" + p.Name
				if !asked[string(p.UID)] {
					asked[string(p.UID)] = true
					grace := podGrace
					_ = pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &grace}) // its owner's end deletes it too
				}
			}
		}
		if left != "" {
			return errors.New("pod " + left + " is still there")
		}
		return nil
	})
}

// cleanNodes takes away what is left on nodes and compares them with before.
func (r *remover) cleanNodes(ctx context.Context) error {
	r.report("cleaning nodes")
	r.inv.Cleaning = true
	if err := r.inv.update(ctx, r.cluster); err != nil {
		return err
	}
	leaves := r.inv.Leaves.onNodes(r.inv.PodCIDR)
	cleaned, err := onEachNode(r.inv.NodeNames, func(node string) (nodestate.Cleaned, error) {
		before := withoutAPI(r.inv.Before[node])
		done, err := cleanNode(ctx, r.cluster, node, probe.NodeCleanSpec{Before: before, Leftovers: leaves})
		if err != nil {
			return done, err
		}
		more, err := cleanNodeObject(ctx, r.cluster, node, r.inv.Before[node], r.inv.Leaves)
		done.Done = append(done.Done, more...)
		return done, err
	})
	if err != nil {
		return err
	}
	// Pods that every node must have came back before the plugin was gone.
	if r.staying, err = wiredPods(ctx, r.cluster, r.inv); err != nil {
		return err
	}
	list, err := r.cluster.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	for _, n := range list.Items {
		if done, ours := cleaned[n.Name]; ours {
			done.After.Items = append(done.After.Items, itemsOf(n)...)
			r.judge(n.Name, done, leaves)
		}
	}
	return nil
}

// withoutAPI leaves out what the API says of a node.
func withoutAPI(s nodestate.State) nodestate.State {
	s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(i nodestate.Item) bool {
		switch i.Kind {
		case nodestate.Annotation, nodestate.Label, nodestate.Taint, nodestate.APICondition:
			return true
		}
		return false
	})
	return s
}

// judge notes what was taken from a node and what is not as before.
func (r *remover) judge(node string, done nodestate.Cleaned, leaves nodestate.Leftovers) {
	if len(done.Done) > 0 {
		r.Cleaned[node] = done.Done
	}
	var remains []string
	if before, known := r.inv.Before[node]; known {
		for _, d := range nodestate.Diff(before, done.After) {
			if !r.excused(node, d) {
				remains = append(remains, d.String())
			}
		}
	} else {
		for _, i := range nodestate.Leftover(nodestate.State{}, done.After, leaves) {
			remains = append(remains, i.String()+" is left")
		}
	}
	if len(remains) > 0 {
		r.Remains[node] = slices.Concat(remains, done.Failed)
	}
}

// excused tells whether a difference is due to a foreign pod that still runs.
func (r *remover) excused(node string, d nodestate.Difference) bool {
	ofPod := d.Kind == nodestate.PodLink || d.Kind == nodestate.PodRoute
	return ofPod && slices.ContainsFunc(r.staying, func(p wiredPod) bool { return p.Node == node })
}

// reopen lets pods onto the nodes again that were closed for the removal.
func (r *remover) reopen(ctx context.Context) error {
	return setUnschedulable(ctx, r.cluster, r.inv.Cordoned, false)
}
