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

// compares tells whether a value stands in the relation to a bound. Words are
// equal or not; quantities are compared whatever their units are.
func compares(value, operator, bound string) bool {
	q, ok := parameter.Quantities([]string{value, bound})
	if !ok {
		return operator == "=" && value == bound
	}
	switch operator {
	case "<":
		return q[0] < q[1]
	case "<=":
		return q[0] <= q[1]
	case ">":
		return q[0] > q[1]
	case ">=":
		return q[0] >= q[1]
	}
	return q[0] == q[1]
}
