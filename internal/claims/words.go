package claims

import (
	"math"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// plain writes a number with as many digits as it takes, at most 6 significant.
func plain(x float64) string { return significant(x, 6) }

// significant writes a number to so many digits, without zeros at its end.
// Digits before the point are all written.
func significant(x float64, n int) string {
	digits := 0
	if a := math.Abs(x); a > 0 {
		digits = max(0, n-1-int(math.Floor(math.Log10(a))))
	}
	s := prose.Fixed(x, min(digits, 12))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// percentage writes a fraction as a percentage.
func percentage(x float64) string { return prose.Fixed(100*x, 1) + " %" }

// signedPercentage writes a change as a percentage.
func signedPercentage(x float64) string { return prose.Signed(100*x, 1) + " %" }

// amount is what the source prints, with its unit.
func (c Claim) amount() string {
	if c.Number == nil {
		return ""
	}
	text := strings.NewReplacer("..", " to ", ">=", "at least ", "<=", "at most ", "~", "about ", " %", " %", "%", " %", "-", "−").Replace(c.Number.Text)
	if c.Unit.Name != "" {
		text += " " + c.Unit.Name
	}
	return text
}

// show writes a computed number as the claim's own is: a change in percent,
// amounts from 1000 on to two decimals, others to four digits.
func (c Claim) show(x float64) string {
	if strings.Contains(c.Number.Text, "%") {
		return percentage(x)
	}
	text := significant(x, 4)
	if math.Abs(x) >= 1000 {
		text = prose.Fixed(x, 2)
	}
	if c.Unit.Name != "" {
		text += " " + c.Unit.Name
	}
	return text
}

// atLines is "line 18" or "lines 18-22".
func atLines(lines string) string {
	if strings.ContainsAny(lines, "-,") {
		return "lines " + lines
	}
	return "line " + lines
}

// computed is a formula and what it gives, which is once for a mere number.
func computed(e Expression, x float64) string {
	if text := plain(x); e.String() != text {
		return e.String() + " = " + text
	}
	return e.String()
}

// prefixes of units that take one, the largest first.
var prefixes = map[string][]struct {
	factor float64
	name   string
}{
	"bit/s": {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}},
	"s":     {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}},
	"bytes": {{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "bytes"}},
}

// inUnit writes an amount of a metric's unit for people, to 4 digits.
func inUnit(x float64, unit string) string {
	for i, p := range prefixes[unit] {
		if math.Abs(x) >= p.factor || i == len(prefixes[unit])-1 {
			return four(x/p.factor) + " " + p.name
		}
	}
	if unit == "" {
		return four(x)
	}
	return four(x) + " " + unit
}

func four(x float64) string { return significant(x, 4) }
