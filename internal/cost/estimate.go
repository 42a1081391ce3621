package cost

import (
	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/stats"
)

// estimator turns blocks into estimates. A loose one has no intervals: its
// values are figures of a file, or runs that are no blocks.
type estimator struct {
	loose bool
	// single says that all blocks are of one installation of each variant.
	single bool
}

// of estimates a value over blocks. The second result says why there is none.
func (e estimator) of(xs []float64) (*Estimate, string) {
	if len(xs) == 0 {
		return nil, "no block has a value"
	}
	shift, err := stats.PairedShift(xs, analysis.Confidence)
	if err != nil {
		return nil, err.Error()
	}
	est := &Estimate{Value: shift.Estimate, N: shift.N}
	if iv := shift.Interval; iv.Absent == "" && !e.loose {
		est.Interval = &analysis.Interval{Low: iv.Low, High: iv.High, Confidence: iv.Confidence, Coverage: iv.Coverage}
	}
	return est, ""
}

// figure is of as a Figure.
func (e estimator) figure(xs []float64) Figure {
	est, missing := e.of(xs)
	return Figure{Estimate: est, Missing: missing}
}
