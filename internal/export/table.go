package export

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// rows lists the tidy table in the plan's order. Of each planned trial the
// attempt that decides has a row for each of its metrics, a row with a reason
// for each metric that it lacks, and, if it is not ok, one row with the reason
// and no metric. A trial that nobody attempted has a row of status missing,
// unless the campaign had ended by its rule before.
func (s Source) rows(only Selection) iter.Seq[Row] {
	t := newTable(s)
	return func(yield func(Row) bool) {
		for _, planned := range s.Analysis.Plan.Trials() {
			if !only.trial(planned.Variant.Name, planned.Cell.ID) {
				continue
			}
			for _, row := range t.trial(planned) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// table knows by key what rows say.
type table struct {
	whole    Row // what all rows have
	unmade   string
	variants map[string]analysis.Variant
	texts    map[string]string // parameters by cell
	turns    map[result.Key]int32
	decisive map[result.Key]result.Trial
	missing  map[result.Key]bool
	metrics  map[metricKey]analysis.Metric // without arms and comparisons
	outliers map[sampleKey]bool
}

type metricKey struct{ cell, metric string }

type sampleKey struct {
	metricKey
	variant string
	block   int
}

func newTable(s Source) *table {
	a := s.Analysis
	t := &table{
		whole:  Row{Campaign: a.Plan.Name, Run: moment(s.began()), Plan: a.Plan.Hash, Base: a.Plan.Analysis.Base},
		unmade: a.WhyMissing(), variants: map[string]analysis.Variant{}, texts: map[string]string{}, turns: turns(a.Plan),
		decisive: map[result.Key]result.Trial{}, missing: map[result.Key]bool{},
		metrics: map[metricKey]analysis.Metric{}, outliers: map[sampleKey]bool{},
	}
	for _, v := range a.Variants {
		t.variants[v.Name] = v
	}
	for _, trial := range result.LastAttempts(s.Trials) {
		t.decisive[trial.Key()] = trial
	}
	for _, m := range a.Missing {
		t.missing[result.Key{Block: m.Block, Variant: m.Variant, Cell: m.Cell}] = true
	}
	for _, c := range a.Cells {
		t.texts[c.ID] = parametersText(c.Cell)
		for _, m := range c.Metrics {
			key := metricKey{c.ID, m.Name}
			for _, arm := range m.Arms {
				for _, sample := range arm.Samples {
					if sample.Outlier {
						t.outliers[sampleKey{key, arm.Variant, sample.Block}] = true
					}
				}
			}
			m.Arms, m.Comparisons = nil, nil
			t.metrics[key] = m
		}
	}
	return t
}

// turns numbers the cells of each block.
func turns(p plan.Plan) map[result.Key]int32 {
	all := map[result.Key]int32{}
	for _, b := range p.Blocks {
		for i, cell := range b.Cells {
			all[result.Key{Block: b.Index, Cell: cell}] = int32(i + 1)
		}
	}
	return all
}

// parametersText is a JSON object.
func parametersText(c plan.Cell) string {
	parameters := map[string]string{}
	maps.Copy(parameters, c.Parameters)
	text, err := json.Marshal(parameters)
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(text)
}

// trial makes the rows of one planned trial.
func (t *table) trial(planned plan.Trial) []Row {
	key := result.KeyOf(planned)
	row := t.whole
	v := t.variants[key.Variant]
	row.Block, row.Position = int32(key.Block), int32(planned.Position)
	row.CellPosition = t.turns[result.Key{Block: key.Block, Cell: key.Cell}]
	row.Variant, row.Entry, row.Plugin, row.Version = key.Variant, v.Entry, v.Plugin, v.Version
	row.Scenario, row.Cell, row.Parameters = planned.Cell.Scenario, key.Cell, t.texts[key.Cell]
	trial, attempted := t.decisive[key]
	switch {
	case attempted:
		return t.attempt(row, trial)
	case t.missing[key]:
		row.Status, row.Reason = "missing", t.unmade
		return []Row{row}
	}
	return nil
}

func (t *table) attempt(row Row, trial result.Trial) []Row {
	attempt := int32(trial.Attempt)
	row.Attempt, row.Status, row.Reason, row.Raw = &attempt, string(trial.Status), trial.Reason, trial.Raw
	row.Started, row.Ended = moment(trial.Start), moment(trial.End)
	if w := trial.Window; w != nil {
		row.WindowStart, row.WindowEnd = moment(w.Start), moment(w.End)
	}
	var marks []string
	for _, m := range trial.Marks {
		marks = append(marks, m.Name)
	}
	row.Marks = strings.Join(marks, " ")
	if trial.Status != result.OK {
		return []Row{row}
	}
	var rows []Row
	for _, v := range trial.Values {
		r := t.metric(row, v.Metric, trial.Cell)
		outlier := t.outliers[sampleKey{metricKey{trial.Cell, v.Name}, trial.Variant, trial.Block}]
		value := v.Value
		r.Value, r.Outlier, r.Partial = &value, &outlier, v.Partial
		rows = append(rows, r)
	}
	for _, name := range slices.Sorted(maps.Keys(trial.Missing)) {
		r := t.metric(row, result.Metric{Name: name}, trial.Cell)
		r.Reason = trial.Missing[name]
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		rows = []Row{row} // it ran and reported nothing
	}
	return rows
}

// metric adds what is known of a metric: the analysis knows of one that this
// trial lacks if any other trial has it.
func (t *table) metric(row Row, own result.Metric, cell string) Row {
	m := own
	if known, ok := t.metrics[metricKey{cell, own.Name}]; ok {
		m = known.Metric
		primary := known.Primary
		row.Primary = &primary
	}
	row.Metric, row.Group, row.Unit, row.Better, row.Scale = m.Name, m.Group, m.Unit, string(m.Better), string(m.Scale)
	if m.Scale != "" {
		row.Margin = &m.Margin
	}
	return row
}

// count counts a row.
func (o *Outcome) count(row Row) {
	o.Rows++
	if row.Value == nil {
		o.Unmeasured++
	}
}

// moment is nil for a time that nobody recorded.
func moment(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC().Truncate(time.Microsecond)
	return &at
}
