package export

import (
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/result"
)

// attempts writes every attempt and what it measured.
func (x *exporter) attempts(o Outcome) {
	decisive := map[result.Key]int{}
	for _, t := range result.LastAttempts(x.source.Trials) {
		decisive[t.Key()] = t.Attempt
	}
	counts := func(t result.Trial) bool {
		return t.Status == result.OK && decisive[t.Key()] == t.Attempt
	}
	x.family("cnibench_trial_status_info", "", "What became of an attempt, with the reason if it gave no result; always 1.")
	for _, t := range x.trials {
		x.add(with(x.source.trial(t), "position", strconv.Itoa(t.Position), "reason", t.Reason,
			"replaced", strconv.FormatBool(decisive[t.Key()] != t.Attempt)), x.source.timeOf(t), 1)
	}
	x.family("cnibench_trial_value", "", "What a trial measured, in the unit of its label, at the end of its window. Only trials that statistics count.")
	x.values(counts)
	x.family("cnibench_trial_unused_value", "", "What an attempt measured that no statistics count: it was invalid, or measured again.")
	x.values(func(t result.Trial) bool { return !counts(t) })
	x.marks()
	x.times()
	x.evidence(o)
	x.missing()
}

func (x *exporter) values(want func(result.Trial) bool) {
	for _, t := range x.trials {
		if !want(t) {
			continue
		}
		for _, v := range t.Values {
			x.add(with(x.source.trial(t), "metric", v.Name, "unit", v.Unit, "partial", v.Partial), x.source.timeOf(t), v.Value)
		}
	}
}

func (x *exporter) marks() {
	x.family("cnibench_trial_mark_info", "", "A quality of a trial that a reader must know; always 1.")
	for _, t := range x.trials {
		for i, m := range t.Marks {
			x.add(with(x.source.trial(t), "number", strconv.Itoa(i+1), "mark", m.Name, "detail", m.Detail), x.source.timeOf(t), 1)
		}
	}
}

// times writes where an attempt and its window lie, for dashboards to go to.
func (x *exporter) times() {
	x.family("cnibench_trial_duration_seconds", "seconds", "How long an attempt took, preparations included.")
	for _, t := range x.trials {
		if !t.End.IsZero() {
			x.add(x.source.trial(t), x.source.timeOf(t), t.End.Sub(t.Start).Seconds())
		}
	}
	x.family("cnibench_trial_window_start_timestamp_seconds", "seconds", "When the window of a trial began, in seconds since 1970.")
	x.window(func(w result.Window) time.Time { return w.Start })
	x.family("cnibench_trial_window_end_timestamp_seconds", "seconds", "When the window of a trial ended, in seconds since 1970.")
	x.window(func(w result.Window) time.Time { return w.End })
}

func (x *exporter) window(edge func(result.Window) time.Time) {
	for _, t := range x.trials {
		if t.Window != nil {
			x.add(x.source.trial(t), x.source.timeOf(t), float64(edge(*t.Window).UnixMilli())/1000)
		}
	}
}

func (x *exporter) evidence(o Outcome) {
	x.family("cnibench_trial_damaged_evidence_info", "", "A file of the evidence that cannot be read and whose series are not here; always 1.")
	for _, d := range o.Damaged {
		x.add(with(x.source.trial(d.Trial), "evidence", d.Name, "reason", d.reason()), x.source.timeOf(d.Trial), 1)
	}
}

// missing writes the planned trials that nobody attempted: they have no time
// of their own.
func (x *exporter) missing() {
	scenario := map[string]string{}
	for _, c := range x.source.Analysis.Plan.Cells {
		scenario[c.ID] = c.Scenario
	}
	x.family("cnibench_trial_missing_info", "", "A planned trial that was never attempted; always 1.")
	for _, m := range x.source.Analysis.Missing {
		if x.only.trial(m.Variant, m.Cell) {
			x.state(with(x.campaign, "variant", m.Variant, "cell", m.Cell, "scenario", scenario[m.Cell], "block", strconv.Itoa(m.Block)), 1)
		}
	}
}
