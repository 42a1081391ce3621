package analysis

import (
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// outlierSamples is the smallest sample in which outliers are marked: below
// it, two close values make every other one look far away.
const outlierSamples = 6

// newArm collects one variant's values of a metric from the ok trials of a
// cell, which are sorted by block.
func newArm(variant, metric string, ok []result.Trial) (Arm, error) {
	arm := Arm{Variant: variant, Samples: []Sample{}}
	for _, t := range ok {
		if t.Variant != variant {
			continue
		}
		v, has := t.Value(metric)
		if !has {
			arm.Absent++
			continue
		}
		s := Sample{Block: t.Block, Position: t.Position, Attempt: t.Attempt, Value: v.Value, Partial: v.Partial}
		for _, m := range t.Marks {
			s.Marks = append(s.Marks, m.Name)
		}
		arm.Samples = append(arm.Samples, s)
		if v.Partial != "" && !slices.Contains(arm.Partial, v.Partial) {
			arm.Partial = append(arm.Partial, v.Partial)
		}
	}
	if len(arm.Samples) == 0 {
		return arm, nil
	}
	return arm, arm.summarize()
}

// values returns the samples' values by block.
func (a Arm) values() []float64 {
	xs := make([]float64, len(a.Samples))
	for i, s := range a.Samples {
		xs[i] = s.Value
	}
	return xs
}

func (a *Arm) summarize() error {
	xs := a.values()
	s, err := stats.Summarize(xs, Confidence)
	if err != nil {
		return err
	}
	a.Summary = &Summary{
		N: s.N, Median: s.Median, Interval: interval(s.MedianInterval),
		Mean: s.Mean, SD: finite(s.SD), Min: s.Min, Max: s.Max,
	}
	if s.N < outlierSamples {
		return nil
	}
	zs, err := stats.ModifiedZ(xs)
	if err != nil {
		return err
	}
	for i, z := range zs {
		a.Samples[i].Outlier = math.Abs(z) > stats.OutlierZ
	}
	return nil
}

// interval returns nil for an interval that a sample is too small for.
func interval(iv stats.Interval) *Interval {
	if iv.Absent != "" {
		return nil
	}
	return &Interval{Low: iv.Low, High: iv.High, Confidence: iv.Confidence, Coverage: iv.Coverage}
}

// finite returns nil for a number that does not exist.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
