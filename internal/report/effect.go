package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// effectText shows the effects of one metric: in per cent on the ratio scale,
// in a readable unit on the difference scale.
type effectText struct {
	ratio    bool
	factor   float64 // shown = effect × factor
	unit     string
	decimals int
}

// newEffectText chooses unit and decimals from all effects of the metric and
// its margin, so that they can be compared down a column.
func newEffectText(m analysis.Metric) effectText {
	values := []float64{m.Margin}
	narrowest, largest := math.Inf(1), 0.0 // half-width of an interval, estimate
	for _, c := range withTwin(m) {
		if c.Effect == nil {
			continue
		}
		values = append(values, c.Effect.Estimate)
		largest = max(largest, math.Abs(c.Effect.Estimate))
		if iv := c.Effect.Interval; iv != nil {
			values = append(values, iv.Low, iv.High)
			narrowest = min(narrowest, (iv.High-iv.Low)/2)
		}
	}
	if m.Scale == result.Ratio {
		decimals := percentDecimals(100 * narrowest)
		if math.IsInf(narrowest, 1) && largest >= 0.1 {
			decimals = 0 // no interval is no reason for more digits
		}
		return effectText{ratio: true, factor: 100, unit: "%", decimals: decimals}
	}
	u := newMeasure(m.Unit, values)
	return effectText{factor: 1 / u.divisor, unit: u.unit, decimals: min(u.decimals, 2)}
}

// withTwin lists the metric's comparisons and, last, that of the A/A twin.
func withTwin(m analysis.Metric) []analysis.Comparison {
	if m.AA == nil {
		return m.Comparisons
	}
	return append(slices.Clone(m.Comparisons), *m.AA)
}

// percentDecimals is how many decimals of a percentage an interval of this
// half-width is worth.
func percentDecimals(half float64) int {
	switch {
	case half >= 5 && !math.IsInf(half, 1):
		return 0
	case half < 0.1:
		return 2
	}
	return 1
}

// estimate formats the estimate with sign and unit, such as "−21 %".
func (t effectText) estimate(e analysis.Effect) string {
	return prose.Signed(e.Estimate*t.factor, t.decimals) + " " + t.unit
}

// interval formats the interval, such as "−24 to −18 %", or says that there
// is none.
func (t effectText) interval(e analysis.Effect) string {
	if e.Interval == nil {
		return "no interval"
	}
	d := t.decimals
	return prose.Signed(e.Interval.Low*t.factor, d) + " to " + prose.Signed(e.Interval.High*t.factor, d) + " " + t.unit
}

// zero tells whether the estimate is shown as 0, which is neither less nor more.
func (t effectText) zero(e analysis.Effect) bool {
	return prose.Fixed(math.Abs(e.Estimate*t.factor), t.decimals) == prose.Fixed(0, t.decimals)
}

// change says the effect in words, such as "21 % less" with less and more as
// given; its interval is put in the same words.
func (t effectText) change(e analysis.Effect, less, more string) (size, interval string) {
	d := t.decimals
	word := more
	if e.Estimate < 0 {
		word = less
	}
	size = fmt.Sprintf("%s %s %s", prose.Fixed(math.Abs(e.Estimate*t.factor), d), t.unit, word)
	iv := e.Interval
	if iv == nil {
		return size, fmt.Sprintf("too few values for a %s interval", percent(analysis.Confidence))
	}
	low, high := iv.Low*t.factor, iv.High*t.factor
	span := fmt.Sprintf("%s %s %s to %s %s %s", prose.Fixed(math.Abs(low), d), t.unit, less, prose.Fixed(math.Abs(high), d), t.unit, more)
	if low > 0 || high < 0 {
		low, high = math.Abs(low), math.Abs(high)
		span = fmt.Sprintf("%s–%s %s", prose.Fixed(min(low, high), d), prose.Fixed(max(low, high), d), t.unit)
	}
	return size, fmt.Sprintf("%s interval %s", percent(iv.Confidence), span)
}

// margin formats the metric's margin.
func (t effectText) margin(m analysis.Metric) string {
	if m.Margin == 0 {
		return "0"
	}
	x := m.Margin * t.factor
	return prose.Fixed(x, marginDecimals(x)) + " " + t.unit
}

func marginDecimals(x float64) int {
	for d := range 3 {
		if scaled := x * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-9*math.Max(1, scaled) {
			return d
		}
	}
	return 3
}

// percent formats a fraction such as a confidence.
func percent(fraction float64) string {
	return prose.Fixed(100*fraction, marginDecimals(100*fraction)) + " %"
}
