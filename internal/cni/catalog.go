package cni

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"sigs.k8s.io/yaml"
)

// Plugin is one file of the catalog: what all variants of a plugin share.
type Plugin struct {
	Name            string            `json:"name"`
	Title           string            `json:"title"`
	Version         string            `json:"version"`
	License         string            `json:"license"`
	Chart           string            `json:"chart"` // Helm chart, by the name it is supplied under
	Namespace       string            `json:"namespace"`
	NamespaceLabels map[string]string `json:"namespaceLabels"`
	// Values are merged under a variant's. ${podCIDR} stands for the cluster's.
	Values    map[string]any `json:"values"`
	Ready     Ready          `json:"ready"`
	Agents    string         `json:"agents"`    // label selector of the pods that are the plugin
	KubeProxy string         `json:"kubeProxy"` // "required" or "" for either way
	Enforces  string         `json:"enforces"`  // "none" or "NetworkPolicy"

	Variants map[string]Variant `json:"variants"`
}

// Ready lists what must be complete before nodes are expected to be ready.
type Ready struct {
	DaemonSets []string `json:"daemonSets"`
	// Files that the agent writes on every node once it works. Some agents
	// have no readiness probe: their pods are ready as soon as they start.
	Files []string `json:"files"`
}

// Variant is one configuration of a plugin.
type Variant struct {
	Title         string         `json:"title"`
	Aliases       []string       `json:"aliases"`
	HostNetwork   bool           `json:"hostNetwork"` // load pods use their node's network
	Encapsulation Encapsulation  `json:"encapsulation"`
	Values        map[string]any `json:"values"`
}

// Encapsulation is what a tunnel adds to every packet, in bytes of the link's
// MTU.
type Encapsulation struct {
	Protocol string `json:"protocol"`
	Bytes    int    `json:"bytes"`
}

// Entry is a variant together with its plugin.
type Entry struct {
	Name    string
	Plugin  Plugin
	Variant Variant
}

//go:embed catalog/*.yaml
var builtin embed.FS

// Catalog holds every known variant by name.
type Catalog struct {
	entries map[string]Entry
	aliases map[string]string
}

// Builtin reads the catalog that cnibench carries.
func Builtin() (Catalog, error) {
	files, err := builtin.ReadDir("catalog")
	if err != nil {
		return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
	}
	c := Catalog{map[string]Entry{}, map[string]string{}}
	for _, f := range files {
		name := path.Join("catalog", f.Name())
		data, err := builtin.ReadFile(name)
		if err != nil {
			return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
		}
		if err := c.add(name, data); err != nil {
			return Catalog{}, err
		}
	}
	return c, nil
}

func (c Catalog) add(file string, data []byte) error {
	var p Plugin
	if err := yaml.UnmarshalStrict(data, &p); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	for name, v := range p.Variants {
		for _, n := range append([]string{name}, v.Aliases...) {
			if _, taken := c.Entry(n); taken {
				return fmt.Errorf("reading %s: variant %s is in the catalog twice", file, n)
			}
		}
		c.entries[name] = Entry{name, p, v}
		for _, alias := range v.Aliases {
			c.aliases[alias] = name
		}
	}
	return nil
}

// Names lists the variants, sorted, without aliases.
func (c Catalog) Names() []string { return slices.Sorted(maps.Keys(c.entries)) }

// Entry finds a variant by name or alias.
func (c Catalog) Entry(name string) (Entry, bool) {
	if full, ok := c.aliases[name]; ok {
		name = full
	}
	e, ok := c.entries[name]
	return e, ok
}

// None tells whether the variant installs nothing.
func (e Entry) None() bool { return e.Plugin.Chart == "" }
