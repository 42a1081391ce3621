package mlrsearch

import (
	"fmt"
	"testing"
	"time"
)

// The document's example search (its appendix C): four goals, and what six
// points in time make of one load. Its table calls the load a lower bound for
// the last goal at the last two points, at exceed ratios that it prints as
// 42.857 % and 27.273 %; its code, which is what specifies, says upper bound.
var exampleGoals = []Goal{
	{Name: "RFC2544", FinalTrial: time.Minute, DurationSum: time.Minute},
	{Name: "TST009", FinalTrial: time.Minute, DurationSum: 2 * time.Minute, ExceedRatio: 0.5},
	{Name: "1s final", FinalTrial: time.Second, DurationSum: 2 * time.Minute, LossRatio: 0.005, ExceedRatio: 0.5},
	{Name: "20% exceed", FinalTrial: time.Minute, DurationSum: time.Minute, LossRatio: 0.005, ExceedRatio: 0.2},
}

func repeated(n int, d time.Duration, loss float64) []Measurement {
	all := make([]Measurement, n)
	for i := range all {
		all[i] = Measurement{Trial{1e6, d}, Outcome{LossRatio: loss, Elapsed: d}}
	}
	return all
}

func TestClassifyFollowsTheDocumentsExample(t *testing.T) {
	points := []struct {
		added []Measurement
		want  [4]Class
	}{
		{repeated(59, time.Second, 0), [4]Class{Undecided, Undecided, Undecided, Undecided}},
		{repeated(1, time.Second, 0.01), [4]Class{UpperBound, Undecided, Undecided, Undecided}},
		{repeated(59, time.Second, 0.01), [4]Class{UpperBound, Undecided, Undecided, UpperBound}},
		{repeated(1, time.Second, 0), [4]Class{UpperBound, Undecided, LowerBound, UpperBound}},
		{repeated(1, time.Minute, 0.001), [4]Class{UpperBound, Undecided, LowerBound, UpperBound}},
		{repeated(1, time.Minute, 0), [4]Class{UpperBound, LowerBound, LowerBound, UpperBound}},
	}
	var trials []Measurement
	for i, point := range points {
		trials = append(trials, point.added...)
		for j, goal := range exampleGoals {
			if got := goal.Classify(trials); got != point.want[j] {
				t.Errorf("point %d, goal %s: class %d, want %d", i+1, goal.Name, got, point.want[j])
			}
		}
	}
	for j, want := range map[int]float64{1: 1e6, 2: 1e6, 3: 0.999e6} {
		goal := exampleGoals[j]
		if got := 1e6 * (1 - goal.QuantileLoss(trials)); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", want) {
			t.Errorf("goal %s: conditional throughput %v, want %v", goal.Name, got, want)
		}
	}
}

// A load is left as soon as its class is certain, and what was not measured
// counts as lost.
func TestClassifyLeavesEarly(t *testing.T) {
	goal := Goal{FinalTrial: time.Second, DurationSum: 5 * time.Second, ExceedRatio: 0.5, LossRatio: 0.005}
	tests := map[string]struct {
		trials   []Measurement
		class    Class
		quantile float64
	}{
		"nothing":              {nil, Undecided, 1},
		"two good":             {repeated(2, time.Second, 0), Undecided, 1},
		"three good":           {repeated(3, time.Second, 0.004), LowerBound, 0.004},
		"two bad":              {repeated(2, time.Second, 0.1), Undecided, 1},
		"three bad":            {repeated(3, time.Second, 0.1), UpperBound, 0.1},
		"any number of short":  {repeated(99, time.Second/4, 0), Undecided, 1},
		"enough short and bad": {repeated(11, time.Second/4, 0.1), UpperBound, 1},
		"short ones balance": {
			append(repeated(11, time.Second/4, 0.1), repeated(1, time.Second/4, 0)...), Undecided, 1,
		},
		"three of five": {append(repeated(2, time.Second, 0.1), repeated(3, time.Second, 0)...), LowerBound, 0},
	}
	for name, test := range tests {
		if got := goal.Classify(test.trials); got != test.class {
			t.Errorf("%s: class %d, want %d", name, got, test.class)
		}
		if got := goal.QuantileLoss(test.trials); got != test.quantile {
			t.Errorf("%s: quantile loss %v, want %v", name, got, test.quantile)
		}
	}
}
