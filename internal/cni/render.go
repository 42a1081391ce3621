package cni

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

// Manifests is a variant ready to apply: YAML documents and the SHA-256 of
// all of them, "sha256:…".
type Manifests struct {
	YAML   []byte
	Digest string
}

// Render makes a variant's manifests from a chart directory, offline and with
// the same bytes every time. A variant that installs nothing has none.
func (e Entry) Render(chartDir, podCIDR string) (Manifests, error) {
	if e.None() {
		return Manifests{}, nil
	}
	if chartDir == "" {
		return Manifests{}, fmt.Errorf("rendering %s: its chart %s is not at hand", e.Name, e.Install.Chart)
	}
	chart, err := loader.Load(chartDir)
	if err != nil {
		return Manifests{}, fmt.Errorf("rendering %s: loading chart: %w", e.Name, err)
	}
	values := copyTable(e.Install.Values)
	expand(values, map[string]string{"${podCIDR}": podCIDR})
	options := common.ReleaseOptions{Name: e.Plugin.Name, Namespace: e.Install.Namespace, Revision: 1, IsInstall: true}
	top, err := util.ToRenderValues(chart, values, options, common.DefaultCapabilities)
	if err != nil {
		return Manifests{}, fmt.Errorf("rendering %s: %w", e.Name, err)
	}
	rendered, err := engine.Render(chart, top)
	if err != nil {
		return Manifests{}, fmt.Errorf("rendering %s: %w", e.Name, err)
	}
	return join(e, rendered), nil
}

// join puts the namespace first and the chart's files after it, sorted.
func join(e Entry, rendered map[string]string) Manifests {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels:\n", e.Install.Namespace)
	for _, k := range slices.Sorted(maps.Keys(e.Install.NamespaceLabels)) {
		fmt.Fprintf(&b, "    %s: %s\n", k, e.Install.NamespaceLabels[k])
	}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			fmt.Fprintf(&b, "---\n# %s\n%s\n", name, rendered[name])
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return Manifests{[]byte(b.String()), "sha256:" + hex.EncodeToString(sum[:])}
}

// copyTable copies nested tables, because merging changes them in place.
func copyTable(t map[string]any) map[string]any {
	c := make(map[string]any, len(t))
	for k, v := range t {
		if table, ok := v.(map[string]any); ok {
			v = copyTable(table)
		}
		c[k] = v
	}
	return c
}

// expand replaces values that are placeholders.
func expand(t map[string]any, replacements map[string]string) {
	for k, v := range t {
		switch v := v.(type) {
		case map[string]any:
			expand(v, replacements)
		case string:
			if r, ok := replacements[v]; ok {
				t[k] = r
			}
		}
	}
}
