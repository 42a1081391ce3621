package cni

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
)

const beforeUpgrade = `
apiVersion: v1
kind: Namespace
metadata: {name: plugin}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.org}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: plugin}
data: {mtu: "1450"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: old, namespace: plugin}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: agent, namespace: plugin}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: plugin}
spec:
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:v1"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: plugin}
spec:
  template:
    metadata: {labels: {app: operator}}
    spec: {containers: [{name: operator, image: "operator:v1"}]}
`

func decoded(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := cluster.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func namesOf(objects []*unstructured.Unstructured) string {
	var names []string
	for _, u := range objects {
		names = append(names, u.GetKind()+" "+u.GetName())
	}
	return strings.Join(names, ", ")
}

// What is the same stays, what another API version of the same object is, too;
// definitions stay.
func TestChangeOf(t *testing.T) {
	after := strings.NewReplacer(
		"agent:v1", "agent:v2", "policy/v1beta1", "policy/v1", "name: old", "name: new",
		"kind: CustomResourceDefinition\nmetadata: {name: pools.example.org}", "kind: CustomResourceDefinition\nmetadata: {name: rules.example.org}",
	).Replace(beforeUpgrade)
	c := changeOf(decoded(t, beforeUpgrade), decoded(t, after))
	for _, tt := range []struct{ what, got, want string }{
		{"forth", namesOf(c.forth), "CustomResourceDefinition rules.example.org, ConfigMap new, PodDisruptionBudget agent, DaemonSet agent"},
		{"back", namesOf(c.back), "CustomResourceDefinition pools.example.org, ConfigMap old, PodDisruptionBudget agent, DaemonSet agent"},
		{"rolled", namesOf(c.rolled), "DaemonSet agent"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s; want %s", tt.what, tt.got, tt.want)
		}
	}
	if diff := cmp.Diff([]cluster.Object{{APIVersion: "v1", Kind: "ConfigMap", Namespace: "plugin", Name: "old"}}, c.dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	if len(c.added) != 2 || c.added[1].Name != "new" {
		t.Errorf("added %v", c.added)
	}
}

// Applied anew is every workload, and nothing else.
func TestAnew(t *testing.T) {
	before := Manifests{YAML: []byte(beforeUpgrade), Digest: "sha256:1"}
	after, err := before.Anew("now")
	if err != nil {
		t.Fatal(err)
	}
	c := changeOf(decoded(t, beforeUpgrade), decoded(t, string(after.YAML)))
	if got := namesOf(c.rolled); got != "DaemonSet agent, Deployment operator" || got != namesOf(c.forth) || got != namesOf(c.back) {
		t.Errorf("rolled %s, forth %s, back %s", got, namesOf(c.forth), namesOf(c.back))
	}
	if len(c.added)+len(c.dropped) > 0 {
		t.Errorf("added %v, dropped %v", c.added, c.dropped)
	}
}

func TestUpgradeLacks(t *testing.T) {
	e := Entry{Name: "mine", Agents: []AgentPods{{Role: dataplane, Namespace: "plugin", Selector: "app in (agent)"}}}
	for _, tt := range []struct{ name, replace, with, want string }{
		{"an upgrade", "agent:v1", "agent:v2", ""},
		{"other data alone", "1450", "1400", "no pod of mine"},
		{"on delete", "spec:\n  template:\n    metadata: {labels: {app: agent}}", "spec:\n  updateStrategy: {type: OnDelete}\n  template:\n    metadata: {labels: {app: agent, new: x}}", "DaemonSet plugin/agent has the update strategy OnDelete"},
		{"an operator's", "app: agent", "app: other", "its operator's"},
	} {
		next := decoded(t, strings.Replace(beforeUpgrade, tt.replace, tt.with, 1))
		got := e.upgradeLacks(changeOf(decoded(t, beforeUpgrade), next), next)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A dataplane of two workloads, of which a version leaves one as it is, or does
// not have one, or an operator makes one.
func TestDataplaneOfTwo(t *testing.T) {
	e := Entry{Name: "mine", Agents: []AgentPods{
		{Role: dataplane, Namespace: "plugin", Selector: "app=agent"},
		{Role: dataplane, Namespace: "plugin", Selector: "app in (proxy)"},
		{Role: "control", Namespace: "plugin", Selector: "app=operator"},
	}}
	const proxy = `
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: proxy, namespace: plugin}
spec:
  selector: {matchLabels: {app: proxy, tier: node}}
  template:
    metadata: {labels: {app: proxy, tier: node}}
    spec: {containers: [{name: proxy, image: "proxy:v1"}]}
`
	one := strings.Replace(beforeUpgrade, "name: agent, namespace: plugin}\nspec:", "name: agent, namespace: plugin}\nspec:\n  selector: {matchLabels: {app: agent}}", 1)
	two := one + proxy
	upgraded := strings.Replace(one, "agent:v1", "agent:v2", 1)
	for _, tt := range []struct{ name, before, after, rolled, notMade string }{
		{"both roll", two, strings.ReplaceAll(two, ":v1", ":v2"), "app=agent; app=proxy,tier=node", ""},
		{"one stays as it is", two, upgraded + proxy, "app=agent", ""},
		{"one is dropped", two, upgraded, "app=agent", ""},
		{"one is new", one, upgraded + proxy, "app=agent; app=proxy,tier=node", ""},
		{"one is in none", one, upgraded, "app=agent", "app in (proxy)"},
	} {
		old, next := decoded(t, tt.before), decoded(t, tt.after)
		rolled, err := e.dataplaneOf(changeOf(old, next).rolled)
		if got := selectorsOf(rolled.Agents); got != tt.rolled || err != nil {
			t.Errorf("%s: rolled are %q, want %q: %v", tt.name, got, tt.rolled, err)
		}
		if got := selectorsOf(e.notMadeBy(append(old, next...))); got != tt.notMade {
			t.Errorf("%s: not made are %q, want %q", tt.name, got, tt.notMade)
		}
	}
	if len(e.Agents) != 3 {
		t.Errorf("the entry changed: %+v", e.Agents)
	}
}

func selectorsOf(agents []AgentPods) string {
	var all []string
	for _, a := range agents {
		all = append(all, a.Selector)
	}
	return strings.Join(all, "; ")
}

// What was there before an installation stays in an upgrade, too.
func TestWithout(t *testing.T) {
	theirs, ours := cluster.Object{Kind: "ConfigMap", Name: "theirs"}, cluster.Object{Kind: "ConfigMap", Name: "ours"}
	dropped := []cluster.Object{theirs, ours}
	if diff := cmp.Diff([]cluster.Object{ours}, without(dropped, []cluster.Object{theirs})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if dropped[0] != theirs {
		t.Errorf("the list changed: %v", dropped)
	}
	if left := without(dropped, dropped); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// A removal must find what either version has, and not what was there before.
func TestInventoryOfBoth(t *testing.T) {
	config := cluster.Object{APIVersion: "v1", Kind: "ConfigMap", Namespace: "plugin", Name: "config"}
	added := cluster.Object{APIVersion: "v1", Kind: "ConfigMap", Namespace: "plugin", Name: "new"}
	old := Inventory{Complete: true, Objects: []cluster.Object{config}, Pods: []PodSelector{{"plugin", "app=agent"}}, Leaves: Leftovers{CRDs: []string{"a.org"}}}
	other := Inventory{Objects: []cluster.Object{config, added}, Pods: []PodSelector{{"plugin", "app=agent"}, {"plugin", "app=new"}}, Leaves: Leftovers{CRDs: []string{"b.org"}}}
	want := Inventory{
		Objects: []cluster.Object{config, added}, Pods: []PodSelector{{"plugin", "app=agent"}, {"plugin", "app=new"}}, Leaves: Leftovers{CRDs: []string{"a.org", "b.org"}},
	}
	if diff := cmp.Diff(want, old.and(other, []cluster.Object{added})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !old.Complete || len(old.Objects) != 1 || len(old.Pods) != 1 {
		t.Errorf("the old one changed: %+v", old)
	}
}

func TestRolledOut(t *testing.T) {
	two := int32(2)
	daemons := func(generation, observed int64, updated, ready, wanted int32) error {
		d := appsv1.DaemonSet{Status: appsv1.DaemonSetStatus{
			ObservedGeneration: observed, UpdatedNumberScheduled: updated, NumberReady: ready, DesiredNumberScheduled: wanted, CurrentNumberScheduled: wanted,
		}}
		d.Generation = generation
		return daemonSetLacks(d)
	}
	replicas := func(updated, ready, there int32) error {
		return deploymentLacks(appsv1.Deployment{
			Spec:   appsv1.DeploymentSpec{Replicas: &two},
			Status: appsv1.DeploymentStatus{UpdatedReplicas: updated, ReadyReplicas: ready, Replicas: there},
		})
	}
	for _, tt := range []struct {
		name string
		err  error
		want string // empty: it is over
	}{
		{"not seen", daemons(2, 1, 3, 3, 3), "not seen the change"},
		{"one is old", daemons(2, 2, 2, 3, 3), "2 of 3 pods are new"},
		{"one is not ready", daemons(2, 2, 3, 2, 3), "2 of 3 pods are ready"},
		{"all", daemons(2, 2, 3, 3, 3), ""},
		{"for no node", daemons(2, 2, 0, 0, 0), ""},
		{"an old replica is left", replicas(2, 2, 3), "1 pods too many"},
		{"all replicas", replicas(2, 2, 2), ""},
		{"no replicas said", statefulSetLacks(appsv1.StatefulSet{}), "0 of 1 pods are new"},
	} {
		if (tt.err == nil) != (tt.want == "") || tt.err != nil && !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

// Another version of a variant has the user's values and its own chart.
func TestEntryIn(t *testing.T) {
	e, err := builtinCatalog(t).Entry("flannel-vxlan", Choice{Version: "v0.28.4", Values: map[string]any{"flannel": map[string]any{"mtu": 1400.0}}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := e.In("0.28.10")
	if err != nil {
		t.Fatal(err)
	}
	table, _ := other.Install.Values["flannel"].(map[string]any)
	if !other.Is("v0.28.10") || other.Name != e.Name || table["mtu"] != 1400.0 || table["backend"] != "vxlan" {
		t.Errorf("%s %s has the values %v", other.Name, other.Version, other.Install.Values)
	}
	if _, err := e.In("9.9.9"); err == nil || e.Is("v0.28.10") {
		t.Errorf("an unknown version: %v", err)
	}
}
