package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// unpairedTarget is a comparison between campaigns that awaits its verdict.
type unpairedTarget struct {
	cell   string
	metric *ComparedMetric
	*ComparedRow
}

// decide gives every comparison its verdict: primary ones as one family, in
// which what was declared and not measured keeps its place with p = 1, the
// others one by one.
func (t *between) decide() error {
	var primary []unpairedTarget
	for i := range t.Cells {
		for j := range t.Cells[i].Metrics {
			m := &t.Cells[i].Metrics[j]
			for k := range m.Rows {
				one := unpairedTarget{t.Cells[i].ID, m, &m.Rows[k]}
				if one.Primary {
					primary = append(primary, one)
				} else if err := t.decideFamily([]unpairedTarget{one}, 1); err != nil {
					return err
				}
			}
		}
	}
	return t.decideFamily(primary, t.Family)
}

// alpha is the level of verdicts: the stricter one of the two campaigns.
func (t *between) alpha() float64 { return min(Alpha(t.a.Plan), Alpha(t.b.Plan)) }

func (t *between) decideFamily(targets []unpairedTarget, size int) error {
	family := make([]stats.Claims, max(size, len(targets)))
	for i := range family {
		family[i] = stats.NoClaims()
		if i < len(targets) && targets[i].P != nil {
			family[i] = stats.Claims(*targets[i].P)
		}
	}
	decisions, err := stats.Decide(family, t.alpha())
	if err != nil {
		return err
	}
	for i, one := range targets {
		one.Verdict = decisions[i].Verdict
		if one.P == nil {
			continue
		}
		if one.Primary {
			one.Adjusted = newClaims(decisions[i].Adjusted)
		}
		switch {
		case one.Verdict != stats.Inconclusive:
		case one.Allowance > 0:
			one.Open = oneInstallation
		default:
			if err := t.forecast(one, t.alpha()/float64(len(family))); err != nil {
				return err
			}
		}
	}
	return nil
}

// forecast says how many further values on both sides are likely to settle an
// inconclusive comparison.
func (t *between) forecast(one unpairedTarget, alpha float64) error {
	margin := testMargin(Metric{Metric: one.metric.Metric})
	f, err := stats.FurtherBetween(t.a.samples(one.cell, one.metric.Name, one.A), t.b.samples(one.cell, one.metric.Name, one.B), margin, alpha)
	if err != nil {
		return fmt.Errorf("forecasting %s: %w", one.B, err)
	}
	one.Further, one.Open = f.Blocks, f.Unknown
	return nil
}

// samples returns a variant's values as Metric.samplesOf does.
func (a Analysis) samples(cell, metric, variant string) []float64 {
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			if c.ID == cell && m.Name == metric {
				return m.samplesOf(variant)
			}
		}
	}
	return nil
}

// warn says what limits a comparison of campaigns, then what limits each.
func (t *between) warn(a, b result.Environment) {
	list := []result.Warning{{
		Code:    "unpaired",
		Message: "the campaigns were measured " + t.apart(a.Created, b.Created) + ": whatever changed in between, known or not, is in every effect, and no statistics can take it out",
		Hint:    "measure both in one campaign, in the same blocks, to compare them with each other",
	}}
	if t.a.Plan.Hash == t.b.Plan.Hash && a.Created.Equal(b.Created) {
		list = []result.Warning{{
			Code: "same-campaign", Message: "both are one and the same campaign: there is nothing to find", Hint: "give two directories",
		}}
	}
	if len(t.Differences) > 0 {
		list = append(list, result.Warning{
			Code:    "environment-differs",
			Message: fmt.Sprintf("the environments differ in %s", someNames(t.Differences)),
			Hint:    "a difference of results may come from it; each comparison names what concerns it",
		})
	}
	list = append(list, t.tooFew()...)
	list = append(list, t.Warnings...)
	list = append(list, ofCampaigns(t.a.Warnings, t.b.Warnings)...)
	t.Warnings = list
}

// notOfPairs are warnings about comparisons of a plan, which are not made
// between campaigns.
var notOfPairs = []string{"too-few-blocks", "too-few-runs", "spread", "primary-unmeasured", "unpaired"}

// ofCampaigns says to which campaign a warning belongs, or to both.
func ofCampaigns(a, b []result.Warning) []result.Warning {
	var list []result.Warning
	for i, warnings := range [][]result.Warning{a, b} {
		for _, w := range warnings {
			both := slices.Contains(a, w) && slices.Contains(b, w)
			if slices.Contains(notOfPairs, w.Code) || both && i == 1 {
				continue
			}
			whose := []string{"first campaign: ", "second campaign: "}[i]
			if both {
				whose = "both campaigns: "
			}
			w.Message = whose + w.Message
			list = append(list, w)
		}
	}
	return list
}

// apart says how far two campaigns lie apart. What was imported was created when
// it was imported, whenever it was measured.
func (t *between) apart(a, b time.Time) string {
	switch {
	case t.a.Plan.Imported != nil || t.b.Plan.Imported != nil:
		return "at times that the source does not tell"
	case a.IsZero() || b.IsZero():
		return "at different times"
	}
	gap := b.Sub(a).Abs()
	switch {
	case gap >= 48*time.Hour:
		return fmt.Sprintf("%d days apart", int(gap.Hours()/24))
	case gap >= 2*time.Hour:
		return fmt.Sprintf("%d hours apart", int(gap.Hours()))
	case gap >= 2*time.Minute:
		return fmt.Sprintf("%d minutes apart", int(gap.Minutes()))
	case gap >= time.Minute:
		return "1 minute apart"
	}
	return "less than a minute apart"
}

// someNames names the first differences and counts the rest.
func someNames(list []EnvironmentDifference) string {
	var names []string
	for _, d := range list {
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	if more := len(names) - factsShown; more > 1 {
		names = append(names[:factsShown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// tooFew says when a verdict is out of reach, whatever the values.
func (t *between) tooFew() []result.Warning {
	if t.Family == 0 {
		return nil
	}
	short := 0
	for _, c := range t.Cells {
		for _, m := range c.Metrics {
			for _, r := range m.Rows {
				if r.Primary && (r.NA == 0 || r.NB == 0 || stats.UnpairedSmallestP(r.NA, r.NB) > t.alpha()/float64(t.Family)) {
					short++
				}
			}
		}
	}
	if short == 0 {
		return nil
	}
	need := 1
	for stats.UnpairedSmallestP(need, need) > t.alpha()/float64(t.Family) {
		need++
	}
	return []result.Warning{{
		Code: "too-few-blocks",
		Message: fmt.Sprintf("%d of %d primary comparisons have too few values for a first verdict in a family of this size, which needs %d on each side",
			short, t.Family, need),
		Hint: "measure more blocks, or declare fewer primary metrics",
	}}
}
