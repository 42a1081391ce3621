package campaign

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/document"
)

// mtus are the MTUs of a lab; a cluster of another kind has none to choose.
func (c Cluster) mtus() []int {
	if c.Lab == nil {
		return nil
	}
	return c.Lab.MTUs
}

// byMTU makes an arm of a variant for every MTU, each with a name of its own.
// Of one MTU there is nothing to tell apart.
func (d *decoder) byMTU(a arm, mtus []int) []Variant {
	if len(mtus) < 2 {
		return []Variant{a.Variant}
	}
	variants := make([]Variant, len(mtus))
	for i, mtu := range mtus {
		variants[i] = a.Variant
		variants[i].Name, variants[i].MTU = withMTU(a.Name, mtu), mtu
	}
	if name := withMTU(a.Name, slices.Max(mtus)); !document.LabelSyntax.MatchString(name) {
		d.Report(a.node, fmt.Sprintf("the name %q is too long: with its MTU it has %d characters, at most 63 are allowed", name, len(name)),
			"give the variant a shorter name: {variant: "+a.Entry+", as: NAME}")
	}
	return variants
}

// withMTU names the arm of a variant that runs with an MTU. No two arms have
// one name: the last part tells the MTU and what is before it the variant.
func withMTU(name string, mtu int) string { return fmt.Sprintf("%s-mtu%d", name, mtu) }
