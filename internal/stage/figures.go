package stage

import (
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
)

// Figures are what one part of a trial brings: values with their marks, and by
// the names of metrics why others are missing.
type Figures struct {
	Values  []result.Value
	Marks   []result.Mark
	Missing map[string]string
}

// Add notes a value. One that the metric's scale has no place for is missing:
// the kernel counts time in steps, and less than one is nothing that can be
// compared.
func (f *Figures) Add(m result.Metric, value float64) {
	if m.Scale == result.Ratio && !(value > 0) {
		f.Lack("less than the kernel can count", m)
		return
	}
	f.Values = append(f.Values, result.Value{Metric: m, Value: value})
}

// Lack notes why metrics have no value.
func (f *Figures) Lack(reason string, metrics ...result.Metric) {
	if f.Missing == nil {
		f.Missing = map[string]string{}
	}
	for _, m := range metrics {
		f.Missing[m.Name] = reason
	}
}

// Merge appends what g has.
func (f *Figures) Merge(g Figures) {
	f.Values, f.Marks = append(f.Values, g.Values...), append(f.Marks, g.Marks...)
	if f.Missing == nil {
		f.Missing = map[string]string{}
	}
	maps.Copy(f.Missing, g.Missing)
}

// Forget makes figures missing that mean something else than they say here.
func (m *Measurement) Forget(reason string, metrics ...result.Metric) {
	var f Figures
	f.Lack(reason, metrics...)
	m.Values = slices.DeleteFunc(m.Values, func(v result.Value) bool { return f.Missing[v.Name] != "" })
	m.Follow(f)
}

// Follow puts figures behind those that the measurement has.
func (m *Measurement) Follow(f Figures) {
	all := Figures{m.Values, m.Marks, m.Missing}
	all.Merge(f)
	m.Values, m.Marks, m.Missing = all.Values, all.Marks, all.Missing
}

// Lead puts figures before those that the measurement has: the first value of
// a trial is its scenario's primary one.
func (m *Measurement) Lead(f Figures) {
	f.Merge(Figures{m.Values, m.Marks, m.Missing})
	m.Values, m.Marks, m.Missing = f.Values, f.Marks, f.Missing
}
