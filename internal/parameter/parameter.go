package parameter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kind says what a parameter's values are.
type Kind string

// The kinds, with the canonical text of a value.
const (
	Duration Kind = "duration" // 10s, 1m30s, 200ms
	Integer  Kind = "integer"  // 8
	Number   Kind = "number"   // 0.5
	Bytes    Kind = "bytes"    // 1500, 64KiB
	Rate     Kind = "rate"     // of bits, per second: 9500Mbit, 10Gbit
	Choice   Kind = "choice"   // one of Choices
	Text     Kind = "text"     // letters, digits, and . _ : -
	Boolean  Kind = "boolean"  // true, false
	CPUs     Kind = "cpus"     // free, 0-3,8, or 0-3:4-7 for the client and the server
)

// Parameter is one thing that a user may set of a scenario.
type Parameter struct {
	Name string
	Help string // one line
	Kind Kind
	// Default holds the values of a campaign that says nothing, as a user
	// would write them. Several make one cell each.
	Default []string
	// Min and Max bound a quantity, both included, as a user would write
	// them. Empty, there is no bound but that of the kind: nothing is
	// negative.
	Min, Max string
	// Step is what a quantity has to be a multiple of; empty: of nothing.
	Step    string
	Choices []string
	// Word says what the word of a text is, such as "a rate or a fraction";
	// empty: any word.
	Word string
}

// Defaults returns the default values in canonical text. It panics when one of
// them is not a value of the parameter: that is a programmer's error.
func (p Parameter) Defaults() []string {
	values := make([]string, len(p.Default))
	for i, text := range p.Default {
		value, err := p.Parse(text)
		if err != nil {
			panic(fmt.Sprintf("default %q of parameter %s %v", text, p.Name, err))
		}
		values[i] = value
	}
	return values
}

// With returns the parameter with other defaults.
func (p Parameter) With(defaults ...string) Parameter {
	p.Default = defaults
	return p
}

// Parse returns the canonical text of what a user wrote. The error continues a
// sentence that begins with the parameter's name: "must be …".
func (p Parameter) Parse(text string) (string, error) {
	switch p.Kind {
	case Choice:
		if !slices.Contains(p.Choices, text) {
			return "", fmt.Errorf("must be one of %s", strings.Join(p.Choices, ", "))
		}
		return text, nil
	case Text:
		if !textSyntax.MatchString(text) {
			return "", fmt.Errorf("must be a word of letters, digits, and . _ : -")
		}
		return text, nil
	case Boolean:
		if text != "true" && text != "false" {
			return "", fmt.Errorf("must be true or false")
		}
		return text, nil
	case CPUs:
		canonical, ok := canonicalCPUs(text)
		if !ok {
			return "", fmt.Errorf("must be %s", p.Domain())
		}
		return canonical, nil
	}
	quantity, ok := parseQuantity(p.Kind, text)
	if !ok || !p.within(quantity) {
		return "", fmt.Errorf("must be %s", p.Domain())
	}
	return formatQuantity(p.Kind, quantity), nil
}

// Domain says in words what the values are, such as "a duration in whole
// seconds from 1s to 1h".
func (p Parameter) Domain() string {
	switch p.Kind {
	case Choice:
		return "one of " + strings.Join(p.Choices, ", ")
	case Text:
		return cmp.Or(p.Word, "a word")
	case Boolean:
		return "true or false"
	case CPUs:
		return "free or a list of CPUs"
	}
	domain := map[Kind]string{
		Duration: "a duration", Integer: "a whole number", Number: "a number",
		Bytes: "a number of bytes", Rate: "a rate in bits per second",
	}[p.Kind]
	switch {
	case p.Step == "1s":
		domain += " in whole seconds"
	case p.Step != "":
		domain += " in steps of " + p.Step
	}
	switch {
	case p.Min != "" && p.Max != "":
		return domain + " from " + p.Min + " to " + p.Max
	case p.Min != "":
		return domain + " from " + p.Min + " on"
	case p.Max != "":
		return domain + " of at most " + p.Max
	}
	return domain
}

// Hint tells how to write a value.
func (p Parameter) Hint() string {
	switch p.Kind {
	case Duration:
		return "write a number and its unit, such as 10s or 1m30s"
	case Bytes:
		return "write a number of bytes, such as " + p.Name + ": 1500, or with a unit: 64KiB"
	case Rate:
		return "write a number and its unit, such as 100Mbit or 2.5Gbit"
	case Choice:
		return "write one of " + strings.Join(p.Choices, ", ")
	case Boolean:
		return "write " + p.Name + ": true or " + p.Name + ": false"
	case Text:
		if p.Word != "" {
			return "write " + p.Word
		}
		return "write one word"
	case CPUs:
		return "write " + p.Name + ": 0-3,8, or 0-3:4-7 for client and server"
	}
	example := p.Min
	if len(p.Default) > 0 {
		example = p.Default[0]
	}
	return "write a number such as " + p.Name + ": " + example
}

// HintFor tells how to write a value in place of one that Parse refuses: where
// that is beyond a bound, the bound.
func (p Parameter) HintFor(text string) string {
	quantity, ok := parseQuantity(p.Kind, text)
	switch {
	case ok && p.below(quantity):
		return "write " + p.Name + ": " + p.Min + " or more"
	case ok && p.above(quantity):
		return "write " + p.Name + ": " + p.Max + " or less"
	}
	return p.Hint()
}

func (p Parameter) below(quantity float64) bool { return p.Min != "" && quantity < p.bound(p.Min) }
func (p Parameter) above(quantity float64) bool { return p.Max != "" && quantity > p.bound(p.Max) }

// bound reads a bound or a step, which scenarios declare.
func (p Parameter) bound(text string) float64 {
	q, ok := parseQuantity(p.Kind, text)
	if !ok {
		panic(fmt.Sprintf("bound %q of parameter %s is no %s", text, p.Name, p.Kind))
	}
	return q
}

func (p Parameter) within(quantity float64) bool {
	if p.below(quantity) || p.above(quantity) {
		return false
	}
	if p.Step == "" {
		return true
	}
	steps := quantity / p.bound(p.Step)
	return steps == float64(int64(steps))
}
