package campaign

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

const listVariants = `"cnibench variants list" shows them`

// variantKeys are the keys of a variant that is written as a mapping.
var variantKeys = document.Keys{Valid: []string{"variant", "version", "values", "as", "kubeProxy", "podTemplate", "namespaceLabels"}}

// arm is a variant on its way to its name.
type arm struct {
	Variant
	node    *yaml.Node // of the element of the list
	info    VariantInfo
	written string // its name in the file, without version
	as      string // empty: the name follows from the others
}

// variants also returns their names when all of them are good.
func (d *decoder) variants(n *yaml.Node, cluster Cluster) ([]Variant, []string) {
	before := len(d.Problems)
	elements, ok := d.List(n, "variants", "write variants: [host, …]; "+listVariants)
	if !ok {
		return nil, nil
	}
	// A cluster with a mistake in it is none yet, and most are labs.
	lab := cluster.Existing == nil && cluster.Command == nil
	var arms []arm
	for _, e := range elements {
		if a, ok := d.variant(e, lab); ok {
			arms = append(arms, a)
		}
	}
	nameArms(arms)
	var variants []Variant
	var names []string
	for i, a := range arms {
		if !d.distinctFrom(a, arms[:i]) {
			continue
		}
		for _, v := range d.byMTU(a, cluster.mtus()) {
			variants = append(variants, v)
			names = append(names, v.Name)
		}
	}
	d.variantsFit(arms, cluster)
	if len(d.Problems) > before {
		return variants, nil
	}
	return variants, names
}

// variant reads NAME, NAME@VERSION or
// {variant: NAME, version: VERSION, values: …, as: OTHER_NAME, kubeProxy: MODE,
// podTemplate: …, namespaceLabels: …}.
func (d *decoder) variant(n *yaml.Node, lab bool) (arm, bool) {
	a := arm{node: n}
	before := len(d.Problems)
	name, given := n, document.Fields{}
	if n.Kind == yaml.MappingNode {
		given, _ = d.Object(n, "a variant", variantKeys)
		name = d.Required(n, given, "variant", "add variant: NAME; "+listVariants)
	}
	if name != nil {
		d.entry(name, given["version"], lab, &a)
	}
	if v := given["values"]; v != nil {
		a.Values = d.values(v)
		if a.Entry != "" && !a.info.Chart {
			d.Report(v, a.Entry+" is not installed from a Helm chart and takes no values", "remove values")
		}
	}
	if as := given["as"]; as != nil {
		d.Label(as, "as", &a.as)
	}
	if v := given["kubeProxy"]; v != nil {
		d.ownKubeProxy(v, lab, &a)
	}
	if v := given["podTemplate"]; v != nil {
		a.PodTemplate = d.podTemplate(v)
	}
	if v := given["namespaceLabels"]; v != nil {
		a.NamespaceLabels = d.namespaceLabels(v)
	}
	return a, len(d.Problems) == before
}

// entry reads the name of an entry of the catalog and which version of it is
// meant: after an @, or else by the key version, or else the default.
func (d *decoder) entry(n, version *yaml.Node, lab bool, a *arm) {
	var text string
	if !d.Text(n, "a variant", &text) {
		return
	}
	name, wanted, pinned := strings.Cut(text, "@")
	info, ok := d.known.Variant(name)
	if !ok {
		d.Report(n, "unknown variant "+document.Describe(n), document.DidYouMean(name, d.known.variantNames(), listVariants))
		return
	}
	a.info, a.written, a.Entry, a.Definition = info, name, info.Name, info.Definition
	if info.Excluded != "" {
		d.Report(n, fmt.Sprintf("%s cannot be measured: %s", info.Name, info.Excluded), `remove it; on a cluster that has it, "installed" measures what is there`)
		return
	}
	switch {
	case pinned && version != nil:
		d.Report(version, fmt.Sprintf("the version is given twice: %s has one on line %d", document.Describe(n), n.Line), "keep one of the two")
	case pinned:
		d.version(n, wanted, a)
	case version != nil:
		if d.Text(version, "version", &wanted) {
			d.version(version, wanted, a)
		}
	default:
		a.Version = info.defaultVersion(lab)
	}
}

func (d *decoder) version(n *yaml.Node, wanted string, a *arm) {
	if len(a.info.Versions) == 0 {
		d.Report(n, a.Entry+" has no versions to choose from", "write "+a.Entry+" alone")
		return
	}
	version, ok := a.info.version(wanted)
	if !ok {
		d.Report(n, fmt.Sprintf("the catalog has no version %q of %s", wanted, a.Entry), "it has "+strings.Join(a.info.Versions, ", "))
		return
	}
	a.Version = version
}
