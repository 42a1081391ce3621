package plan

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ValuesDigest is "sha256:" and the digest, in hexadecimal, of the user's Helm
// values as JSON with sorted keys and no white space; empty without values.
func (v Variant) ValuesDigest() string { return digest(v.Values) }

func digest(table map[string]any) string {
	if len(table) == 0 {
		return ""
	}
	canonical, err := encode(table)
	if err != nil {
		return "unknown: " + err.Error() // JSON lacks a value; Seal refuses such a plan
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical))
}

// Description says what a variant is in one line: its name, the catalog entry
// if it is another, the version, the start of the values' digest, and what of
// its lab and its load pods is its own. Such as
// "ours = cilium-kpr 1.15.19, values sha256:0f3a5be21c07".
func (v Variant) Description() string {
	var b strings.Builder
	b.WriteString(v.Name)
	if v.Name != v.Entry {
		b.WriteString(" = " + v.Entry)
	}
	if v.Version != "" {
		b.WriteString(" " + v.Version)
	}
	if v.MTU > 0 {
		fmt.Fprintf(&b, ", MTU %d", v.MTU)
	}
	if v.KubeProxy != "" {
		b.WriteString(", kube-proxy " + v.KubeProxy)
	}
	writeDigest(&b, "values", v.Values)
	writeDigest(&b, "pod template", v.PodTemplate)
	for i, key := range slices.Sorted(maps.Keys(v.NamespaceLabels)) {
		if i == 0 {
			b.WriteString(", namespace with")
		}
		b.WriteString(" " + key + "=" + v.NamespaceLabels[key])
	}
	if v.Definition != "" {
		b.WriteString(", from a catalog of the user's")
	}
	return b.String()
}

// writeDigest writes what a table is for and how its digest begins.
func writeDigest(b *strings.Builder, what string, table map[string]any) {
	const digits = len("sha256:") + 12
	if d := digest(table); len(d) > digits {
		b.WriteString(", " + what + " " + d[:digits])
	}
}
