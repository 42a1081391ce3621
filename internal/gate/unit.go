package gate

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// Quantity is a number with the unit that somebody wrote after it.
type Quantity struct {
	Value float64
	Unit  string // "" when there was none
}

// quantitySyntax is a decimal number, perhaps with an exponent, and a unit.
var quantitySyntax = regexp.MustCompile(`^([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?) ?([^-+ 0-9.\pC][^ \pC]*)?$`)

// parseQuantity reads texts such as 9Gbit/s, 0.5 ms and 3%.
func parseQuantity(text string) (Quantity, error) {
	m := quantitySyntax.FindStringSubmatch(text)
	if m == nil || !utf8.ValidString(text) {
		return Quantity{}, fmt.Errorf("%q is not a number with a unit", text)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.Abs(v) > 1e300 {
		return Quantity{}, fmt.Errorf("the number in %q is too large", text)
	}
	return Quantity{Value: v, Unit: m[2]}, nil
}

// multiple is a unit by another name or size.
type multiple struct {
	name string
	size float64 // in the metric's own unit
}

// multiples lists, for units whose values span decades, how they are written;
// those before the first empty name are also used to show values, largest
// first.
var multiples = map[string][]multiple{
	"bit/s":   {{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}, {"bit/s", 1}, {}, {"Tbit/s", 1e12}},
	"s":       {{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}, {}, {"us", 1e-6}, {"μs", 1e-6}},
	"bytes":   {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"bytes", 1}, {}, {"TiB", 1 << 40}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}},
	"cores":   {{"cores", 1}, {"mCPU", 1e-3}},
	"percent": {{"%", 1}, {}, {"percent", 1}},
}

// in converts a quantity into a metric's unit.
func (q Quantity) in(unit string) (float64, error) {
	if q.Unit == unit {
		return q.Value, nil
	}
	var names []string
	for _, m := range multiples[unit] {
		if m.name == "" {
			continue
		}
		if m.name == q.Unit {
			return q.Value * m.size, nil
		}
		names = append(names, m.name)
	}
	if len(names) == 0 {
		names = []string{unit}
	}
	if unit == "" {
		return 0, fmt.Errorf("the metric has no unit, and %q is one", q.Unit)
	}
	if q.Unit == "" {
		return 0, fmt.Errorf("the number has no unit; the metric's are %s", strings.Join(names, ", "))
	}
	return 0, fmt.Errorf("the unit %q is none of the metric's, which are %s", q.Unit, strings.Join(names, ", "))
}

// shown is how the values of one check are written: in one unit, with enough
// decimals for the smallest difference that matters.
type shown struct {
	size     float64
	unit     string
	decimals int
}

// show chooses the unit in which the largest of the values reads best, with
// four significant digits.
func show(unit string, values ...float64) shown {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	s := shown{size: 1, unit: unit}
	for _, m := range multiples[unit] {
		if m.name == "" {
			break
		}
		s.size, s.unit = m.size, m.name
		if largest >= m.size {
			break
		}
	}
	if x := largest / s.size; x > 0 {
		s.decimals = min(max(3-int(math.Floor(math.Log10(x))), 0), 3)
	}
	return s
}

func (s shown) number(v float64) string { return prose.Fixed(v/s.size, s.decimals) }

func (s shown) with(v float64) string { return strings.TrimSpace(s.number(v) + " " + s.unit) }

func (s shown) span(low, high float64) string {
	return strings.TrimSpace(s.number(low) + " to " + s.number(high) + " " + s.unit)
}

// plain writes a quantity that a person chose, without decimals that it does
// not have.
func plain(unit string, v float64) string {
	s := show(unit, v)
	return strings.TrimSpace(short(v/s.size) + " " + s.unit)
}

// short writes x with up to six significant digits.
func short(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', 6, 64), "-", "−", 1)
}

// change writes an effect and its interval, in per cent on the ratio scale.
type change struct {
	shown
	factor float64
}

func showChange(scale result.Scale, unit string, values ...float64) change {
	if scale == result.Ratio {
		return change{shown{1, "%", 1}, 100}
	}
	return change{show(unit, values...), 1}
}

func (c change) estimate(x float64) string {
	return strings.TrimSpace(prose.Signed(x*c.factor/c.size, c.decimals) + " " + c.unit)
}

func (c change) interval(low, high float64) string {
	return strings.TrimSpace(prose.Signed(low*c.factor/c.size, c.decimals) + " to " + prose.Signed(high*c.factor/c.size, c.decimals) + " " + c.unit)
}
