package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// SpreadLimit is the spread of paired differences on the ratio scale above
// which a comparison is called noisy (docs/methodology.md section 4).
const SpreadLimit = 0.05

// warnings lists what a reader must know beside the numbers: first what limits
// the conclusions, then what was lost, then what looks unstable.
func warnings(a Analysis, env result.Environment) ([]result.Warning, error) {
	list := []result.Warning{}
	list = append(list, scopeWarnings(a)...)
	list = append(list, importWarnings(a, env)...)
	list = append(list, unverifiedWarnings(a)...)
	list = append(list, environmentWarnings(env)...)
	list = append(list, factWarnings(env)...)
	list = append(list, lossWarnings(a)...)
	list = append(list, invalidBlockWarnings(a)...)
	blocks, err := blockWarnings(a)
	if err != nil {
		return nil, err
	}
	list = append(list, blocks...)
	for _, c := range a.Cells {
		list = append(list, markWarnings(c)...)
		list = append(list, partialWarnings(c)...)
		list = append(list, gapWarnings(c)...)
		list = append(list, twinWarnings(c)...)
		list = append(list, spreadWarnings(c)...)
		if a.Plan.Imported != nil {
			continue // nobody knows in what order
		}
		trends, err := trendWarnings(c)
		if err != nil {
			return nil, err
		}
		list = append(list, trends...)
	}
	return list, nil
}

func scopeWarnings(a Analysis) []result.Warning {
	var list []result.Warning
	if a.Topology == "lab" {
		list = append(list, result.Warning{
			Code:    "shared-kernel",
			Message: "all nodes share one kernel and the cores of one machine; CPU is the machine's, and no network card takes part",
			Hint:    "compare datapaths with these numbers; measure line rate and offloads on separate machines",
		})
	}
	switch {
	case a.Plan.Imported != nil: // importWarnings speaks of it
	case a.Plan.Shared():
		list = append(list, result.Warning{
			Code:    "one-cluster",
			Message: "all blocks ran on one cluster: results hold for this one",
			Hint:    "a cluster: {command: …} with freshCluster: true makes a new cluster for every variant in every block",
		})
	case !a.Plan.FreshCluster:
		list = append(list, result.Warning{
			Code:    "one-installation",
			Message: "all blocks of a variant come from one installation of its cluster: results hold within one installation" + a.allowances(),
			Hint:    "with freshCluster: true every variant gets a new cluster in every block",
		})
	}
	return list
}

func lossWarnings(a Analysis) []result.Warning {
	var list []result.Warning
	if lost := a.Counts.Planned - a.Counts.OK; lost > 0 {
		hint := "the reasons are listed with the dropped trials"
		switch {
		case a.Plan.Imported == nil && lost > a.Counts.Unsupported:
			hint += "; run with --resume --retry-failed to measure what failed again"
		case a.Plan.Imported != nil && a.Counts.Missing > 0:
			hint += "; import it again with all its runs"
		}
		list = append(list, result.Warning{
			Code:    "trials-dropped",
			Message: fmt.Sprintf("%d of %d planned trials have no result: %s", lost, a.Counts.Planned, a.Counts.Losses()),
			Hint:    hint,
		})
	}
	if names := a.unmeasured(); len(names) > 0 {
		list = append(list, result.Warning{
			Code:    "primary-unmeasured",
			Message: fmt.Sprintf("no trial measured %s, which the campaign declared primary", strings.Join(names, ", ")),
			Hint:    "the other verdicts are adjusted as if it had been measured",
		})
	}
	return list
}

// Losses names what became of the planned trials without a result, such as
// "2 failed, 1 missing"; empty when there are none.
func (c Counts) Losses() string {
	var parts []string
	for _, part := range []struct {
		n    int
		name string
	}{{c.Failed, "failed"}, {c.Invalid, "invalid"}, {c.Unsupported, "unsupported"}, {c.Missing, "missing"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	return strings.Join(parts, ", ")
}

// blockWarnings says when a verdict is out of reach, whatever the values.
func blockWarnings(a Analysis) ([]result.Warning, error) {
	if a.Family == 0 {
		return nil, nil
	}
	if a.Plan.Unpaired() {
		return runWarnings(a), nil
	}
	need, err := stats.MinBlocks(Alpha(a.Plan), a.Family)
	if err != nil {
		return nil, err
	}
	short, fewest := 0, need
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				if k.Primary && len(k.Pairs) < need {
					short++
					fewest = min(fewest, len(k.Pairs))
				}
			}
		}
	}
	if short == 0 {
		return nil, nil
	}
	return []result.Warning{{
		Code: "too-few-blocks",
		Message: fmt.Sprintf("%d of %d primary comparisons have fewer than %d blocks with both variants (the fewest: %d), the least that a first verdict in a family of this size needs",
			short, a.Family, need, fewest),
		Hint: fmt.Sprintf("measure at least %d blocks, or declare fewer primary metrics", need),
	}}, nil
}

