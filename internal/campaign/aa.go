package campaign

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// aaSuffix ends the name of an A/A twin.
const aaSuffix = "-aa"

// twin reads which variant is measured a second time, and adds that arm after
// the others. With several MTUs a variant's own name means its arm with the
// first, as for the base.
func (d *decoder) twin(n *yaml.Node, there declared, s *Spec) {
	var name string
	if !d.NonEmpty(n, "aa", "write the name of a variant, or remove it", &name) || there.variants == nil {
		return
	}
	of, ok := there.arm(name)
	if !ok {
		d.Report(n, fmt.Sprintf("aa %s is not among the variants", document.Describe(n)),
			document.DidYouMean(name, there.variants, "the variants are "+strings.Join(there.variants, ", ")))
		return
	}
	twin := of + aaSuffix
	switch {
	case slices.Contains(there.variants, twin):
		d.Report(n, fmt.Sprintf("the twin of %s would be %s, and a variant has that name", of, twin),
			fmt.Sprintf("give that variant another name with as, or remove aa where %s is a twin already", twin))
		return
	case !document.LabelSyntax.MatchString(twin):
		d.Report(n, fmt.Sprintf("the twin's name %q is too long: it has %d characters, at most 63 are allowed", twin, len(twin)),
			"give the variant a shorter name with as")
		return
	}
	arm := s.Variants[slices.IndexFunc(s.Variants, func(v Variant) bool { return v.Name == of })]
	arm.Name = twin
	s.Variants = append(s.Variants, arm)
	s.Analysis.AA = &AA{Variant: of, Name: twin}
}
