package plan

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// ValuesDigest is "sha256:" and the digest, in hexadecimal, of the user's Helm
// values as JSON with sorted keys and no white space; empty without values.
func (v Variant) ValuesDigest() string {
	if len(v.Values) == 0 {
		return ""
	}
	canonical, err := encode(v.Values)
	if err != nil {
		return "unknown: " + err.Error() // JSON lacks a value; Seal refuses such a plan
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical))
}

// Description says what a variant is in one line: its name, the catalog entry
// if it is another, the version, and the start of the values' digest. Such as
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
	const digits = len("sha256:") + 12
	if digest := v.ValuesDigest(); len(digest) > digits {
		b.WriteString(", values " + digest[:digits])
	}
	if v.Definition != "" {
		b.WriteString(", from a catalog of the user's")
	}
	return b.String()
}
