package parameter

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Values are parameters with their values in canonical text, by name. The
// methods read one of them; they panic when it is not there or is of another
// kind, because a scenario only reads what it declares.
type Values map[string]string

// Duration reads a duration.
func (v Values) Duration(name string) time.Duration {
	return time.Duration(v.quantity(name, Duration))
}

// Integer reads a whole number.
func (v Values) Integer(name string) int { return int(v.quantity(name, Integer)) }

// Number reads a number.
func (v Values) Number(name string) float64 { return v.quantity(name, Number) }

// Bytes reads a number of bytes.
func (v Values) Bytes(name string) int { return int(v.quantity(name, Bytes)) }

// Rate reads a rate in bits per second.
func (v Values) Rate(name string) float64 { return v.quantity(name, Rate) }

// Boolean reads true or false.
func (v Values) Boolean(name string) bool { return v.Text(name) == "true" }

// Text reads a word or a choice.
func (v Values) Text(name string) string {
	text, there := v[name]
	if !there {
		panic("parameter " + name + " is not declared")
	}
	return text
}

// Has tells whether there is a parameter of that name.
func (v Values) Has(name string) bool {
	_, there := v[name]
	return there
}

// Description lists names and values in one line, sorted: "duration 10s,
// streams 8".
func (v Values) Description() string {
	parts := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, name+" "+v[name])
	}
	return strings.Join(parts, ", ")
}

func (v Values) quantity(name string, k Kind) float64 {
	q, ok := parseQuantity(k, v.Text(name))
	if !ok {
		panic(fmt.Sprintf("parameter %s is %q, which is no %s", name, v[name], k))
	}
	return q
}
