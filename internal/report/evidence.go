package report

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

// ReadSeries reads from the evidence how every ok trial went over time. Trials
// whose evidence is not there, as in a copy without raw/, are left out.
func ReadSeries(d *result.Dir, trials []result.Trial) ([]Series, error) {
	var all []Series
	for _, t := range result.LastAttempts(trials) {
		if t.Status != result.OK || t.Window == nil {
			continue
		}
		s := Series{Cell: t.Cell, Variant: t.Variant, Block: t.Block}
		load, err := d.Metrics(t, "throughput", openmetrics.ThroughputFamily, openmetrics.RetransmitsFamily)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		s.Throughput = streamPoints(load, openmetrics.ThroughputFamily, gigabit, t.Window.Start)
		s.Retransmits = streamPoints(load, openmetrics.RetransmitsFamily, 1, t.Window.Start)
		names, err := d.MetricsNames(t, "probe-")
		if err != nil {
			return nil, err
		}
		busy := map[time.Time]float64{}
		for _, name := range names {
			families, err := d.Metrics(t, name, openmetrics.CPUFamily)
			if err != nil {
				return nil, err
			}
			addBusy(busy, families)
		}
		s.Busy = sorted(busy, t.Window.Start)
		if len(s.Throughput)+len(s.Busy) > 0 {
			all = append(all, s)
		}
	}
	return all, nil
}

const gigabit = 1e9

// streamPoints adds up what a family has of each stream, whose intervals are
// numbered alike, in multiples of a unit.
func streamPoints(families []openmetrics.Family, name string, unit float64, start time.Time) []Point {
	var points []Point
	for _, f := range families {
		if f.Name != name {
			continue
		}
		for _, series := range f.Series {
			for i, p := range series.Points {
				if i == len(points) {
					points = append(points, Point{Offset: p.At.Sub(start).Seconds()})
				}
				points[i].Value += p.Value / unit
			}
		}
	}
	return points
}

// addBusy turns counters of CPU seconds by mode into busy cores between
// samples, and adds them up over modes and kernels.
func addBusy(busy map[time.Time]float64, families []openmetrics.Family) {
	for _, f := range families {
		if f.Name != openmetrics.CPUFamily {
			continue
		}
		for _, series := range f.Series {
			if mode := series.Labels["mode"]; mode == "idle" || mode == "iowait" {
				continue
			}
			for i := 1; i < len(series.Points); i++ {
				a, b := series.Points[i-1], series.Points[i]
				if d := b.At.Sub(a.At).Seconds(); d > 0 {
					busy[b.At] += (b.Value - a.Value) / d
				}
			}
		}
	}
}

func sorted(values map[time.Time]float64, start time.Time) []Point {
	var points []Point
	for _, at := range slices.SortedFunc(maps.Keys(values), time.Time.Compare) {
		points = append(points, Point{Offset: at.Sub(start).Seconds(), Value: values[at]})
	}
	return points
}
