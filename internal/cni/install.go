package cni

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// Missing names what the variant needs and the cluster does not have, or
// nothing.
func Missing(c *cluster.Cluster, e Entry) string {
	return e.Missing(c.Site(), c.KubeProxy())
}

// Missing names what the variant needs and a cluster with these families and
// this mode of kube-proxy does not have, or nothing. It is asked before there
// is a cluster, too.
func (e Entry) Missing(site Families, kubeProxy string) string {
	if missing := missingFamily(e, site); missing != "" {
		return missing
	}
	return missingKubeProxy(e, kubeProxy)
}

// Services tells whether connections to a Service's address can be expected to
// arrive.
func Services(c *cluster.Cluster, e Entry) bool {
	return e.CarriesServices(c.KubeProxy())
}

// CarriesServices tells the same of a cluster with this mode of kube-proxy.
func (e Entry) CarriesServices(kubeProxy string) bool {
	return kubeProxy != "none" || e.Services == "plugin"
}

// InstallOptions say how a variant is installed.
type InstallOptions struct {
	Report func(step string)
	// Throwaway says that the cluster will not outlive the variant: nobody
	// needs to know how its nodes were before.
	Throwaway bool
	// Timeout bounds the wait for readiness; ReadyTimeout if zero.
	Timeout time.Duration
	// Evidence is a directory for what explains that a plugin does not get
	// ready; empty: none is kept.
	Evidence string
}

// Install applies a variant's manifests and returns when all nodes can run
// pods; AwaitAgents waits for the rest. What it does is written down in the
// cluster first, see Inventory, so that Remove can undo it, also where it was
// interrupted. A variant that installs nothing leaves nodes as they are. The
// timeline, which the caller closes, is valid without an error only.
func Install(ctx context.Context, c *cluster.Cluster, e Entry, m Manifests, o InstallOptions) (Timeline, error) {
	if e.None() {
		return Timeline{}, nil
	}
	t, err := install(ctx, c, e, m, o)
	if err != nil {
		t.Close()
		return Timeline{}, fmt.Errorf("installing %s: %w", e.Name, err)
	}
	return t, nil
}

func install(ctx context.Context, c *cluster.Cluster, e Entry, m Manifests, o InstallOptions) (t Timeline, err error) {
	o.Report("installing " + e.Name)
	objects, err := cluster.Decode(m.YAML)
	if err != nil {
		return t, err
	}
	inv := newInventory(c, e, m, objects)
	var wired []wiredPod
	if !o.Throwaway {
		if wired, err = survey(ctx, c, e, &inv); err != nil {
			return t, err
		}
	}
	if err := inv.create(ctx, c); err != nil {
		return t, err
	}
	t.Begun = time.Now().UTC()
	if err := labelNodes(ctx, c, e.Install.NodeLabels); err != nil {
		return t, err
	}
	if err := c.Apply(ctx, objects); err != nil {
		return t, err
	}
	t.Applied = time.Now().UTC()
	t.agents = watchAgents(ctx, c, e)
	if err := awaitNodes(ctx, c, e, inv, o); err != nil {
		return t, err
	}
	t.NodesReady = time.Now().UTC()
	if err := restart(ctx, c, wired, o.Report); err != nil {
		return t, err
	}
	inv.Complete = true
	return t, inv.update(ctx, c)
}

// newInventory lists what is about to be installed.
func newInventory(c *cluster.Cluster, e Entry, m Manifests, objects []*unstructured.Unstructured) Inventory {
	inv := Inventory{
		Schema: inventorySchema, Variant: e.Name, Version: e.Version, Digest: m.Digest, Begun: time.Now().UTC(),
		Leaves: e.Plugin.Leaves, PodCIDR: c.Site().PodCIDR, NodeNames: c.NodeNames(),
	}
	inv.Leaves.NodeLabels = union(inv.Leaves.NodeLabels, slices.Sorted(maps.Keys(e.Install.NodeLabels)))
	for _, u := range objects {
		o := cluster.ObjectOf(u)
		inv.Objects = append(inv.Objects, o)
		if s := selectorOf(u); s != "" {
			inv.Pods = append(inv.Pods, PodSelector{o.Namespace, s})
		}
		if group, _, _ := unstructured.NestedString(u.Object, "spec", "group"); o.Kind == "CustomResourceDefinition" {
			inv.Leaves.CRDs = union(inv.Leaves.CRDs, []string{group})
		}
	}
	for _, a := range e.Agents {
		p := PodSelector{a.Namespace, a.Selector}
		if p.Namespace == "" {
			p.Namespace = e.Install.Namespace
		}
		if !slices.Contains(inv.Pods, p) {
			inv.Pods = append(inv.Pods, p)
		}
	}
	return inv
}

// selectorOf finds the pods that an object makes, or returns nothing.
func selectorOf(u *unstructured.Unstructured) string {
	switch u.GetKind() {
	case "DaemonSet", "Deployment", "StatefulSet":
		wanted, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector", "matchLabels")
		return labels.SelectorFromSet(wanted).String()
	case "Job":
		return "job-name=" + u.GetName()
	}
	return ""
}

// survey looks at the cluster before anything changes: at nodes, at objects
// that are there already, and at pods that another plugin has connected.
func survey(ctx context.Context, c *cluster.Cluster, e Entry, inv *Inventory) ([]wiredPod, error) {
	if old, found, err := Installed(ctx, c); err != nil || found {
		return nil, errors.Join(err, &InstalledError{old.Variant, old.Complete})
	}
	states, err := readNodes(ctx, c, inv.NodeNames, inv.Leaves)
	if err != nil {
		return nil, err
	}
	if err := foreignConfig(states); err != nil {
		return nil, err
	}
	if err := missingBinaries(states, e.Install.Binaries); err != nil {
		return nil, err
	}
	inv.Before = states
	if inv.Existed, err = existing(ctx, c, *inv); err != nil {
		return nil, err
	}
	return wiredPods(ctx, c, *inv)
}

// existing lists the objects and the definitions that are there before.
func existing(ctx context.Context, c *cluster.Cluster, inv Inventory) ([]cluster.Object, error) {
	var there []cluster.Object
	for _, o := range inv.Objects {
		yes, err := c.Exists(ctx, o)
		if err != nil {
			return nil, err
		}
		if yes {
			there = append(there, o)
		}
	}
	definitions, err := c.Definitions(ctx, inv.Leaves.CRDs)
	if err != nil {
		return nil, err
	}
	for _, d := range definitions {
		if o := d.Object(); !slices.Contains(there, o) {
			there = append(there, o)
		}
	}
	return there, nil
}

// readNodes looks at nodes themselves and at what the API says of them.
func readNodes(ctx context.Context, c *cluster.Cluster, nodes []string, l Leftovers) (map[string]nodestate.State, error) {
	states, err := onEachNode(nodes, func(node string) (nodestate.State, error) { return readNode(ctx, c, node, l.Files) })
	if err != nil {
		return nil, err
	}
	list, err := c.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	for _, n := range list.Items {
		if s, looked := states[n.Name]; looked {
			s.Items = append(s.Items, itemsOf(n)...)
			states[n.Name] = s
		}
	}
	return states, nil
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

// inNamespace reads NAME or NAMESPACE/NAME.
func inNamespace(name, otherwise string) (namespace, bare string) {
	if namespace, bare, found := strings.Cut(name, "/"); found {
		return namespace, bare
	}
	return otherwise, name
}
