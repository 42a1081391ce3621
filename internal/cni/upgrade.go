package cni

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni/charts"
)

// ErrNoChart says that a source does not have a chart.
var ErrNoChart = charts.ErrNotHere

// In returns the variant in another version of the catalog, with the user's
// values: an *UnknownVersionError where there is none.
func (e Entry) In(version string) (Entry, error) {
	other, err := resolve(e.Name, e.Plugin, e.Variant, Choice{Version: version, Values: e.UserValues})
	other.File = e.File
	return other, err
}

// Is tells whether the entry is in a version, with or without a leading v.
func (e Entry) Is(version string) bool { return sameVersion(e.Version, version) }

// Upgrade is the way from the manifests of a plugin that cnibench installed to
// others of it, and back.
type Upgrade struct {
	cluster *cluster.Cluster
	entry   Entry
	change  change
	before  Inventory                    // what the cluster has, and
	during  Inventory                    // what it may have until it is back
	rolled  Entry                        // with the dataplane's agents that are rolled out alone
	pods    []cluster.Pod                // of these, before
	done    map[cluster.Object]time.Time // when what was rolled out was found to be
	changed bool                         // the cluster, or so it may be
}

// NotUpgradedError says why applying manifests would not replace the plugin's
// pods.
type NotUpgradedError struct{ Reason string }

func (e *NotUpgradedError) Error() string { return e.Reason }

// PlanUpgrade looks at what leads from the old manifests, which the cluster
// has, to the new ones; nothing is changed yet. It returns a *NotUpgradedError
// where pods would stay as they are.
func PlanUpgrade(ctx context.Context, c *cluster.Cluster, e Entry, before, after Manifests) (*Upgrade, error) {
	old, err := cluster.Decode(before.YAML)
	if err != nil {
		return nil, err
	}
	next, err := cluster.Decode(after.YAML)
	if err != nil {
		return nil, err
	}
	u := &Upgrade{cluster: c, entry: e, change: changeOf(old, next), done: map[cluster.Object]time.Time{}}
	if reason := e.upgradeLacks(u.change, next); reason != "" {
		return nil, &NotUpgradedError{reason}
	}
	if err := u.operators(ctx, slices.Concat(old, next)); err != nil {
		return nil, err
	}
	absent, err := u.absent(ctx, u.change.added)
	if err != nil {
		return nil, err
	}
	if there := without(u.change.added, absent); len(there) > 0 {
		return nil, &NotUpgradedError{fmt.Sprintf("%s is in the cluster already and not of the manifests that were installed: the new ones would change it for good", there[0])}
	}
	var found bool
	if u.before, found, err = Installed(ctx, c); err != nil {
		return nil, err
	}
	if !found {
		return nil, &NotUpgradedError{(&NothingInstalledError{}).Error()}
	}
	u.change.dropped = without(u.change.dropped, u.before.Existed) // which a removal leaves, too
	u.during = u.before.and(newInventory(c, e, after, next), u.change.added)
	if u.rolled, err = e.dataplaneOf(u.change.rolled); err != nil {
		return nil, err
	}
	u.pods, err = Agents(ctx, c, u.rolled)
	return u, err
}

// operators refuses dataplane pods that run and that none of the manifests
// makes. An agent that some versions lack has no pods and is none.
func (u *Upgrade) operators(ctx context.Context, objects []*unstructured.Unstructured) error {
	others := u.entry
	others.Agents = u.entry.notMadeBy(objects)
	pods, err := Agents(ctx, u.cluster, others)
	if err == nil && len(pods) > 0 {
		return &NotUpgradedError{"the dataplane pod " + pods[0].Name + " of " + u.entry.Name + " is its operator's, and in none of its manifests"}
	}
	return err
}

// upgradeLacks says why pods would not be replaced; empty: they would.
func (e Entry) upgradeLacks(c change, next []*unstructured.Unstructured) string {
	if name := c.onDelete(); name != "" {
		return fmt.Sprintf("%s has the update strategy OnDelete: its pods stay until somebody deletes them", name)
	}
	if e.HasDataplane() && len(e.notMadeBy(next)) == len(e.dataplane().Agents) {
		// When it is over, and when it is back, the manifests do not tell.
		return "the dataplane pods of " + e.Name + " are its operator's, and in none of its manifests"
	}
	if len(c.rolled) == 0 {
		return "no pod of " + e.Name + " is another one with the new manifests"
	}
	return ""
}

// without lists the objects that are not among others.
func without(objects, others []cluster.Object) []cluster.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o cluster.Object) bool { return slices.Contains(others, o) })
}

