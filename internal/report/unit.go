package report

import (
	"math"

	"github.com/cnibench/cnibench/internal/prose"
)

// measure shows the values of one metric in one cell: all in the same unit and
// with the same number of decimals, so that a column can be read downwards.
type measure struct {
	divisor  float64
	unit     string
	decimals int
	counts   bool // whole numbers; a median or mean between two gets a decimal
	money    bool // amounts of a currency
}

// step is a unit that reads better from a certain size up.
type step struct {
	from float64 // in the metric's own unit; also the divisor
	unit string
}

// steps lists, for units whose values span decades, what to show them in,
// largest first; the last is used for everything smaller.
var steps = map[string][]step{
	"bit/s": {{1e18, "Ebit/s"}, {1e15, "Pbit/s"}, {1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}},
	"s":     {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {1e-12, "ps"}, {1e-15, "fs"}},
	"bytes": {{1 << 50, "PiB"}, {1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "bytes"}},
	"cores": {{0.1, "cores"}, {1e-3, "mCPU"}},
}

// newMeasure chooses unit and decimals so that the largest of the values has
// four significant digits; whole numbers stay whole.
func newMeasure(unit string, values []float64) measure {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	m := measure{divisor: 1, unit: unit}
	for _, s := range steps[unit] {
		m.divisor, m.unit = s.from, s.unit
		if largest >= s.from || largest == 0 && s.unit == unit {
			break
		}
	}
	if m.unit == "cores" {
		m.divisor = 1 // the step starts at a tenth of its unit
	}
	m.decimals = decimals(largest/m.divisor, 4)
	if m.divisor == 1 && whole(values) {
		m.decimals, m.counts = 0, true
	}
	return m
}

// number formats a value of the metric without its unit.
func (m measure) number(v float64) string {
	if m.money {
		return prose.Money(v)
	}
	if m.counts && v != math.Trunc(v) {
		return prose.Fixed(v, 1)
	}
	return prose.Fixed(v/m.divisor, m.decimals)
}

// with formats a value of the metric with its unit.
func (m measure) with(v float64) string { return m.number(v) + " " + m.unit }

// span formats an interval, without the unit.
func (m measure) span(low, high float64) string { return m.number(low) + " – " + m.number(high) }

// decimals returns how many decimals give x that many significant digits, at
// most one less than digits.
func decimals(x float64, digits int) int {
	if x == 0 {
		return 0
	}
	return min(max(digits-1-int(math.Floor(math.Log10(x))), 0), digits-1)
}

func whole(values []float64) bool {
	for _, v := range values {
		if v != math.Trunc(v) {
			return false
		}
	}
	return true
}
