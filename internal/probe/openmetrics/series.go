package openmetrics

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Families turns what a probe sampled into metric families. Every series gets
// the given labels too, for instance the node's name. What a sample does not
// have gives no point: gaps stay gaps. So do samples that a clock which was set
// back dates before an earlier one; the family of faults tells of them. The
// cost of the text is about 150 bytes per value before compression.
func Families(s sample.Series, labels map[string]string) ([]Family, error) {
	b := builder{samples: s.Samples, labels: labels}
	b.cpu()
	b.memory()
	b.disks()
	b.processor()
	b.network()
	b.groups()
	b.counter("cnibench_probe_cpu_seconds", "seconds", "CPU time of the sampling process itself.",
		nil, func(s *sample.Sample) (float64, bool) { return s.Own, true })
	b.faults(s.Faults)
	if b.err != nil {
		return nil, fmt.Errorf("exporting a series: %w", b.err)
	}
	return b.families, nil
}

// builder collects families from samples; the first error stays.
type builder struct {
	samples  []sample.Sample
	labels   map[string]string
	families []Family
	err      error
}

// value reads a quantity from a sample, or says that the sample lacks it.
type value func(*sample.Sample) (float64, bool)

func (b *builder) counter(name, unit, help string, labels map[string]string, v value) {
	b.add(Family{Name: name, Type: Counter, Unit: unit, Help: help}, labels, v)
}

func (b *builder) gauge(name, unit, help string, labels map[string]string, v value) {
	b.add(Family{Name: name, Type: Gauge, Unit: unit, Help: help}, labels, v)
}

// add adds one series to a family, which it starts if the previous series was
// of another one.
func (b *builder) add(f Family, labels map[string]string, v value) {
	series := Series{Labels: map[string]string{}}
	maps.Copy(series.Labels, b.labels)
	for name, value := range labels {
		if _, taken := series.Labels[name]; taken && b.err == nil {
			b.err = fmt.Errorf("label %q is the exporter's own", name)
		}
		series.Labels[name] = value
	}
	var latest time.Time
	for i := range b.samples {
		at := b.samples[i].At.Truncate(time.Millisecond).UTC()
		if !at.After(latest) {
			continue
		}
		latest = at
		if n, ok := v(&b.samples[i]); ok {
			series.Points = append(series.Points, Point{At: at, Value: n})
		}
	}
	if len(series.Points) == 0 {
		return
	}
	if n := len(b.families); n == 0 || b.families[n-1].Name != f.Name {
		b.families = append(b.families, f)
	}
	last := &b.families[len(b.families)-1]
	last.Series = append(last.Series, series)
}

// keys returns the keys that a map has in any sample, sorted.
func keys[V any](samples []sample.Sample, of func(*sample.Sample) map[string]V) []string {
	all := map[string]bool{}
	for i := range samples {
		for k := range of(&samples[i]) {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// part is one of several quantities in a struct, by the value of a label.
type part[T any] struct {
	name string
	of   func(*T) float64
}

// each adds a series per part of a struct that a sample may lack.
func each[T any](b *builder, f Family, label string, whole func(*sample.Sample) *T, parts []part[T]) {
	for _, p := range parts {
		b.add(f, map[string]string{label: p.name}, optional(whole, p.of))
	}
}

// one adds a quantity of a struct that a sample may lack.
func one[T any](b *builder, f Family, whole func(*sample.Sample) *T, of func(*T) float64) {
	b.add(f, nil, optional(whole, of))
}

func optional[T any](whole func(*sample.Sample) *T, of func(*T) float64) value {
	return func(s *sample.Sample) (float64, bool) {
		w := whole(s)
		if w == nil {
			return 0, false
		}
		return of(w), true
	}
}

// events adds a series per key of a map of counters.
func (b *builder) events(name, help, label string, labels map[string]string, of func(*sample.Sample) map[string]uint64) {
	for _, key := range keys(b.samples, of) {
		all := map[string]string{label: key}
		maps.Copy(all, labels)
		b.counter(name, "", help, all, func(s *sample.Sample) (float64, bool) {
			n, ok := of(s)[key]
			return float64(n), ok
		})
	}
}

// faults counts what went wrong up to each sample, by kind.
func (b *builder) faults(faults []sample.Fault) {
	kinds := map[string]bool{}
	for _, f := range faults {
		kinds[f.Kind] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		b.counter("cnibench_probe_faults", "", "What went wrong while sampling, by kind.",
			map[string]string{"kind": kind}, func(s *sample.Sample) (float64, bool) {
				n := 0
				for _, f := range faults {
					if f.Kind == kind && !f.At.After(s.At) {
						n++
					}
				}
				return float64(n), true
			})
	}
}