// markHints explains the marks whose consequence a reader should know.
var markHints = map[string]string{
	"cni-drops":           "the plugin itself threw packets away; the metrics cni-drops-… say why. A reason that has to do with the load, such as a full map, explains a low throughput",
	"cpu-saturated":       "the machine's cores were busy, by the datapath or by others (`rest-cpu`): throughput shows what the datapath costs, not what a link carries; compare CPU per Gbit/s",
	"evidence-incomplete": "files that belong to the trial's evidence could not be written, as its marks in trials.jsonl say; its figures stand",
	result.LineLimited:    "the line between the nodes was full: a better plugin would not have been faster. Compare CPU per Gbit/s of those that fill it",
	"generator-limited":   "the load generator was the limit: the value is a lower bound of what the variant can do",
}

// markWarnings gathers the marks of a cell's ok trials, by name.
func markWarnings(c Cell) []result.Warning {
	if len(c.Metrics) == 0 {
		return nil
	}
	arms := c.Metrics[0].Arms
	var names []string
	for _, arm := range arms {
		for _, s := range arm.Samples {
			names = append(names, s.Marks...)
		}
	}
	slices.Sort(names)
	var list []result.Warning
	for _, name := range slices.Compact(names) {
		var parts []string
		for _, arm := range arms {
			n := 0
			for _, s := range arm.Samples {
				if slices.Contains(s.Marks, name) {
					n++
				}
			}
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d of %d trials", arm.Variant, n, len(arm.Samples)))
			}
		}
		list = append(list, result.Warning{
			Code: name, Message: fmt.Sprintf("%s: %s", c.ID, strings.Join(parts, ", ")), Hint: markHints[name],
		})
	}
	return list
}

// partialWarnings names the metrics of a variant that have a reason in common
// once.
func partialWarnings(c Cell) []result.Warning {
	type partial struct{ variant, reason string }
	var order []partial
	metrics := map[partial][]string{}
	for _, m := range c.Metrics {
		for _, arm := range m.Arms {
			for _, reason := range arm.Partial {
				p := partial{arm.Variant, reason}
				if metrics[p] == nil {
					order = append(order, p)
				}
				metrics[p] = append(metrics[p], m.Name)
			}
		}
	}
	var list []result.Warning
	for _, p := range order {
		list = append(list, result.Warning{
			Code:    "partial",
			Message: fmt.Sprintf("%s: not the whole %s of %s: %s", c.ID, strings.Join(metrics[p], ", "), p.variant, p.reason),
			Hint:    "compare such a value only with values that are partial for the same reason",
		})
	}
	return list
}

// spreadWarnings names a cell's noisy comparisons with the base, but for those
// of details.
func spreadWarnings(c Cell) []result.Warning {
	var metrics []string
	for _, m := range c.Metrics {
		if m.Folded() {
			continue
		}
		var noisy []string
		for _, k := range m.Comparisons {
			if k.AgainstBase && m.Scale == result.Ratio && k.Effect != nil && k.Effect.Spread != nil && *k.Effect.Spread > SpreadLimit {
				noisy = append(noisy, fmt.Sprintf("%s %.1f %%", k.B, 100**k.Effect.Spread))
			}
		}
		if len(noisy) > 0 {
			metrics = append(metrics, fmt.Sprintf("%s (%s)", m.Name, strings.Join(noisy, ", ")))
		}
	}
	if len(metrics) == 0 {
		return nil
	}
	return []result.Warning{{
		Code:    "spread",
		Message: fmt.Sprintf("%s: the blocks' differences from the base scatter by more than %.0f %% in %s", c.ID, 100*SpreadLimit, strings.Join(metrics, ", ")),
		Hint:    "look for other load on the machine; longer trials or more blocks narrow the interval",
	}}
}
