package openmetrics

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Type is what kind of quantity a family holds.
type Type string

// The kinds that a node is described with.
const (
	Counter Type = "counter" // only grows
	Gauge   Type = "gauge"   // goes up and down
)

// Family is a metric with all its series.
type Family struct {
	Name   string // ends in _UNIT where it has a unit; without _total
	Type   Type
	Unit   string // empty for bare counts
	Help   string
	Series []Series
}

// Series is a metric with one set of labels, over time.
type Series struct {
	Labels map[string]string
	Points []Point
}

// Point is one value. Times are in UTC and whole milliseconds.
type Point struct {
	At    time.Time
	Value float64
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// validate reports how f breaks the rules of OpenMetrics 1.0.
func (f Family) validate() error {
	switch {
	case !metricName.MatchString(f.Name), strings.HasSuffix(f.Name, "_total"):
		return fmt.Errorf("%q is no name for a metric family", f.Name)
	case f.Type != Counter && f.Type != Gauge:
		return fmt.Errorf("metric %s has the type %q", f.Name, f.Type)
	case f.Unit != "" && !strings.HasSuffix(f.Name, "_"+f.Unit):
		return fmt.Errorf("metric %s does not end in its unit %q", f.Name, f.Unit)
	case f.Help == "" || !utf8.ValidString(f.Help):
		return fmt.Errorf("metric %s has no valid help text", f.Name)
	case len(f.Series) == 0:
		return fmt.Errorf("metric %s has no series", f.Name)
	}
	seen := map[string]bool{}
	for _, s := range f.Series {
		key := s.key()
		if seen[key] {
			return fmt.Errorf("metric %s has two series with the labels %v", f.Name, s.Labels)
		}
		seen[key] = true
		if err := s.validate(f.Type); err != nil {
			return fmt.Errorf("metric %s with the labels %v: %w", f.Name, s.Labels, err)
		}
	}
	return nil
}

func (s Series) validate(t Type) error {
	if len(s.Points) == 0 {
		return errors.New("series has no points")
	}
	for name, value := range s.Labels {
		if !labelName.MatchString(name) || !utf8.ValidString(value) {
			return fmt.Errorf("%q=%q is no valid label", name, value)
		}
	}
	for i, p := range s.Points {
		if t == Counter && !(p.Value >= 0) {
			return fmt.Errorf("counter has the value %v", p.Value)
		}
		if i > 0 && p.At.UnixMilli() <= s.Points[i-1].At.UnixMilli() {
			return fmt.Errorf("point %d is not at least a millisecond later than the one before it", i+1)
		}
	}
	return nil
}

// key identifies the label set.
func (s Series) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		fmt.Fprintf(&b, "%s=%q,", name, s.Labels[name])
	}
	return b.String()
}
