package openmetrics

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Families turns what a probe sampled into metric families. Every series gets
// the given labels too, for instance the node's name. What a sample does not
// have gives no point: gaps stay gaps. The cost of the text is about 150 bytes
// per value before compression.
func Families(s sample.Series, labels map[string]string) ([]Family, error) {
	b := builder{samples: s.Samples, labels: labels}
	b.cpu()
	b.memory()
	b.network()
	b.groups()
	b.counter("cnibench_context_switches", "", "Context switches of all CPUs.",
		nil, func(s *sample.Sample) (float64, bool) { return float64(s.ContextSwitches), true })
	b.counter("cnibench_probe_cpu_seconds", "seconds", "CPU time of the sampling process itself.",
		nil, func(s *sample.Sample) (float64, bool) { return s.Own, true })
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
	for i := range b.samples {
		if n, ok := v(&b.samples[i]); ok {
			at := b.samples[i].At.Truncate(time.Millisecond).UTC()
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

// CPUFamily counts the CPU time of a machine by the label "mode".
const CPUFamily = "cnibench_cpu_seconds"

func (b *builder) cpu() {
	for _, mode := range modes {
		b.counter(CPUFamily, "seconds", "CPU time of all cores by mode.",
			map[string]string{"mode": mode.name},
			func(s *sample.Sample) (float64, bool) { return mode.of(&s.CPU), true })
	}
	for _, id := range coreIDs(b.samples) {
		for _, mode := range modes {
			b.counter("cnibench_core_cpu_seconds", "seconds", "CPU time of one core by mode.",
				map[string]string{"core": strconv.Itoa(id), "mode": mode.name},
				func(s *sample.Sample) (float64, bool) {
					i := slices.IndexFunc(s.Cores, func(c sample.Core) bool { return c.ID == id })
					if i < 0 {
						return 0, false
					}
					return mode.of(&s.Cores[i].Modes), true
				})
		}
	}
	const help = "Time in which some or all tasks waited for a CPU."
	b.counter("cnibench_cpu_pressure_seconds", "seconds", help, map[string]string{"share": "some"},
		func(s *sample.Sample) (float64, bool) {
			if s.Pressure == nil {
				return 0, false
			}
			return s.Pressure.Some, true
		})
	b.counter("cnibench_cpu_pressure_seconds", "seconds", help, map[string]string{"share": "full"},
		func(s *sample.Sample) (float64, bool) {
			if s.Pressure == nil || s.Pressure.Full == nil {
				return 0, false
			}
			return *s.Pressure.Full, true
		})
}

func coreIDs(samples []sample.Sample) []int {
	all := map[int]bool{}
	for i := range samples {
		for _, c := range samples[i].Cores {
			all[c.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
