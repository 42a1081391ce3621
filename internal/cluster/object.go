package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Object names an object of any kind.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// ObjectOf names an object.
func ObjectOf(u *unstructured.Unstructured) Object {
	return Object{u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName()}
}

func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Group is the API group; empty for the core.
func (o Object) Group() string { return o.gvk().Group }

func (o Object) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
}

// Exists tells whether an object is there. Of a kind that the API does not know
// there are none.
func (c *Cluster) Exists(ctx context.Context, o Object) (bool, error) {
	_, err := c.get(ctx, o)
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", o, err)
	}
	return true, nil
}

func (c *Cluster) get(ctx context.Context, o Object) (*unstructured.Unstructured, error) {
	resource, err := c.resource(o.gvk(), o.Namespace)
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, o.Name, metav1.GetOptions{})
}

// Delete asks for an object to be deleted, and what it owns after it. An object
// that is not there is deleted already.
func (c *Cluster) Delete(ctx context.Context, o Object) error {
	resource, err := c.resource(o.gvk(), o.Namespace)
	if err == nil {
		background := metav1.DeletePropagationBackground
		err = resource.Delete(ctx, o.Name, metav1.DeleteOptions{PropagationPolicy: &background})
	}
	if err != nil && !absent(err) {
		return fmt.Errorf("deleting %s: %w", o, err)
	}
	return nil
}

// ReleaseFinalizers lets an object go that waits for a controller which is not
// there any more.
func (c *Cluster) ReleaseFinalizers(ctx context.Context, o Object) error {
	resource, err := c.resource(o.gvk(), o.Namespace)
	if err == nil {
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		_, err = resource.Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
	}
	if err != nil && !absent(err) {
		return fmt.Errorf("releasing %s: %w", o, err)
	}
	return nil
}

// absent tells whether an error says that there is no such object or kind.
func absent(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// Condition says whether an object of a resource, such as tigerastatus, has a
// condition that is true; if not, why is what it says itself.
func (c *Cluster) Condition(ctx context.Context, resource, name, condition string) (why string, ok bool, err error) {
	gvk, err := c.mapper.KindFor(schema.GroupVersionResource{Resource: resource})
	if meta.IsNoMatchError(err) {
		meta.MaybeResetRESTMapper(c.mapper)
		gvk, err = c.mapper.KindFor(schema.GroupVersionResource{Resource: resource})
	}
	if err != nil {
		return "", false, err
	}
	u, err := c.get(ctx, Object{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Name: name})
	if err != nil {
		return "", false, err
	}
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return "", false, err
	}
	for _, one := range conditions {
		fields, isTable := one.(map[string]any)
		if isTable && fields["type"] == condition {
			message, _ := fields["message"].(string)
			return message, fields["status"] == "True", nil
		}
	}
	return "it has no condition " + condition + " yet", false, nil
}
