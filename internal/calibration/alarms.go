package calibration

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/stats"
)

// alarmsOf compares the twins in every disjoint group of as many consecutive
// pairs as a verdict needs at least; what is left at the end belongs to none.
func alarmsOf(d []float64, margin float64) (*Alarms, error) {
	size, err := stats.MinBlocks(stats.VerdictAlpha, 1)
	if err != nil {
		return nil, err
	}
	var groups [][]float64
	for rest := d; len(rest) >= size; rest = rest[size:] {
		groups = append(groups, rest[:size])
	}
	a := &Alarms{GroupBlocks: size, Groups: len(groups)}
	if len(groups) < RateGroups {
		a.Absent = fmt.Sprintf("a rate takes %d groups, %d blocks", RateGroups, RateGroups*size)
	}
	if len(groups) == 0 {
		return a, nil
	}
	twins, err := stats.TwinsOf(groups, AlarmLevel, margin)
	if err != nil {
		return nil, err
	}
	a.Alarms, a.Claimed, a.Expected = twins.Alarms.Count, twins.Claimed, twins.Expected
	if a.Absent != "" {
		return a, nil
	}
	a.Rate = &Rate{Share: twins.Alarms.Share, Low: twins.Alarms.Interval.Low, High: twins.Alarms.Interval.High}
	if twins.Uniformity.Absent == "" {
		a.Uniformity = &twins.Uniformity.P
	}
	return a, nil
}
