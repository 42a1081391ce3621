package analysis

import (
	"math"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func warned(a Analysis, code string) bool {
	for _, w := range a.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestStabilityWarnings(t *testing.T) {
	p := testPlan(10, "host", "b")
	flat := func(block, position int) float64 { return math.Sin(float64(block*3+position*5)) / 1000 }
	tests := []struct {
		code   string
		change func(block, position int) float64 // as a fraction
	}{
		{"", flat},
		{"drift", func(b, q int) float64 { return 0.01*float64(b) + flat(b, q) }},
		{"position-effect", func(b, q int) float64 { return 0.01*float64(q) + flat(b, q) }},
		{"spread", func(b, q int) float64 { return 0.2 * math.Sin(float64(b*b+17*q)) }},
	}
	for _, test := range tests {
		t.Run(test.code, func(t *testing.T) {
			var trials []result.Trial
			for b := range p.Blocks {
				for _, v := range []string{"host", "b"} {
					tr := trial(p, b+1, v)
					tr.Values = []result.Value{gbits(20 * (1 + test.change(b+1, tr.Position)))}
					trials = append(trials, tr)
				}
			}
			a := analyze(t, p, trials, result.Environment{})
			for _, code := range []string{"drift", "position-effect", "spread"} {
				if warned(a, code) != (code == test.code) {
					t.Errorf("warning %q is %v, want only %q: %v", code, warned(a, code), test.code, a.Warnings)
				}
			}
		})
	}
}
