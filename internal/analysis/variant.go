package analysis

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Variant says what one variant of the plan is.
type Variant struct {
	Name  string `json:"name"`
	Entry string `json:"entry"` // of the catalog
	// Plugin is how its project writes it; empty if no cluster came up.
	Plugin  string `json:"plugin,omitempty"`
	Version string `json:"version,omitempty"` // empty: nothing is installed
	// Values is the digest of the user's own Helm values, empty without any.
	Values string `json:"values,omitempty"`
	// Verified is that of result.Variant.
	Verified string `json:"verified,omitempty"`
}

// describeVariants lists what was planned, with what the environment says of
// it.
func describeVariants(p plan.Plan, env result.Environment) []Variant {
	list := []Variant{}
	for _, planned := range p.Variants {
		v := Variant{Name: planned.Name, Entry: planned.Entry, Version: planned.Version, Values: planned.ValuesDigest()}
		if ran, ok := env.Variants[planned.Name]; ok {
			v.Plugin, v.Verified = ran.Plugin, ran.Verified
			if ran.Version != "" {
				v.Version = ran.Version
			}
		}
		list = append(list, v)
	}
	return list
}

// Title is the variant's name and, in parentheses, what the name leaves out:
// "cilium-kpr (Cilium 1.15.19)", "ours (cilium-kpr, Cilium 1.15.19, own values)".
func (v Variant) Title() string {
	var parts []string
	if v.Name != v.Entry {
		parts = append(parts, v.Entry)
	}
	if v.Version != "" {
		parts = append(parts, strings.TrimSpace(v.Plugin+" "+v.Version))
	}
	if v.Values != "" {
		parts = append(parts, "own values")
	}
	if len(parts) == 0 {
		return v.Name
	}
	return fmt.Sprintf("%s (%s)", v.Name, strings.Join(parts, ", "))
}

// unverifiedWarnings names the variants whose catalog entry nobody has tried.
// Environments of earlier versions do not say, and a user's own entries are
// the user's to try.
func unverifiedWarnings(a Analysis) []result.Warning {
	var titles []string
	for i, v := range a.Variants {
		if v.Plugin != "" && v.Version != "" && v.Verified == "" && a.Plan.Variants[i].Definition == "" {
			titles = append(titles, v.Title())
		}
	}
	if len(titles) == 0 {
		return nil
	}
	return []result.Warning{{
		Code:    "unverified",
		Message: "the catalog's entry was never rendered or installed by its authors in this version: " + strings.Join(titles, ", "),
		Hint:    "its configuration was read, not tried; look at the facts and digests of the variant before you rely on it",
	}}
}
