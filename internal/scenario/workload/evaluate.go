package workload

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// Outputs lists the files in the client's pod that must be read back.
func (w Workload) Outputs() []string {
	var files []string
	for _, s := range w.sources() {
		if s.From != Stdout && s.From != Stderr && !slices.Contains(files, s.From) {
			files = append(files, s.From)
		}
	}
	return files
}

func (w Workload) sources() []Source {
	var all []Source
	for _, v := range w.Values {
		all = append(all, v.Source)
	}
	for _, f := range w.Facts {
		all = append(all, f.Source)
	}
	if w.Window != nil {
		all = append(all, w.Window.Start, w.Window.End)
	}
	return all
}

// Measured finds the figures in the output, in their metrics' units. A figure
// that is missing is an error: a trial has all of them or none.
func (w Workload) Measured(out Output) ([]result.Value, error) {
	var values []result.Value
	var problems []error
	for _, v := range w.Values {
		number, err := v.Source.number(out)
		if err != nil {
			problems = append(problems, fmt.Errorf("finding %s: %w", v.Metric.Name, err))
			continue
		}
		values = append(values, result.Value{Metric: v.Metric, Value: number * v.Factor})
	}
	return values, errors.Join(problems...)
}

// FactsOf finds what else the output says.
func (w Workload) FactsOf(out Output) (map[string]string, error) {
	facts := map[string]string{}
	for _, f := range w.Facts {
		text, err := f.Source.Text(out)
		if err != nil {
			return nil, fmt.Errorf("finding the fact %q: %w", f.Name, err)
		}
		facts[f.Name] = text
	}
	return facts, nil
}

// WindowOf returns the span that the figures describe: as the output tells it,
// or the client's life without the warm-up. It must lie within that life.
func (w Workload) WindowOf(out Output, v parameter.Values, life sample.Window) (sample.Window, error) {
	window := sample.Window{Start: life.Start.Add(w.Omit(v)), End: life.End}
	if w.Window != nil {
		var err error
		if window.Start, err = w.Window.Start.instant(out); err != nil {
			return window, fmt.Errorf("finding the window's start: %w", err)
		}
		if window.End, err = w.Window.End.instant(out); err != nil {
			return window, fmt.Errorf("finding the window's end: %w", err)
		}
		if window.Start.Before(life.Start) || window.End.After(life.End) {
			return window, fmt.Errorf("the output says that it measured from %s to %s, and the client ran from %s to %s",
				clock(window.Start), clock(window.End), clock(life.Start), clock(life.End))
		}
	}
	if !window.Start.Before(window.End) {
		return window, fmt.Errorf("nothing was measured: the window begins at %s and ends at %s", clock(window.Start), clock(window.End))
	}
	return window, nil
}

func clock(t time.Time) string { return t.Format(time.RFC3339Nano) }
