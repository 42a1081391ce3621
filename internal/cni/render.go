package cni

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni/charts"
)

// ChartSource has charts and manifests.
type ChartSource = charts.Source

// Manifests is a variant ready to apply.
type Manifests struct {
	// YAML holds documents in the order in which they are applied: the
	// namespace first, custom resource definitions before what uses them.
	YAML []byte
	// Digest is the SHA-256 of YAML, "sha256:…". Where a variant has a random
	// key it is that with a fixed one: the same variant has the same digest.
	Digest string
	Images []string // that its pods name, sorted; an operator may start more
	Hooks  []Hook   // of charts, that are for other times than installation
	Key    string   // the random one in YAML; empty: there is none
}

// Hook is an object that a chart has for another time: before or after its
// deletion, upgrade or rollback. Nothing applies it.
type Hook struct {
	Kind, Namespace, Name string
	Events                []string // "pre-delete"
}

// Render makes a variant's manifests. It is pure once charts and manifests are
// at hand, but for a random key. A variant that installs nothing has none.
func (e Entry) Render(ctx context.Context, from ChartSource, site cluster.Site) (Manifests, error) {
	return e.RenderWith(ctx, from, site, "")
}

// RenderWith makes manifests with the random key of others, where they have one
// and these need one: an upgrade changes no keys.
func (e Entry) RenderWith(ctx context.Context, from ChartSource, site cluster.Site, key string) (Manifests, error) {
	if e.None() {
		return Manifests{}, nil
	}
	m, random, err := e.render(ctx, from, site, fixedKey)
	if err != nil {
		return Manifests{}, fmt.Errorf("rendering %s: %w", e.Name, err)
	}
	if !random {
		return m, nil
	}
	if key == "" {
		made := make([]byte, len(fixedKey)/2)
		if _, err := rand.Read(made); err != nil {
			return Manifests{}, fmt.Errorf("rendering %s: making a key: %w", e.Name, err)
		}
		key = hex.EncodeToString(made)
	}
	real, _, err := e.render(ctx, from, site, key)
	if err != nil {
		return Manifests{}, fmt.Errorf("rendering %s: %w", e.Name, err)
	}
	m.YAML, m.Key = real.YAML, key
	return m, nil
}

// render makes manifests with a given key and tells whether they hold it.
func (e Entry) render(ctx context.Context, from ChartSource, site cluster.Site, key string) (Manifests, bool, error) {
	r := renderer{entry: e, from: from, site: site, places: placesOf(e, site, key)}
	all := []*unstructured.Unstructured{}
	if n := r.namespace(); n != nil {
		all = append(all, n)
	}
	for _, part := range slices.Concat(e.Install.Before, []Source{e.Install}, e.Install.After) {
		objects, err := r.part(ctx, part)
		if err != nil {
			return Manifests{}, false, err
		}
		all = append(all, objects...)
	}
	images, err := imagesOf(all, e.File != "")
	if err != nil {
		return Manifests{}, false, err
	}
	text, err := encode(all)
	if err != nil {
		return Manifests{}, false, err
	}
	sum := sha256.Sum256(text)
	m := Manifests{YAML: text, Digest: "sha256:" + hex.EncodeToString(sum[:]), Images: images, Hooks: r.hooks}
	return m, r.places.used["randomKey"], nil
}

// encode writes objects as YAML documents with sorted keys.
func encode(objects []*unstructured.Unstructured) ([]byte, error) {
	var text []byte
	for i, o := range objects {
		if i > 0 {
			text = append(text, "---\n"...)
		}
		document, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, fmt.Errorf("writing %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		text = append(text, document...)
	}
	return text, nil
}

// renderer makes the parts of one variant.
type renderer struct {
	entry  Entry
	from   ChartSource
	site   cluster.Site
	places places
	hooks  []Hook
}

// namespace makes the object of the plugin's namespace, unless every cluster
// has it: what is applied is removed again.
func (r *renderer) namespace() *unstructured.Unstructured {
	i := r.entry.Install
	if slices.Contains([]string{"", "default", "kube-system", "kube-public", "kube-node-lease"}, i.Namespace) {
		return nil
	}
	n := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	n.SetName(i.Namespace)
	if len(i.NamespaceLabels) > 0 {
		n.SetLabels(i.NamespaceLabels)
	}
	return n
}

// part renders a chart or reads a manifest, and makes its edits.
func (r *renderer) part(ctx context.Context, s Source) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var err error
	switch {
	case s.Chart != "":
		objects, err = r.chart(ctx, s)
	case s.Inline != "":
		objects, err = r.inline(s)
	default:
		objects, err = r.manifest(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	for _, edit := range s.Edits {
		if err := r.edit(objects, edit); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

func (r *renderer) inline(s Source) ([]*unstructured.Unstructured, error) {
	text, err := r.places.expand(r.entry.Name, s.Inline)
	if err != nil {
		return nil, err
	}
	return cluster.Decode([]byte(text))
}

// manifest gets an upstream manifest. Its own text is upstream's: only its
// address has placeholders of ours.
func (r *renderer) manifest(ctx context.Context, s Source) ([]*unstructured.Unstructured, error) {
	address, err := r.places.expand(r.entry.Name, s.Manifest)
	if err != nil {
		return nil, err
	}
	data, err := r.from.Manifest(ctx, address)
	if err != nil {
		return nil, err
	}
	objects, err := cluster.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return objects, nil
}
