package gate

import (
	"fmt"
	"strings"
)

// Margin is how much worse a metric may be.
type Margin struct {
	// Metric is METRIC or CELL/METRIC; empty for every metric that is compared
	// as a ratio.
	Metric string
	// Quantity is a percentage for ratios, an amount with its unit otherwise.
	Quantity
	Text string // as written
}

// Limit is a number that every block of a metric is held to.
type Limit struct {
	Metric string // METRIC, in every cell that reports it, or CELL/METRIC
	Bound  Bound
	Quantity
	Text string // as written
}

// Bound says on which side of a limit values must lie.
type Bound string

// The two bounds.
const (
	Min Bound = "min"
	Max Bound = "max"
)

// ParseMargin reads 3% or METRIC=VALUE. It fails when there is no number, the
// number is below 0, or a margin without a metric is no percentage.
func ParseMargin(text string) (Margin, error) {
	name, value, named := cutLast(text)
	if !named {
		value = text
	}
	q, err := parseQuantity(value)
	m := Margin{Metric: name, Quantity: q, Text: text}
	switch {
	case err != nil:
		return Margin{}, err
	case named && name == "":
		return Margin{}, fmt.Errorf("%q does not begin with a metric", text)
	case q.Value < 0:
		return Margin{}, fmt.Errorf("%q is below 0", text)
	case !named && q.Unit != "%":
		return Margin{}, fmt.Errorf("%q is for no metric and no percentage", text)
	}
	return m, nil
}

// ParseLimit reads METRIC=VALUE. It fails when there is no metric or no
// number.
func ParseLimit(bound Bound, text string) (Limit, error) {
	name, value, named := cutLast(text)
	if !named || name == "" {
		return Limit{}, fmt.Errorf("%q does not begin with a metric and an equals sign", text)
	}
	q, err := parseQuantity(value)
	if err != nil {
		return Limit{}, err
	}
	return Limit{Metric: name, Bound: bound, Quantity: q, Text: text}, nil
}

// cutLast cuts at the last equals sign: names of cells have some of their own.
func cutLast(text string) (name, value string, found bool) {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}
