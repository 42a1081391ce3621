package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/cnibench/cnibench/internal/cni"
)

func newVariantsShow(s streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "show NAME[@VERSION]",
		Short:   "show all that the catalog says of a variant",
		Long:    "show prints what the catalog says of a variant: how it is installed, what it\nneeds, when it is ready, what it leaves behind, and facts with their sources.\n\nExit status: 0 shown, 2 usage.",
		Example: "  cnibench variants show cilium-kpr@1.17.5",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			catalog, _, err := loadCatalog(dir)
			if err != nil {
				return err
			}
			e, err := chooseEntry(catalog, args[0], nil)
			if err != nil {
				return err
			}
			return showEntry(s.out, catalog, e)
		},
	}
	cmd.Flags().StringVar(&dir, "catalog", "", catalogUsage)
	return cmd
}

// chooseEntry finds NAME[@VERSION] for people who type it.
func chooseEntry(catalog cni.Catalog, name string, values map[string]any) (cni.Entry, error) {
	name, version := cni.ParseName(name)
	e, err := catalog.Entry(name, cni.Choice{Version: version, Values: values})
	if err != nil {
		hint := "`cnibench variants list` shows what there is"
		if versions := catalog.Versions(name); len(versions) > 0 {
			hint = "it has " + strings.Join(versions, ", ")
		}
		return e, usage(err, hint)
	}
	return e, nil
}

func showEntry(w io.Writer, catalog cni.Catalog, e cni.Entry) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-14s %s\n", name, value)
		}
	}
	line("variant", e.Name)
	line("", e.Variant.Title)
	line("plugin", e.Plugin.Title+", "+e.Plugin.License)
	line("aliases", strings.Join(e.Variant.Aliases, ", "))
	line("version", e.Version)
	line("versions", strings.Join(catalog.Versions(e.Name), ", "))
	line("verified", verified(e))
	line("excluded", e.Plugin.Excluded)
	line("from", e.File)
	line("services", map[string]string{"kube-proxy": "needs kube-proxy", "plugin": "carries Services itself; kube-proxy must be absent"}[e.Services])
	sections := []struct {
		name  string
		value any
	}{
		{"encapsulation", e.Encapsulation}, {"enforces", e.Enforces}, {"requires", e.Requires}, {"install", e.Install}, {"ready", e.Ready},
		{"agents", e.Agents}, {"counters", e.Plugin.Counters}, {"leaves", e.Plugin.Leaves},
	}
	for _, section := range sections {
		text, err := compact(section.value)
		if err != nil {
			return err
		}
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s", section.name, text)
		}
	}
	showFacts(&b, slices.Concat(e.Plugin.Facts, e.Variant.Facts), slices.Concat(e.Plugin.Notes, e.Variant.Notes))
	_, err := io.WriteString(w, b.String())
	return err
}

func showFacts(b *strings.Builder, facts []cni.Fact, notes []string) {
	if len(facts) > 0 {
		b.WriteString("\nfacts, read and not measured\n")
	}
	for _, f := range facts {
		fmt.Fprintf(b, "  %s: %s\n      %s, %s\n", f.Name, f.Value, f.Source, f.Date)
	}
	if len(notes) > 0 {
		b.WriteString("\nnotes\n")
	}
	for _, n := range notes {
		fmt.Fprintf(b, "  %s\n", n)
	}
}

// compact writes a value as indented YAML without what is empty.
func compact(v any) (string, error) {
	text, err := yaml.Marshal(v)
	if err != nil {
		return "", err
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return "", err
	}
	plain = withoutEmpty(plain)
	if plain == nil {
		return "", nil
	}
	if text, err = yaml.Marshal(plain); err != nil {
		return "", err
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n", nil
}

// withoutEmpty drops empty text, lists and tables, zero and false, except in
// values of charts, where they mean something.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if key == "values" && value != nil {
				continue
			}
			if value = withoutEmpty(value); value == nil {
				delete(v, key)
			} else {
				v[key] = value
			}
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case string, float64, bool:
		if v == "" || v == 0.0 || v == false {
			return nil
		}
	}
	return v
}
