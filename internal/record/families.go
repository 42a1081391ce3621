package record

import (
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Families turns the timeline into metric families in the format that the user
// wants.
func (t *timeline) families() ([]openmetrics.Family, error) {
	labels := map[string]string{"instance": t.instance(), "role": t.plan.Role(), "id": t.id}
	maps.Copy(labels, t.export.Labels)
	if t.export.Format == Statexec {
		labels["job"] = "statexec"
		return t.statexec(labels)
	}
	labels["job"] = "cnibench"
	b := &builder{timeline: t, labels: labels}
	for _, phase := range Phases() {
		b.gauge("cnibench_record_phase", "", "1 in the part of the recording that a sample belongs to.",
			map[string]string{"phase": string(phase)}, func(i int, s *sample.Sample) (float64, bool) {
				return oneIf(t.phase(s.Mono) == phase), true
			})
	}
	b.gauge("cnibench_record_sampling_seconds", "seconds", "How long taking a sample took.", nil,
		func(i int, _ *sample.Sample) (float64, bool) { return t.took[i].Seconds(), true })
	t.ending(b)
	own, err := openmetrics.Families(t.series, labels)
	return append(b.families, own...), err
}

// ending adds what is known of the command once it has ended.
func (t *timeline) ending(b *builder) {
	if t.command == nil {
		return
	}
	const help = "CPU time of the command and of its descendants that it waited for."
	b.once("cnibench_record_command_status", "", "Exit status of the command, 128 more than the signal if one ended it.",
		nil, float64(t.command.Status))
	b.once("cnibench_record_command_seconds", "seconds", "How long the command ran.", nil, t.duration().Seconds())
	b.once("cnibench_record_command_cpu_seconds", "seconds", help, map[string]string{"mode": "user"}, t.command.UserSeconds)
	b.once("cnibench_record_command_cpu_seconds", "seconds", help, map[string]string{"mode": "system"}, t.command.SystemSeconds)
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// builder collects families over the samples of a timeline.
type builder struct {
	timeline *timeline
	labels   map[string]string
	families []openmetrics.Family
}

// value reads a quantity of the i-th sample, or says that it has none.
type value func(i int, s *sample.Sample) (float64, bool)

func (b *builder) gauge(name, unit, help string, labels map[string]string, v value) {
	b.add(openmetrics.Family{Name: name, Type: openmetrics.Gauge, Unit: unit, Help: help}, labels, b.points(v))
}

func (b *builder) counter(name, unit, help string, labels map[string]string, v value) {
	b.add(openmetrics.Family{Name: name, Type: openmetrics.Counter, Unit: unit, Help: help}, labels, b.points(v))
}

// once adds a gauge with one value, at the command's end.
func (b *builder) once(name, unit, help string, labels map[string]string, v float64) {
	at := b.timeline.at(b.timeline.ended).Truncate(time.Millisecond)
	b.add(openmetrics.Family{Name: name, Type: openmetrics.Gauge, Unit: unit, Help: help}, labels,
		[]openmetrics.Point{{At: at, Value: v}})
}

func (b *builder) points(v value) []openmetrics.Point {
	var points []openmetrics.Point
	for i := range b.timeline.series.Samples {
		s := &b.timeline.series.Samples[i]
		if n, ok := v(i, s); ok {
			points = append(points, openmetrics.Point{At: s.At.Truncate(time.Millisecond), Value: n})
		}
	}
	return points
}

// add adds a series to the family it belongs to, unless it has no points.
func (b *builder) add(f openmetrics.Family, labels map[string]string, points []openmetrics.Point) {
	if len(points) == 0 {
		return
	}
	all := maps.Clone(b.labels)
	maps.Copy(all, labels)
	i := 0
	for i < len(b.families) && b.families[i].Name != f.Name {
		i++
	}
	if i == len(b.families) {
		b.families = append(b.families, f)
	}
	b.families[i].Series = append(b.families[i].Series, openmetrics.Series{Labels: all, Points: points})
}
