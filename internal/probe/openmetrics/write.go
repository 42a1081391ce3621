package openmetrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Write writes families as OpenMetrics 1.0 text with a timestamp on every
// sample, in seconds and rounded down to milliseconds.
func Write(w io.Writer, families []Family) error {
	out := bufio.NewWriter(w)
	names := map[string]bool{}
	for _, f := range families {
		if err := f.validate(); err != nil {
			return fmt.Errorf("writing OpenMetrics: %w", err)
		}
		if names[f.Name] {
			return fmt.Errorf("writing OpenMetrics: metric %s comes twice", f.Name)
		}
		names[f.Name] = true
		if _, err := expfmt.MetricFamilyToOpenMetrics(out, f.encode()); err != nil {
			return fmt.Errorf("writing OpenMetrics: %w", err)
		}
	}
	if _, err := expfmt.FinalizeOpenMetrics(out); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

func (f Family) encode() *dto.MetricFamily {
	name := f.Name
	kind := dto.MetricType_GAUGE
	if f.Type == Counter {
		name += "_total"
		kind = dto.MetricType_COUNTER
	}
	family := &dto.MetricFamily{Name: &name, Help: &f.Help, Type: &kind}
	if f.Unit != "" {
		family.Unit = &f.Unit
	}
	for _, s := range f.Series {
		labels := s.encodeLabels()
		for _, p := range s.Points {
			millis := p.At.UnixMilli()
			m := &dto.Metric{Label: labels, TimestampMs: &millis}
			if f.Type == Counter {
				m.Counter = &dto.Counter{Value: &p.Value}
			} else {
				m.Gauge = &dto.Gauge{Value: &p.Value}
			}
			family.Metric = append(family.Metric, m)
		}
	}
	return family
}

func (s Series) encodeLabels() []*dto.LabelPair {
	var labels []*dto.LabelPair
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		value := s.Labels[name]
		labels = append(labels, &dto.LabelPair{Name: &name, Value: &value})
	}
	return labels
}
