package cni

import (
	"errors"
	"slices"
)

// Criteria say how a plugin meets the five criteria by which the benchmark
// published in 2024 chose: maintained, independent of vendors and hardware, not
// a meta-plugin, network policies, simple to install.
type Criteria struct {
	Plugin     string `json:"plugin"`
	Released   string `json:"released"`   // date of the newest release that the catalog pins
	Neutral    string `json:"neutral"`    // "yes" or why not; empty: not looked up
	Standalone string `json:"standalone"` // likewise
	Policies   bool   `json:"policies"`   // any variant enforces NetworkPolicy
	Install    string `json:"install"`    // "chart", "manifest" or empty
	Remark     string `json:"remark"`     // why it is excluded
}

// Criteria gathers them from what the plugin's file says.
func (p Plugin) Criteria() Criteria {
	c := Criteria{Plugin: p.Title, Policies: p.Enforces.NetworkPolicy, Remark: p.Excluded}
	for _, v := range p.Versions {
		c.Released = max(c.Released, v.Released)
	}
	for _, f := range p.Facts {
		switch f.Name {
		case "vendor-neutral":
			c.Neutral = f.Value
		case "standalone":
			c.Standalone = f.Value
		}
	}
	for _, v := range p.Variants {
		c.Policies = c.Policies || v.Enforces != nil && v.Enforces.NetworkPolicy
	}
	switch {
	case p.Install.Chart != "":
		c.Install = "chart"
	case p.Install.Manifest != "" || p.Install.Inline != "":
		c.Install = "manifest"
	}
	return c
}

// Versions lists the versions of a variant, the default first; an unknown
// variant has none.
func (c Catalog) Versions(name string) []string {
	first, err := c.Entry(name, Choice{})
	if err != nil || first.Version == "" {
		return nil
	}
	all := []string{first.Version}
	for _, v := range first.Plugin.Versions {
		_, err := c.Entry(name, Choice{Version: v.Version})
		var unknown *UnknownVersionError
		if !errors.As(err, &unknown) && !slices.Contains(all, v.Version) {
			all = append(all, v.Version)
		}
	}
	return all
}
