package claims

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Number is a number or a range as it is printed. An open range has an infinite
// end. Half is what rounding leaves open on either side: half of the last digit
// that is printed.
type Number struct {
	Low, High float64
	Half      float64
	Text      string // as it is written in the file
}

// Single tells whether it is one number and no range.
func (n Number) Single() bool { return n.Low == n.High }

// Holds tells whether x is the number, or in the range, as far as its digits
// say.
func (n Number) Holds(x float64) bool {
	slack := n.Half + 1e-9*math.Abs(x) // what computing in floats loses
	return x >= n.Low-slack && x <= n.High+slack
}

// overlaps tells whether both can be the same.
func (n Number) overlaps(m Number) bool {
	slack := n.Half + m.Half + 1e-9*math.Abs(m.Low)
	return n.Low <= m.High+slack && m.Low <= n.High+slack
}

// scaled is the number in a unit that is factor times smaller.
func (n Number) scaled(factor float64) Number {
	n.Low, n.High, n.Half = n.Low*factor, n.High*factor, n.Half*factor
	return n
}

const (
	decimal = `[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?`
	percent = `(?: ?(%))?`
)

var (
	singleSyntax = regexp.MustCompile(`^(~|>=|<=)?(` + decimal + `)` + percent + `$`)
	rangeSyntax  = regexp.MustCompile(`^(` + decimal + `)` + percent + `\.\.(` + decimal + `)` + percent + `$`)
)

// ParseNumber reads a number (9.6), a range (9.2..9.8), one with an open end
// (>=450), or one that is said to be approximate (~13), whose last digit may
// be off by one. With percentages, which become fractions, every number must
// have its sign (-38 %, 10 %..15 %), otherwise none may.
func ParseNumber(text string, percentages bool) (Number, error) {
	n, err := parseNumber(strings.TrimSpace(text), percentages)
	if err != nil {
		return Number{}, err
	}
	for _, x := range []float64{n.Low, n.High} {
		if !math.IsInf(x, 0) && math.Abs(x) > 1e15 {
			return Number{}, fmt.Errorf("%q is out of range", text)
		}
	}
	return n, nil
}

func parseNumber(text string, percentages bool) (Number, error) {
	if m := rangeSyntax.FindStringSubmatch(text); m != nil {
		low, lowHalf, err := digits(m[1], m[2], percentages)
		if err != nil {
			return Number{}, err
		}
		high, highHalf, err := digits(m[3], m[4], percentages)
		if err != nil {
			return Number{}, err
		}
		if low > high {
			return Number{}, fmt.Errorf("%q ends below its beginning", text)
		}
		return Number{low, high, min(lowHalf, highHalf), text}, nil
	}
	m := singleSyntax.FindStringSubmatch(text)
	if m == nil {
		return Number{}, fmt.Errorf("%q is not a number", text)
	}
	x, half, err := digits(m[2], m[3], percentages)
	switch {
	case err != nil:
		return Number{}, err
	case m[1] == ">=":
		return Number{x, math.Inf(1), 0, text}, nil
	case m[1] == "<=":
		return Number{math.Inf(-1), x, 0, text}, nil
	case m[1] == "~":
		half *= 2
	}
	return Number{x, x, half, text}, nil
}

// digits reads a decimal and half of the worth of its last digit.
func digits(text, sign string, percentages bool) (x, half float64, err error) {
	exponent := 0
	if percentages {
		exponent = -2
	}
	switch {
	case percentages && sign == "":
		return 0, 0, fmt.Errorf("%q has no %%", text)
	case !percentages && sign != "":
		return 0, 0, fmt.Errorf("%q has a %%", text+sign)
	}
	// Shifting the decimal point before rounding makes 3 % the float 0.03.
	x, err = strconv.ParseFloat(text+"e"+strconv.Itoa(exponent), 64)
	if err != nil {
		return 0, 0, fmt.Errorf("%q is out of range", text)
	}
	_, fraction, _ := strings.Cut(text, ".")
	return x, 0.5 * math.Pow10(exponent-len(fraction)), nil
}
