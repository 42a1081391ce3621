package campaign

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

const listVariants = `"cnibench variants list" shows them`

// variantKeys are the keys of a variant that is written as a mapping.
var variantKeys = keys{
	valid: []string{"variant", "as"},
	later: map[string]string{
		"version": "remove it: the catalog fixes the version, see \"cnibench variants list\"",
		"values":  "remove it: the catalog fixes the configuration, see \"cnibench variants list\"",
	},
}

// variants also returns their names when all of them are good.
func (d *decoder) variants(n *yaml.Node) ([]Variant, []string) {
	before := len(d.problems)
	elements, ok := d.list(n, "variants", "write variants: [host, …]; "+listVariants)
	if !ok {
		return nil, nil
	}
	var variants []Variant
	var names []string
	line := map[string]int{}
	for _, e := range elements {
		v, ok := d.variant(e)
		if !ok {
			continue
		}
		if first, taken := line[v.Name]; taken {
			d.report(e, fmt.Sprintf("the name %q is taken by the variant on line %d", v.Name, first),
				fmt.Sprintf("give it another name: {variant: %s, as: %s-twin}", v.Entry, v.Entry))
			continue
		}
		line[v.Name] = e.Line
		variants = append(variants, v)
		names = append(names, v.Name)
	}
	if len(d.problems) > before {
		return variants, nil
	}
	return variants, names
}

// variant reads NAME or {variant: NAME, as: OTHER_NAME}.
func (d *decoder) variant(n *yaml.Node) (Variant, bool) {
	if n.Kind != yaml.MappingNode {
		entry, ok := d.entry(n)
		return Variant{Name: entry, Entry: entry}, ok
	}
	before := len(d.problems)
	fields, _ := d.object(n, "a variant", variantKeys)
	var v Variant
	if name := d.required(n, fields, "variant", "add variant: NAME; "+listVariants); name != nil {
		v.Entry, _ = d.entry(name)
		v.Name = v.Entry
	}
	if as := fields["as"]; as != nil {
		d.label(as, "as", &v.Name)
	}
	return v, len(d.problems) == before
}

// entry reads the name of an entry of the catalog.
func (d *decoder) entry(n *yaml.Node) (string, bool) {
	var name string
	if !d.text(n, "a variant", &name) {
		return "", false
	}
	if !slices.Contains(d.known.Variants, name) {
		d.report(n, "unknown variant "+describe(n), didYouMean(name, d.known.Variants, listVariants))
		return "", false
	}
	return name, true
}

// defaultBase returns the name of the first variant that is the host baseline,
// else of the first variant.
func defaultBase(variants []Variant) string {
	for _, v := range variants {
		if v.Entry == "host" {
			return v.Name
		}
	}
	if len(variants) == 0 {
		return ""
	}
	return variants[0].Name
}
