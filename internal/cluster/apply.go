package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

// fieldManager owns the fields that cnibench applies.
const fieldManager = "cnibench"

// Decode reads a stream of YAML documents, skipping empty ones.
func Decode(manifests []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096)
	var objects []*unstructured.Unstructured
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decoding manifest %d: %w", len(objects)+1, err)
		}
		if len(u.Object) > 0 {
			objects = append(objects, u)
		}
	}
}

// applyTimeout bounds the wait for what an object needs: that its kind is
// established, or that a webhook that its manifests bring answers.
const applyTimeout = time.Minute

// Apply creates or updates objects by server-side apply: namespaces first, then
// custom resource definitions, which must be established before the rest, in
// the given order, follows.
func (c *Cluster) Apply(ctx context.Context, objects []*unstructured.Unstructured) error {
	first, definitions, rest := stages(objects)
	for _, u := range slices.Concat(first, definitions) {
		if err := c.apply(ctx, u); err != nil {
			return err
		}
	}
	for _, u := range definitions {
		if err := c.awaitEstablished(ctx, u.GetName()); err != nil {
			return err
		}
	}
	for _, u := range rest {
		err := Until(ctx, applyTimeout, "the API to take it", func(ctx context.Context) error {
			err := c.apply(ctx, u)
			if err == nil || meta.IsNoMatchError(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) {
				return err
			}
			return &fatalError{err}
		})
		var final *fatalError
		if errors.As(err, &final) {
			return final.error
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stages sorts objects by when they are applied.
func stages(objects []*unstructured.Unstructured) (namespaces, definitions, rest []*unstructured.Unstructured) {
	for _, u := range objects {
		switch u.GetKind() {
		case "Namespace":
			namespaces = append(namespaces, u)
		case "CustomResourceDefinition":
			definitions = append(definitions, u)
		default:
			rest = append(rest, u)
		}
	}
	return namespaces, definitions, rest
}

func (c *Cluster) apply(ctx context.Context, u *unstructured.Unstructured) error {
	resource, err := c.resource(u.GroupVersionKind(), u.GetNamespace())
	if err != nil {
		return fmt.Errorf("applying %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	_, err = resource.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		return fmt.Errorf("applying %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// resource finds the client for a kind. Kinds that a manifest has just defined
// are looked up anew.
func (c *Cluster) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		meta.MaybeResetRESTMapper(c.mapper)
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(namespace), nil
}
