package cni

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/document"
)

//go:embed catalog/*.yaml
var builtin embed.FS

// Schema is the JSON Schema (draft 2020-12) of a file of the catalog.
//
//go:embed catalog.schema.json
var Schema []byte

// Catalog holds every known variant by name.
type Catalog struct {
	variants map[string]known
	aliases  map[string]string
	plugins  []Plugin
}

// known is a variant with the plugin whose file it is in.
type known struct {
	file    string // empty: cnibench's own
	plugin  Plugin
	variant Variant
}

// Builtin reads the catalog that cnibench carries.
func Builtin() (Catalog, error) {
	files, err := builtin.ReadDir("catalog")
	if err != nil {
		return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
	}
	c := empty()
	for _, f := range files {
		name := path.Join("catalog", f.Name())
		data, err := builtin.ReadFile(name)
		if err != nil {
			return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
		}
		if err := c.add(name, data, ""); err != nil {
			return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
		}
	}
	return c, nil
}

// Load reads the catalog that cnibench carries and every *.yaml of the given
// directories, each a plugin. They may not define a name that is taken.
func Load(dirs ...string) (Catalog, error) {
	c, err := Builtin()
	if err != nil {
		return Catalog{}, err
	}
	for _, dir := range dirs {
		if err := c.addDirectory(dir); err != nil {
			return Catalog{}, fmt.Errorf("reading the catalog: %w", err)
		}
	}
	return c, nil
}

func (c *Catalog) addDirectory(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); f.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		found = true
		name := filepath.Join(dir, f.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := c.add(name, data, name); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has no *.yaml", dir)
	}
	return nil
}

func empty() Catalog { return Catalog{variants: map[string]known{}, aliases: map[string]string{}} }

// add reads a file of the catalog. own is its path if it is the user's.
func (c *Catalog) add(name string, data []byte, own string) error {
	p, f, err := decode(name, data)
	if err != nil {
		return err
	}
	if err := f.validate(p); err != nil {
		return err
	}
	if err := f.readManifests(&p, own); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Variants)) {
		v := p.Variants[name]
		for i, n := range append([]string{name}, v.Aliases...) {
			if _, taken := c.variants[c.Canonical(n)]; taken {
				at := "variants." + name
				if i > 0 {
					at += fmt.Sprintf(".aliases.%d", i-1)
				}
				return f.fault(at, "the name %s is taken; choose another", n)
			}
		}
		c.variants[name] = known{own, p, v}
		for _, alias := range v.Aliases {
			if _, taken := c.variants[c.Canonical(alias)]; taken {
				return f.fault("variants."+name+".aliases", "the name %s is there twice", alias)
			}
			c.aliases[alias] = name
		}
	}
	c.plugins = append(c.plugins, p)
	return nil
}

// readManifests brings the manifests that are files beside a catalog file into
// it, so that everything that describes a variant is in one place.
func (f file) readManifests(p *Plugin, own string) error {
	read := func(at string, s *Source) error {
		if s.Manifest == "" || strings.Contains(s.Manifest, "://") {
			return nil
		}
		if own == "" {
			return f.fault(at+".manifest", "a manifest must be an address: https://…")
		}
		name := s.Manifest
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(own), name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return f.fault(at+".manifest", "%v; a manifest is an https:// address or a file, relative to this one", err)
		}
		s.Inline = string(data)
		return nil
	}
	err := eachSource("install", &p.Install, read)
	for name, v := range p.Variants {
		err = errors.Join(err, eachSource("variants."+name+".install", &v.Install, read))
		p.Variants[name] = v
	}
	return err
}

// eachSource visits a source and the parts before and after it.
func eachSource(at string, s *Source, visit func(at string, s *Source) error) error {
	err := visit(at, s)
	for i := range s.Before {
		err = errors.Join(err, eachSource(fmt.Sprintf("%s.before.%d", at, i), &s.Before[i], visit))
	}
	for i := range s.After {
		err = errors.Join(err, eachSource(fmt.Sprintf("%s.after.%d", at, i), &s.After[i], visit))
	}
	return err
}

// Names lists the variants, sorted, without aliases.
func (c Catalog) Names() []string { return slices.Sorted(maps.Keys(c.variants)) }

// Plugins lists the plugins as their files have them, also those without
// variants: they are excluded, and say why.
func (c Catalog) Plugins() []Plugin { return slices.Clone(c.plugins) }

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

// ParseName splits NAME@VERSION; without @ the version is empty.
func ParseName(s string) (name, version string) {
	name, version, _ = strings.Cut(s, "@")
	return name, version
}

// Entry finds a variant by name or alias, in the version that the choice means.
func (c Catalog) Entry(name string, choice Choice) (Entry, error) {
	k, ok := c.variants[c.Canonical(name)]
	if !ok {
		return Entry{}, &UnknownVariantError{Name: name, Near: c.near(name)}
	}
	e, err := resolve(c.Canonical(name), k.plugin, k.variant, choice)
	e.File = k.file
	return e, err
}

func (c Catalog) near(name string) string {
	best, _ := document.Nearest(name, append(c.Names(), keysOf(c.aliases)...))
	return best
}

// UnknownVariantError names a variant that the catalog does not have.
type UnknownVariantError struct {
	Name string
	Near string // the nearest name that it has, or empty
}

func (e *UnknownVariantError) Error() string {
	text := fmt.Sprintf("the catalog has no variant %q", e.Name)
	if e.Near != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return text
}

// Hint says where the names are.
func (e *UnknownVariantError) Hint() string { return "`cnibench variants list` shows what there is" }
