package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
)

// catalogUsage describes the flag --catalog.
const catalogUsage = "directory with catalog entries of your own"

// definitions are digests of the entries that are the user's own, by name.
type definitions map[string]string

// loadCatalog reads cnibench's own catalog and, unless dir is empty, the
// user's beside it.
func loadCatalog(dir string) (cni.Catalog, definitions, error) {
	if dir == "" {
		catalog, err := cni.Builtin()
		return catalog, nil, err
	}
	catalog, err := cni.Load(dir)
	if err != nil {
		return cni.Catalog{}, nil, usage(err, "--catalog takes a directory with one YAML file for each plugin; `cnibench variants show NAME` prints one")
	}
	own, err := definitionsOf(catalog)
	return catalog, own, err
}

// definitionsOf makes a digest of everything that the user's catalog says of
// each variant, whatever its version.
func definitionsOf(catalog cni.Catalog) (definitions, error) {
	own := definitions{}
	for _, name := range catalog.Names() {
		entry, err := catalog.Entry(name, cni.Choice{})
		if err != nil {
			return nil, err
		}
		if entry.File == "" {
			continue
		}
		plugin := entry.Plugin
		plugin.Variants = nil // a sister is no part of it
		text, err := json.Marshal([]any{name, plugin, entry.Variant})
		if err != nil {
			return nil, fmt.Errorf("making a digest of variant %s: %w", name, err)
		}
		own[name] = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	}
	return own, nil
}

// check makes sure that the entries of the user's own catalog are those that
// the plan was made with.
func (own definitions) check(p plan.Plan) error {
	for _, v := range p.Variants {
		switch own[v.Entry] {
		case v.Definition:
		case "":
			return usage(fmt.Errorf("variant %s is from a catalog of your own, which is not given", v.Name),
				"add --catalog DIR, the directory that the run was started with")
		default:
			return usage(fmt.Errorf("the catalog's entry %s has changed since the run was started", v.Entry),
				"bring the old file back, or start a new run")
		}
	}
	return nil
}