// absent lists those objects that are not in the cluster.
func (u *Upgrade) absent(ctx context.Context, objects []cluster.Object) ([]cluster.Object, error) {
	var absent []cluster.Object
	for _, o := range objects {
		there, err := u.cluster.Exists(ctx, o)
		if err != nil {
			return nil, err
		}
		if !there {
			absent = append(absent, o)
		}
	}
	return absent, nil
}

// and is what a removal needs to know while a cluster may have what either
// inventory has. Of the other's objects those that were added are ours.
func (inv Inventory) and(other Inventory, added []cluster.Object) Inventory {
	all := inv
	all.Complete = false
	all.Objects = slices.Concat(inv.Objects, added)
	all.Pods = slices.Clone(inv.Pods)
	for _, p := range other.Pods {
		if !slices.Contains(all.Pods, p) {
			all.Pods = append(all.Pods, p)
		}
	}
	all.Leaves.CRDs = union(inv.Leaves.CRDs, other.Leaves.CRDs)
	all.Leaves.NodeLabels = union(inv.Leaves.NodeLabels, other.Leaves.NodeLabels)
	return all
}

// What names the workloads whose pods are replaced.
func (u *Upgrade) What() string { return strings.Join(u.names(), ", ") }

func (u *Upgrade) names() []string {
	var names []string
	for _, w := range u.change.rolled {
		names = append(names, cluster.ObjectOf(w).String())
	}
	return names
}

// Begin applies the new manifests: what is new or differs, as an upgrade with
// Helm does, and then deletes what they do not have any more. What may be there
// from then on is written down in the cluster first.
func (u *Upgrade) Begin(ctx context.Context) error {
	err := u.during.update(ctx, u.cluster)
	u.changed = !apierrors.IsForbidden(err)
	if err != nil {
		return err
	}
	if err := u.cluster.Apply(ctx, u.change.forth); err != nil {
		return err
	}
	for _, o := range u.change.dropped {
		if err := u.cluster.Delete(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Changed tells whether a Begin may have changed anything. One that was refused
// the first step has not.
func (u *Upgrade) Changed() bool { return u.changed }

// Over returns nil when every pod of the workloads is a new one and ready, and
// no dataplane pod of theirs is an old one.
func (u *Upgrade) Over(ctx context.Context) error {
	var missing error
	for _, w := range u.change.rolled {
		o := cluster.ObjectOf(w)
		switch err := rolledOut(ctx, u.cluster, o); {
		case err != nil:
			missing = errors.Join(missing, fmt.Errorf("%s: %w", o, err))
		case u.done[o].IsZero():
			u.done[o] = time.Now()
		}
	}
	if missing != nil {
		return missing
	}
	return u.replaced(ctx)
}

// replaced looks at the dataplane's pods themselves, on every node.
func (u *Upgrade) replaced(ctx context.Context) error {
	byNode := map[string][]cluster.Pod{}
	for _, p := range u.pods {
		byNode[p.Node] = append(byNode[p.Node], p)
	}
	for _, node := range keysOf(byNode) {
		if err := Replaced(ctx, u.cluster, u.rolled, node, byNode[node]); err != nil {
			return err
		}
	}
	return nil
}

// RolledOut says in words how long after a time each workload was found to have
// new pods alone.
func (u *Upgrade) RolledOut(begun time.Time) string {
	var words []string
	for _, w := range u.change.rolled {
		o := cluster.ObjectOf(w)
		words = append(words, fmt.Sprintf("%s after %s", o, u.done[o].Sub(begun).Round(10*time.Millisecond)))
	}
	return strings.Join(words, ", ")
}

// Undo puts the old manifests back and returns when their pods are ready and
// what only the new ones had is gone, within a limit for each. It may follow a
// Begin that failed.
func (u *Upgrade) Undo(ctx context.Context, limit time.Duration) error {
	if err := u.cluster.Apply(ctx, u.change.back); err != nil {
		return err
	}
	for _, o := range slices.Backward(u.change.added) {
		if err := u.cluster.Delete(ctx, o); err != nil {
			return err
		}
	}
	err := cluster.Until(ctx, limit, "pods of the old manifests", func(ctx context.Context) error { return u.putBack(ctx) })
	if err != nil {
		return err
	}
	return u.before.update(ctx, u.cluster)
}

// putBack returns nil when the cluster has what it had.
func (u *Upgrade) putBack(ctx context.Context) error {
	for _, w := range u.change.back {
		if !isWorkload(w) {
			continue
		}
		o := cluster.ObjectOf(w)
		if err := rolledOut(ctx, u.cluster, o); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
	}
	absent, err := u.absent(ctx, u.change.added)
	if err == nil && len(absent) < len(u.change.added) {
		err = errors.New("what only the new manifests have is not gone yet")
	}
	return err
}
