package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// definitions is the resource of custom resource definitions.
var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

const establishTimeout = time.Minute

// Definition is a custom resource definition.
type Definition struct {
	Name    string // "ciliumnodes.cilium.io"
	Group   string
	Version string // one that is served
	Kind    string
	Plural  string
}

// Object names the definition itself.
func (d Definition) Object() Object {
	return Object{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: d.Name}
}

// Definitions lists the custom resource definitions of API groups and of their
// subgroups: of projectcalico.org also crd.projectcalico.org.
func (c *Cluster) Definitions(ctx context.Context, groups []string) ([]Definition, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	list, err := c.dynamic.Resource(definitions).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing custom resource definitions: %w", err)
	}
	var found []Definition
	for i := range list.Items {
		d := definitionOf(&list.Items[i])
		if inGroups(d.Group, groups) {
			found = append(found, d)
		}
	}
	return found, nil
}

func inGroups(group string, groups []string) bool {
	return slices.ContainsFunc(groups, func(g string) bool { return group == g || strings.HasSuffix(group, "."+g) })
}

func definitionOf(u *unstructured.Unstructured) Definition {
	d := Definition{Name: u.GetName()}
	d.Group, _, _ = unstructured.NestedString(u.Object, "spec", "group")
	d.Kind, _, _ = unstructured.NestedString(u.Object, "spec", "names", "kind")
	d.Plural, _, _ = unstructured.NestedString(u.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(u.Object, "spec", "versions")
	for _, v := range versions {
		if fields, ok := v.(map[string]any); ok && fields["served"] == true {
			d.Version, _ = fields["name"].(string)
		}
	}
	return d
}

// CustomResource is an object of a Definition.
type CustomResource struct {
	Object
	Finalizers []string // of controllers that want to clean up before it goes
}

// CustomResources lists the objects of a definition, in all namespaces.
func (c *Cluster) CustomResources(ctx context.Context, d Definition) ([]CustomResource, error) {
	resource := schema.GroupVersionResource{Group: d.Group, Version: d.Version, Resource: d.Plural}
	list, err := c.dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", d.Name, err)
	}
	var found []CustomResource
	for i := range list.Items {
		found = append(found, CustomResource{ObjectOf(&list.Items[i]), list.Items[i].GetFinalizers()})
	}
	return found, nil
}

// awaitEstablished returns when objects of a definition can be made.
func (c *Cluster) awaitEstablished(ctx context.Context, name string) error {
	return Until(ctx, establishTimeout, "the API to know "+name, func(ctx context.Context) error {
		u, err := c.dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, one := range conditions {
			if fields, ok := one.(map[string]any); ok && fields["type"] == "Established" && fields["status"] == "True" {
				return nil
			}
		}
		return errors.New("it is not established")
	})
}
