package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// AllowAll is the name that allows every difference.
const AllowAll = "all"

// judgeFitness lists what makes the results unfit for a decision: differences
// that nobody allowed, and campaigns most of whose trials were spoilt.
func (res *Result) judgeFitness(r Request, targets []target) {
	if r.Baseline != nil {
		res.Differences = differences(r, targets)
		for _, d := range res.Differences {
			if !d.Allowed {
				res.Unfit = append(res.Unfit, d.String())
			}
		}
	}
	spoilt := []struct {
		whose string
		a     *analysis.Analysis
	}{{"this campaign", &r.Now}, {"the baseline", r.Baseline}}
	for _, s := range spoilt {
		if s.a == nil {
			continue
		}
		if invalid, attempted := tally(*s.a, r, targets); 2*invalid > attempted {
			res.Unfit = append(res.Unfit, fmt.Sprintf("%d of %d trials of %s are invalid", invalid, attempted, s.whose))
		}
	}
}

// String says what differs and where.
func (d Difference) String() string {
	return prose.Printable(fmt.Sprintf("%s was %s for the baseline and is %s now (%s)", d.Name, d.Baseline, d.Now, d.Where))
}

// tally counts the trials behind the checks that were attempted, and those
// among them that the environment spoilt.
func tally(a analysis.Analysis, r Request, targets []target) (invalid, attempted int) {
	for _, c := range a.Cells {
		for _, o := range c.Outcomes {
			concerned := slices.ContainsFunc(targets, func(t target) bool {
				return t.Cell == c.ID && (t.Variant == o.Variant || t.within && o.Variant == r.base())
			})
			if concerned {
				invalid += o.Invalid
				attempted += o.Planned - o.Missing
			}
		}
	}
	return invalid, attempted
}

// differences are those of the environments that concern a variant which has
// to pass, and those of what was measured.
func differences(r Request, targets []target) []Difference {
	var list []Difference
	for _, e := range r.Differences {
		if slices.ContainsFunc(targets, func(t target) bool { return t.Bound == "" && e.In(t.Variant) }) {
			list = append(list, Difference{Name: e.Name, Baseline: e.A, Now: e.B, Where: e.Where()})
		}
	}
	var seen []string
	for _, t := range targets {
		if t.Bound == "" && !slices.Contains(seen, t.Cell) {
			seen = append(seen, t.Cell)
			list = append(list, cellDifferences(*r.Baseline, r.Now, t.Cell)...)
		}
	}
	for i, d := range list {
		list[i].Allowed = slices.ContainsFunc(r.Allow, func(name string) bool { return allows(name, d.Name) })
	}
	return list
}

// allows tells whether what --allow was given means this difference. A star
// stands for any text.
func allows(allowed, name string) bool {
	if allowed == AllowAll {
		return true
	}
	first, rest, open := strings.Cut(allowed, "*")
	if !open {
		return allowed == name
	}
	name, begins := strings.CutPrefix(name, first)
	for open && begins {
		first, rest, open = strings.Cut(rest, "*")
		if !open {
			return strings.HasSuffix(name, first)
		}
		_, name, begins = strings.Cut(name, first)
	}
	return false
}

// cellDifferences are those of two cells that are called the same.
func cellDifferences(baseline, now analysis.Analysis, id string) []Difference {
	a, b := cellOf(baseline, id), cellOf(now, id)
	if a == nil || b == nil {
		return nil // nothing is compared
	}
	var list []Difference
	add := func(name, x, y string) {
		if x != y {
			list = append(list, Difference{Name: name, Baseline: orNone(x), Now: orNone(y), Where: id})
		}
	}
	add("scenario.name", a.Scenario, b.Scenario)
	add("scenario.definition", a.Definition, b.Definition)
	add("scenario.target", a.TargetDescription(), b.TargetDescription())
	names := maps.Clone(a.Parameters)
	if names == nil {
		names = b.Parameters
	} else {
		maps.Copy(names, b.Parameters)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		add("scenario."+name, a.Parameters[name], b.Parameters[name])
	}
	return list
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// warnings are what does not keep the gate from deciding.
func warnings(r Request) []result.Warning {
	list := warningsOf(r.Now, "this campaign", "", r.Baseline == nil && !r.LimitsOnly)
	if r.Baseline != nil {
		list = append(list, warningsOf(*r.Baseline, "the baseline", "the baseline: ", false)...)
	}
	return list
}

// warningsOf says of a campaign whose figures others measured what that means,
// for comparisons within it too, and what it lacks.
func warningsOf(a analysis.Analysis, whose, prefix string, within bool) []result.Warning {
	var list []result.Warning
	for _, w := range a.Warnings {
		if w.Code == "imported" || within && w.Code == "unpaired" {
			w.Message = prefix + w.Message
			list = append(list, w)
		}
	}
	if a.Counts.Missing == 0 {
		return list
	}
	reason, hint := "a gate that is asked again and again until it passes is none", "finish it with `cnibench run --resume DIR`"
	if a.Plan.Imported != nil {
		reason, hint = "the source has none", "import it again with all its runs"
	}
	return append(list, result.Warning{
		Code:    "unfinished",
		Message: fmt.Sprintf("%d of %d trials of %s were not measured: %s", a.Counts.Missing, a.Counts.Planned, whose, reason),
		Hint:    hint,
	})
}
