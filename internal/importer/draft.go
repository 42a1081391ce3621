package importer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/result"
)

// largest is beyond anything that is measured, and its square still a number.
const largest = 1e100

// draft is a trial in the making.
type draft struct {
	key
	scenario   string // empty: as the cell
	parameters parameter.Values
	values     []result.Value
	missing    map[string]string
	facts      map[string]string
	marks      []result.Mark
	start, end time.Time // zero: the source does not say
	window     *result.Window
	failure    string
	status     result.Status // of a failure
}

func newDraft(k key) *draft {
	return &draft{key: k, missing: map[string]string{}, facts: map[string]string{}}
}

func (d *draft) scenarioName() string {
	if d.scenario == "" {
		return d.cell
	}
	return d.scenario
}

// add gives the trial a value. What is no number, or cannot be compared on the
// metric's scale, is missing and says so.
func (d *draft) add(m result.Metric, value float64, partial string) {
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		d.lack(m.Name, fmt.Sprintf("the source says %v, which is no number", value))
	case math.Abs(value) > largest || m.Scale == result.Ratio && value > 0 && value < 1/largest:
		d.lack(m.Name, fmt.Sprintf("the source says %v %s, which nothing measures", value, m.Unit))
	case m.Scale == result.Ratio && value <= 0:
		d.lack(m.Name, fmt.Sprintf("the source says %v %s, which cannot have been measured", value, m.Unit))
	case d.has(m.Name):
		d.marks = append(d.marks, result.Mark{Name: "source-repeats", Detail: fmt.Sprintf("the source has %s twice: %v, too", m.Name, value)})
	default:
		d.values = append(d.values, result.Value{Metric: m, Value: value, Partial: partial})
		delete(d.missing, m.Name)
	}
}

func (d *draft) has(metric string) bool {
	return slices.ContainsFunc(d.values, func(v result.Value) bool { return v.Name == metric })
}

// value returns the value of a metric, 0 and false without it.
func (d *draft) value(metric string) (float64, bool) {
	for _, v := range d.values {
		if v.Name == metric {
			return v.Value, true
		}
	}
	return 0, false
}

// lack says why a metric has no value; one that has a value keeps it.
func (d *draft) lack(metric, reason string) {
	if !d.has(metric) {
		d.missing[metric] = reason
	}
}

// fail says that the measurement did not happen. The first reason stays.
func (d *draft) fail(format string, args ...any) {
	d.endAs(result.Failed, fmt.Sprintf(format, args...))
}

// cannot says that the source does not measure this, by design.
func (d *draft) cannot(reason string) { d.endAs(result.Unsupported, reason) }

func (d *draft) endAs(status result.Status, reason string) {
	if d.failure == "" {
		d.status, d.failure = status, strings.TrimSpace(reason)
	}
}

// first is the metric that the trial names first, with or without a value.
func (d *draft) first() string {
	if len(d.values) > 0 {
		return d.values[0].Name
	}
	for _, name := range slices.Sorted(maps.Keys(d.missing)) {
		return name
	}
	return ""
}

// trial returns the finished trial. Without any value it failed.
func (d *draft) trial() result.Trial {
	t := result.Trial{
		Schema: result.SchemaVersion, Block: d.block, Position: 1, Variant: d.variant, Cell: d.cell,
		Scenario: d.scenarioName(), Attempt: 1, Status: result.OK, Start: d.start, End: d.end,
		Marks: d.marks,
	}
	if len(d.facts) > 0 {
		t.Facts = d.facts
	}
	if d.failure == "" && len(d.values) == 0 {
		d.fail("%s", d.reasons())
	}
	if d.failure != "" {
		t.Status, t.Reason, t.Marks = d.status, d.failure, nil
		return t
	}
	t.Values, t.Window = d.values, d.window
	if len(d.missing) > 0 {
		t.Missing = d.missing
	}
	return t
}

// reasons says why there is no value at all.
func (d *draft) reasons() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(d.missing)) {
		if part := d.missing[name]; !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "the source has no value of it"
	}
	return strings.Join(parts, "; ")
}
