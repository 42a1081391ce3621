package cni

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// edit changes the one object that an Edit names.
func (r *renderer) edit(objects []*unstructured.Unstructured, e Edit) error {
	for _, o := range objects {
		if o.GetKind() != e.Kind || o.GetName() != e.Name {
			continue
		}
		changed, err := r.change(o.Object, e.Path, e)
		if err != nil {
			return fmt.Errorf("editing %s %s at %s: %w", e.Kind, e.Name, strings.Join(e.Path, "."), err)
		}
		o.Object, _ = changed.(map[string]any)
		return nil
	}
	return fmt.Errorf("an edit is for %s %s, which the manifests do not have", e.Kind, e.Name)
}

// change returns what is at a path with the edit made. Tables on the way to a
// new key are made.
func (r *renderer) change(at any, path []string, e Edit) (any, error) {
	if len(path) == 0 {
		return r.apply(at, e)
	}
	switch v := at.(type) {
	case map[string]any:
		changed, err := r.change(v[path[0]], path[1:], e)
		if err == nil {
			v[path[0]] = changed
		}
		return v, err
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(v) {
			return nil, fmt.Errorf("there is no element %s in a list of %d", path[0], len(v))
		}
		changed, err := r.change(v[i], path[1:], e)
		if err == nil {
			v[i] = changed
		}
		return v, err
	case nil:
		if e.Replace != "" {
			return nil, fmt.Errorf("there is no %s", path[0])
		}
		return r.change(map[string]any{}, path, e)
	}
	return nil, fmt.Errorf("%s is in neither a table nor a list", path[0])
}

func (r *renderer) apply(at any, e Edit) (any, error) {
	switch {
	case e.Replace != "":
		text, ok := at.(string)
		if !ok || !strings.Contains(text, e.Replace) {
			return nil, fmt.Errorf("the text %q is not there", e.Replace)
		}
		with, err := r.places.expand(r.entry.Name, e.With)
		return strings.ReplaceAll(text, e.Replace, with), err
	case e.Append != nil:
		list, ok := at.([]any)
		if !ok && at != nil {
			return nil, fmt.Errorf("it is no list")
		}
		element, err := r.places.expandAny(r.entry.Name, e.Append)
		return append(list, element), err
	}
	return r.places.expandAny(r.entry.Name, e.Set)
}
