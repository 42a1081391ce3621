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

// BeyondForecast is why a forecast has no number when more than ForecastCap
// blocks would be needed.
var BeyondForecast = fmt.Sprintf("more than %d further blocks", ForecastCap)

const tooFewToForecast = "too few values to say how many more"

// Forecast says how many further blocks are likely to settle a comparison.
type Forecast struct {
	// Blocks is the number of further blocks, 1 to ForecastCap; 0 when Unknown
	// says why there is none. For independent samples it is the number of
	// further values on both sides.
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
	return furtherBlocks(d, margin, alpha, nearerMargin)
}

// FurtherBlocksToGate is FurtherBlocks for an inconclusive gate, for which only
// the lower margin counts.
func FurtherBlocksToGate(d []float64, margin, alpha float64) (Forecast, error) {
	return furtherBlocks(d, margin, alpha, lowerMargin)
}

// FurtherBetween is FurtherBlocks for two independent samples: how many further
// values both sides need. The standard error is taken to shrink as
// √(1/NA + 1/NB) does.
func FurtherBetween(a, b []float64, margin, alpha float64) (Forecast, error) {
	return furtherBetween(a, b, margin, alpha, nearerMargin)
}

// FurtherBetweenToGate is FurtherBetween for an inconclusive gate.
func FurtherBetweenToGate(a, b []float64, margin, alpha float64) (Forecast, error) {
	return furtherBetween(a, b, margin, alpha, lowerMargin)
}

// nearerMargin and lowerMargin are the distances of a shift from what decides.
func nearerMargin(shift, margin float64) float64 { return math.Abs(math.Abs(shift) - margin) }
func lowerMargin(shift, margin float64) float64  { return math.Abs(shift + margin) }

func furtherBlocks(d []float64, margin, alpha float64, distance func(shift, margin float64) float64) (Forecast, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return Forecast{}, err
	}
	if err := checkForecast(margin, alpha); err != nil {
		return Forecast{}, err
	}
	n := len(sorted)
	if n < 2 {
		return Forecast{Unknown: tooFewToForecast}, nil
	}
	sigma := intervalSigma(sorted)
	return forecast(distance(medianSorted(walshAverages(sorted)), margin), alpha, func(further int) (se, smallestP float64) {
		return sigma / math.Sqrt(float64(n+further)), SmallestP(n + further)
	}), nil
}

func furtherBetween(a, b []float64, margin, alpha float64, distance func(shift, margin float64) float64) (Forecast, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return Forecast{}, err
	}
	if err := checkForecast(margin, alpha); err != nil {
		return Forecast{}, err
	}
	if err := s.checkSize(); err != nil {
		return Forecast{}, err
	}
	na, nb := len(s.a), len(s.b)
	if na < 2 || nb < 2 {
		return Forecast{Unknown: tooFewToForecast}, nil
	}
	root := func(further int) float64 {
		return math.Sqrt(1/float64(na+further) + 1/float64(nb+further))
	}
	differences := s.differences()
	// A little less than the widest, lest rounding ask for more than there is.
	widest := 1 - 2*UnpairedSmallestP(na, nb) - 1e-12
	iv, _ := s.interval(differences, min(0.95, widest))
	sigma := iv.HalfWidth() / normalQuantile((1+iv.Coverage)/2) / root(0)
	return forecast(distance(medianSorted(differences), margin), alpha, func(further int) (se, smallestP float64) {
		return sigma * root(further), UnpairedSmallestP(na+further, nb+further)
	}), nil
}

func checkForecast(margin, alpha float64) error {
	if err := checkMargin(margin); err != nil {
		return err
	}
	return checkAlpha(alpha)
}

// forecast finds the smallest number of further values with which a shift at a
// distance from what decides is likely to be told from it; after gives the
// standard error and the smallest p-value that there will be.
func forecast(distance, alpha float64, after func(further int) (se, smallestP float64)) Forecast {
	z := normalQuantile(1-alpha) + normalQuantile(forecastPower)
	for further := 1; further <= ForecastCap; further++ {
		if se, smallest := after(further); smallest <= alpha && z*se < distance {
			return Forecast{Blocks: further}
		}
	}
	return Forecast{Unknown: BeyondForecast}
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
