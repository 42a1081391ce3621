package cni

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cnibench/cnibench/internal/cluster"
)

// change is what leads from the manifests that a cluster has to others.
type change struct {
	forth []*unstructured.Unstructured // of the new ones, that are new or differ, in their order
	back  []*unstructured.Unstructured // of the old ones, that are gone or differ, in theirs
	added []cluster.Object             // that only the new ones have
	// dropped are what only the old ones have and an upgrade deletes. Namespaces
	// and definitions stay, as with Helm: what is in them would go, too.
	dropped []cluster.Object
	rolled  []*unstructured.Unstructured // of the new ones: workloads whose pods are replaced
}

// changeOf compares manifests. An object whose API has another version now is
// still the same.
func changeOf(before, after []*unstructured.Unstructured) change {
	var c change
	was, is := byKey(before), byKey(after)
	for _, u := range after {
		old := was[keyOf(u)]
		if old == nil {
			c.added = append(c.added, cluster.ObjectOf(u))
		}
		if old != nil && reflect.DeepEqual(old.Object, u.Object) {
			continue
		}
		c.forth = append(c.forth, u)
		if isWorkload(u) && (old == nil || !reflect.DeepEqual(templateOf(old), templateOf(u))) {
			c.rolled = append(c.rolled, u)
		}
	}
	for _, u := range before {
		now := is[keyOf(u)]
		if now == nil && u.GetKind() != "Namespace" && u.GetKind() != "CustomResourceDefinition" {
			c.dropped = append(c.dropped, cluster.ObjectOf(u))
		}
		if now == nil || !reflect.DeepEqual(now.Object, u.Object) {
			c.back = append(c.back, u)
		}
	}
	return c
}

// objectKey is what an object is the same by.
type objectKey struct{ group, kind, namespace, name string }

func keyOf(u *unstructured.Unstructured) objectKey {
	o := cluster.ObjectOf(u)
	return objectKey{o.Group(), o.Kind, o.Namespace, o.Name}
}

func byKey(objects []*unstructured.Unstructured) map[objectKey]*unstructured.Unstructured {
	all := map[objectKey]*unstructured.Unstructured{}
	for _, u := range objects {
		all[keyOf(u)] = u
	}
	return all
}

// isWorkload tells whether an object's controller replaces its pods when their
// template changes.
func isWorkload(u *unstructured.Unstructured) bool {
	return cluster.ObjectOf(u).Group() == "apps" && slices.Contains([]string{"DaemonSet", "Deployment", "StatefulSet"}, u.GetKind())
}

func templateOf(u *unstructured.Unstructured) any {
	template, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template")
	return template
}

// onDelete names a workload whose pods stay as they are until somebody deletes
// them; empty: there is none.
func (c change) onDelete() string {
	for _, u := range c.rolled {
		if kind, _, _ := unstructured.NestedString(u.Object, "spec", "updateStrategy", "type"); kind == "OnDelete" {
			return cluster.ObjectOf(u).String()
		}
	}
	return ""
}

// makes tells whether an object is a workload that makes pods of an agent.
func (e Entry) makes(u *unstructured.Unstructured, a AgentPods) bool {
	selector, err := labels.Parse(a.Selector)
	if err != nil || !isWorkload(u) {
		return false
	}
	wears, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
	at := cmp.Or(u.GetNamespace(), metav1.NamespaceDefault)
	return at == cmp.Or(a.Namespace, e.Install.Namespace) && selector.Matches(labels.Set(wears))
}

// notMadeBy lists those of the dataplane's agents whose pods none of the objects
// makes: an operator does, or there are none.
func (e Entry) notMadeBy(objects []*unstructured.Unstructured) []AgentPods {
	return slices.DeleteFunc(e.dataplane().Agents, func(a AgentPods) bool {
		return slices.ContainsFunc(objects, func(u *unstructured.Unstructured) bool { return e.makes(u, a) })
	})
}

// dataplaneOf is the entry with those dataplane pods alone that the objects
// make, found as their controllers find them.
func (e Entry) dataplaneOf(objects []*unstructured.Unstructured) (Entry, error) {
	only := e
	only.Agents = nil
	for _, u := range objects {
		if !slices.ContainsFunc(e.dataplane().Agents, func(a AgentPods) bool { return e.makes(u, a) }) {
			continue
		}
		var own metav1.LabelSelector
		raw, _, _ := unstructured.NestedMap(u.Object, "spec", "selector")
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &own); err != nil {
			return e, fmt.Errorf("reading the selector of %s: %w", cluster.ObjectOf(u), err)
		}
		at := cmp.Or(u.GetNamespace(), metav1.NamespaceDefault)
		only.Agents = append(only.Agents, AgentPods{Role: dataplane, Namespace: at, Selector: metav1.FormatLabelSelector(&own)})
	}
	return only, nil
}

// anewAnnotation is on the pod templates of what is rolled out anew.
const anewAnnotation = "cnibench.io/rolled-out"

// Anew returns the manifests with an annotation on the pods of all workloads,
// so that applying them replaces these, as `kubectl rollout restart` does.
func (m Manifests) Anew(annotation string) (Manifests, error) {
	objects, err := cluster.Decode(m.YAML)
	if err != nil {
		return Manifests{}, err
	}
	for _, u := range objects {
		if !isWorkload(u) {
			continue
		}
		if err := unstructured.SetNestedField(u.Object, annotation, "spec", "template", "metadata", "annotations", anewAnnotation); err != nil {
			return Manifests{}, fmt.Errorf("annotating the pods of %s: %w", cluster.ObjectOf(u), err)
		}
	}
	m.YAML, err = encode(objects)
	return m, err
}
