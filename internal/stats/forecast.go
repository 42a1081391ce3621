package stats

import (
	"fmt"
	"math"
)

const (
	// ForecastCap is the largest number of further blocks that is forecast.
	ForecastCap = 100
	// forecastPower is the chance of a verdict that counts as likely: the
	// usual 80 % of a sample-size calculation (Cohen 1988).
	forecastPower = 0.8
)

// Forecast says how many further blocks are likely to settle a comparison.
type Forecast struct {
	// Blocks is the number of further blocks, 1 to ForecastCap; 0 when Unknown
	// says why there is none.
	Blocks  int
	Unknown string
}

// FurtherBlocks forecasts, for an inconclusive comparison with differences d,
// the number of further blocks after which a verdict is likely. Alpha is the
// one-sided level which the comparison has to meet: VerdictAlpha, divided by
// the size of its family to be on the safe side of Holm.
//
// It takes the observed shift for the true one, and the half-width of the
// Hodges–Lehmann interval to shrink with the square root of the number of
// blocks. The standard error σ/√N follows from that half-width; the answer is
// the smallest N with
//
//	(z(1 − alpha) + z(0.8)) · σ/√N < distance of the shift to the nearer of ±margin
//
// that can attain alpha at all. A shift beyond the margin heads for better or
// worse, one within it for equivalent. With few blocks σ is rough, and so is
// the forecast. It fails when d is empty, a value is not finite, or margin or
// alpha is out of range.
func FurtherBlocks(d []float64, margin, alpha float64) (Forecast, error) {
	sorted, err := sortedSample(d)
	if err != nil {
		return Forecast{}, err
	}
	if err := checkMargin(margin); err != nil {
		return Forecast{}, err
	}
	if err := checkAlpha(alpha); err != nil {
		return Forecast{}, err
	}
	n := len(sorted)
	if n < 2 {
		return Forecast{Unknown: "need at least 2 pairs to forecast"}, nil
	}
	shift := medianSorted(walshAverages(sorted))
	distance := math.Abs(math.Abs(shift) - margin)
	reach := (normalQuantile(1-alpha) + normalQuantile(forecastPower)) * intervalSigma(sorted)
	for total := max(n+1, minBlocks(alpha)); total <= n+ForecastCap; total++ {
		if reach/math.Sqrt(float64(total)) < distance {
			return Forecast{Blocks: total - n}, nil
		}
	}
	return Forecast{Unknown: fmt.Sprintf("not within %d blocks", ForecastCap)}, nil
}

// intervalSigma is √n times the standard error of the shift, read off the
// half-width of the 95 % interval or, for fewer than 6 pairs, of the widest
// interval there is (smallest to largest difference, confidence 1 − 2·2⁻ⁿ).
func intervalSigma(d []float64) float64 {
	n := len(d)
	iv := shiftInterval(d, min(0.95, 1-2*SmallestP(n)))
	return iv.HalfWidth() * math.Sqrt(float64(n)) / normalQuantile((1+iv.Coverage)/2)
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
