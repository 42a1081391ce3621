package cni

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed catalog/*.yaml
var builtin embed.FS

// Catalog holds every known variant by name.
type Catalog struct {
	variants map[string]known
	aliases  map[string]string
}

// known is a variant with the plugin whose file it is in.
type known struct {
	plugin  Plugin
	variant Variant
}

// Builtin reads the catalog that cnibench carries.
func Builtin() (Catalog, error) {
	files, err := builtin.ReadDir("catalog")
	if err != nil {
		return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
	}
	c := Catalog{map[string]known{}, map[string]string{}}
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
			if _, taken := c.variants[c.Canonical(n)]; taken {
				return fmt.Errorf("reading %s: variant %s is in the catalog twice", file, n)
			}
		}
		c.variants[name] = known{p, v}
		for _, alias := range v.Aliases {
			c.aliases[alias] = name
		}
	}
	return nil
}

// Names lists the variants, sorted, without aliases.
func (c Catalog) Names() []string { return slices.Sorted(maps.Keys(c.variants)) }

// Aliases lists the other names of variants, by alias.
func (c Catalog) Aliases() map[string]string { return maps.Clone(c.aliases) }

// Canonical gives the name of the variant that an alias stands for, and any
// other name as it is.
func (c Catalog) Canonical(name string) string {
	if full, ok := c.aliases[name]; ok {
		return full
	}
	return name
}

// Entry finds a variant by name or alias, in the version that the choice means.
func (c Catalog) Entry(name string, choice Choice) (Entry, error) {
	name = c.Canonical(name)
	k, ok := c.variants[name]
	if !ok {
		return Entry{}, &UnknownVariantError{name}
	}
	return resolve(name, k.plugin, k.variant, choice)
}

// UnknownVariantError names a variant that the catalog does not have.
type UnknownVariantError struct{ Name string }

func (e *UnknownVariantError) Error() string {
	return fmt.Sprintf("the catalog has no variant %q", e.Name)
}
