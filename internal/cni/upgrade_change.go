package cni

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

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

// dataplaneIn tells whether one of the objects makes the plugin's dataplane
// pods. Where none does an operator makes them.
func (e Entry) dataplaneIn(objects []*unstructured.Unstructured) bool {
	for _, a := range e.dataplane().Agents {
		selector, err := labels.Parse(a.Selector)
		if err != nil {
			continue
		}
		for _, u := range objects {
			wears, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
			at := cmp.Or(u.GetNamespace(), metav1.NamespaceDefault)
			if isWorkload(u) && at == cmp.Or(a.Namespace, e.Install.Namespace) && selector.Matches(labels.Set(wears)) {
				return true
			}
		}
	}
	return false
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
