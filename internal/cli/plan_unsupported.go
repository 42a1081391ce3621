package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/scenario"
)

// unsupportedTrials are trials that are known to be unsupported for one reason:
// those of all the cells on all the variants.
type unsupportedTrials struct {
	reason          string
	variants, cells []string // ids, as in the plan
}

// unsupported warns of trials that are known to be unsupported before anything
// starts, a line for each reason.
func unsupported(p plan.Plan, catalog cni.Catalog, scenarios scenario.Set) ([]string, error) {
	var all []unsupportedTrials
	for _, v := range p.Variants {
		entry, err := catalog.Entry(v.Entry, cni.Choice{Version: v.Version})
		if err != nil {
			return nil, fmt.Errorf("reading the catalog: %w", err)
		}
		found, err := foresee(p, scenarios, scenario.Setting{Shape: p.Cluster.ShapeFor(v), Entry: entry})
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			same := func(u unsupportedTrials) bool { return u.reason == f.reason && slices.Equal(u.cells, f.cells) }
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i].variants = append(all[i].variants, v.Name)
				continue
			}
			f.variants = []string{v.Name}
			all = append(all, f)
		}
	}
	var lines []string
	for _, u := range all {
		lines = append(lines, u.words(p))
	}
	return lines, nil
}

// foresee finds the cells that one variant cannot run, by reason.
func foresee(p plan.Plan, scenarios scenario.Set, at scenario.Setting) ([]unsupportedTrials, error) {
	var found []unsupportedTrials
	for _, c := range p.Cells {
		s, err := scenarios.Find(c.Scenario)
		if err != nil {
			return nil, err
		}
		reason := s.Foresee(c.Parameters, at)
		if reason == "" {
			continue
		}
		i := slices.IndexFunc(found, func(u unsupportedTrials) bool { return u.reason == reason })
		if i < 0 {
			i, found = len(found), append(found, unsupportedTrials{reason: reason})
		}
		found[i].cells = append(found[i].cells, c.ID)
	}
	return found, nil
}

// words say how many trials they are, which, and why.
func (u unsupportedTrials) words(p plan.Plan) string {
	trials := len(u.variants) * len(u.cells) * len(p.Blocks)
	return fmt.Sprintf("%d of %d trials will be unsupported: %s on %s, because %s", trials, len(p.Trials()),
		someOf(u.cells, len(p.Cells), "cell"), someOf(u.variants, len(p.Variants), "variant"), u.reason)
}

// mostNamed is how many cells or variants are named: a list of more tells less.
const mostNamed = 4

// someOf names some of all cells or variants.
func someOf(names []string, all int, noun string) string {
	switch {
	case len(names) == all && all > 1:
		return "every " + noun
	case len(names) > mostNamed:
		return strings.Join(names[:mostNamed-1], ", ") + " and " + prose.Plural(len(names)-mostNamed+1, "other "+noun)
	}
	return strings.Join(names, ", ")
}
