package scenario

import (
	"maps"

	"github.com/cnibench/cnibench/internal/result"
)

// figures are what one part of a trial brings: values with their marks, and by
// the names of metrics why others are missing.
type figures struct {
	values  []result.Value
	marks   []result.Mark
	missing map[string]string
}

// add notes a value. One that the metric's scale has no place for is missing:
// the kernel counts time in steps, and less than one is nothing that can be
// compared.
func (f *figures) add(m result.Metric, value float64) {
	if m.Scale == result.Ratio && !(value > 0) {
		f.lack("less than the kernel can count", m)
		return
	}
	f.values = append(f.values, result.Value{Metric: m, Value: value})
}

// lack notes why metrics have no value.
func (f *figures) lack(reason string, metrics ...result.Metric) {
	if f.missing == nil {
		f.missing = map[string]string{}
	}
	for _, m := range metrics {
		f.missing[m.Name] = reason
	}
}

// merge appends what g has.
func (f *figures) merge(g figures) {
	f.values, f.marks = append(f.values, g.values...), append(f.marks, g.marks...)
	if f.missing == nil {
		f.missing = map[string]string{}
	}
	maps.Copy(f.missing, g.missing)
}

// follow puts figures behind those that the measurement has.
func (m *Measurement) follow(f figures) {
	all := figures{m.Values, m.Marks, m.Missing}
	all.merge(f)
	m.Values, m.Marks, m.Missing = all.values, all.marks, all.missing
}

// lead puts figures before those that the measurement has: the first value of
// a trial is its scenario's primary one.
func (m *Measurement) lead(f figures) {
	f.merge(figures{m.Values, m.Marks, m.Missing})
	m.Values, m.Marks, m.Missing = f.values, f.marks, f.missing
}
