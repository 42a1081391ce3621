package profile

import (
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Condition is about one parameter of a cell: it is one of the values, or it is
// a quantity on one side of a bound.
type Condition struct {
	Parameter string `json:"parameter"`
	// Operator is "=", "<", "<=", ">" or ">="; all but the first have one value.
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// String is "load idle", "size ≤ 1KiB" or "policies 10 or 50".
func (c Condition) String() string {
	sign := map[string]string{"=": "", "<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> "}[c.Operator]
	return c.Parameter + " " + sign + strings.Join(c.Values, " or ")
}

// meets tells whether a cell's parameters do. A parameter that the cell does
// not have meets nothing.
func (c Condition) meets(values parameter.Values) bool {
	text, there := values[c.Parameter]
	if !there {
		return false
	}
	return slices.ContainsFunc(c.Values, func(bound string) bool { return compares(text, c.Operator, bound) })
}

// quantities are the kinds of parameters that have an order. Where a text is of
// several, such as 1500, the first that fits both is meant.
var quantities = []parameter.Kind{parameter.Number, parameter.Bytes, parameter.Rate, parameter.Duration}

// compares tells whether a value stands in the relation to a bound. Words are
// equal or not; quantities are compared whatever their units are.
func compares(value, operator, bound string) bool {
	for _, kind := range quantities {
		x, ok := quantityOf(kind, value)
		y, also := quantityOf(kind, bound)
		if !ok || !also {
			continue
		}
		switch operator {
		case "<":
			return x < y
		case "<=":
			return x <= y
		case ">":
			return x > y
		case ">=":
			return x >= y
		}
		return x == y
	}
	return operator == "=" && value == bound
}

// isQuantity tells whether a text is of a kind that has an order.
func isQuantity(text string) bool {
	return slices.ContainsFunc(quantities, func(k parameter.Kind) bool {
		_, ok := quantityOf(k, text)
		return ok
	})
}

func quantityOf(kind parameter.Kind, text string) (float64, bool) {
	if _, err := (parameter.Parameter{Kind: kind}).Parse(text); err != nil {
		return 0, false
	}
	values := parameter.Values{"": text}
	switch kind {
	case parameter.Bytes:
		return float64(values.Bytes("")), true
	case parameter.Rate:
		return values.Rate(""), true
	case parameter.Duration:
		return values.Duration("").Seconds(), true
	}
	return values.Number(""), true
}
