package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expression is a formula: numbers, + - * / ^, parentheses, the functions abs,
// max, min and sqrt, and references to claims, [ID] or [SOURCE/ID], which stand
// for their numbers as they are printed. The zero value is none.
type Expression struct {
	text string
	root node
}

// Bounds of what is parsed, so that no file can make the program slow.
const (
	longestExpression = 2000 // bytes
	deepestExpression = 60   // parentheses, signs and powers within each other
)

// Lookup returns the number that a reference stands for.
type Lookup func(reference string) (float64, error)

type node interface {
	value(Lookup) (float64, error)
}

// ParseExpression reads a formula.
func ParseExpression(text string) (Expression, error) {
	if len(text) > longestExpression {
		return Expression{}, fmt.Errorf("the formula has %d characters, more than %d", len(text), longestExpression)
	}
	p := &parser{rest: text}
	root, err := p.sum(0)
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("%q is not expected", p.rest)
	}
	if err != nil {
		return Expression{}, err
	}
	return Expression{strings.Join(strings.Fields(text), " "), root}, nil
}

// IsZero tells whether there is none.
func (e Expression) IsZero() bool { return e.root == nil }

// String is the formula as it was written.
func (e Expression) String() string { return e.text }

// Evaluate computes it. It fails when a reference is unknown and when the
// result is no finite number.
func (e Expression) Evaluate(lookup Lookup) (float64, error) {
	if e.root == nil {
		return 0, errors.New("there is no formula")
	}
	x, err := e.root.value(lookup)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s has no finite value", e.text)
	}
	return x, nil
}

// References lists what the formula refers to, each once.
func (e Expression) References() []string {
	var list []string
	collect := func(reference string) (float64, error) {
		if !slices.Contains(list, reference) {
			list = append(list, reference)
		}
		return 1, nil
	}
	if e.root != nil {
		_, _ = e.root.value(collect) // collect does not fail
	}
	return list
}

type constant float64

func (c constant) value(Lookup) (float64, error) { return float64(c), nil }

type reference string

func (r reference) value(lookup Lookup) (float64, error) { return lookup(string(r)) }

type operation struct {
	compute func(a, b float64) float64
	a, b    node
}

func (o operation) value(lookup Lookup) (float64, error) {
	a, err := o.a.value(lookup)
	if err != nil {
		return 0, err
	}
	b, err := o.b.value(lookup)
	if err != nil {
		return 0, err
	}
	return o.compute(a, b), nil
}

type call struct {
	compute   func(xs []float64) float64
	arguments []node
}

func (c call) value(lookup Lookup) (float64, error) {
	xs := make([]float64, len(c.arguments))
	for i, argument := range c.arguments {
		x, err := argument.value(lookup)
		if err != nil {
			return 0, err
		}
		xs[i] = x
	}
	return c.compute(xs), nil
}

var operators = map[byte]func(a, b float64) float64{
	'+': func(a, b float64) float64 { return a + b },
	'-': func(a, b float64) float64 { return a - b },
	'*': func(a, b float64) float64 { return a * b },
	'/': func(a, b float64) float64 { return a / b },
	'^': math.Pow,
}

// functions by name, with the number of arguments; 0: one or more.
var functions = map[string]struct {
	arguments int
	compute   func(xs []float64) float64
}{
	"abs":  {1, func(xs []float64) float64 { return math.Abs(xs[0]) }},
	"sqrt": {1, func(xs []float64) float64 { return math.Sqrt(xs[0]) }},
	"max":  {0, slices.Max[[]float64]},
	"min":  {0, slices.Min[[]float64]},
}

// parser is a recursive descent over what is left of the text.
type parser struct{ rest string }

// peek returns the next character that is no blank, 0 at the end.
func (p *parser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take consumes the next character if it is one of these.
func (p *parser) take(one string) byte {
	if c := p.peek(); c != 0 && strings.IndexByte(one, c) >= 0 {
		p.rest = p.rest[1:]
		return c
	}
	return 0
}

func (p *parser) sum(depth int) (node, error) { return p.chain("+-", depth, p.product) }

func (p *parser) product(depth int) (node, error) { return p.chain("*/", depth, p.signed) }

// chain reads operands that operators of one rank join, from left to right.
func (p *parser) chain(ops string, depth int, operand func(int) (node, error)) (node, error) {
	left, err := operand(depth)
	for err == nil {
		op := p.take(ops)
		if op == 0 {
			return left, nil
		}
		var right node
		if right, err = operand(depth); err == nil {
			left = operation{operators[op], left, right}
		}
	}
	return nil, err
}

// signed binds weaker than a power: -2^2 is -4.
func (p *parser) signed(depth int) (node, error) {
	if depth > deepestExpression {
		return nil, errors.New("the formula is nested too deeply")
	}
	sign := p.take("+-")
	if sign == 0 {
		return p.power(depth)
	}
	x, err := p.signed(depth + 1)
	if err != nil || sign == '+' {
		return x, err
	}
	return operation{operators['-'], constant(0), x}, nil
}

func (p *parser) power(depth int) (node, error) {
	base, err := p.primary(depth)
	if err != nil || p.take("^") == 0 {
		return base, err
	}
	exponent, err := p.signed(depth + 1)
	return operation{operators['^'], base, exponent}, err
}

func (p *parser) primary(depth int) (node, error) {
	switch c := p.peek(); {
	case c == 0:
		return nil, errors.New("the formula ends where a number is expected")
	case c == '(':
		p.take("(")
		inner, err := p.sum(depth + 1)
		if err == nil && p.take(")") == 0 {
			err = errors.New("a parenthesis is not closed")
		}
		return inner, err
	case c == '[':
		name, rest, closed := strings.Cut(p.rest[1:], "]")
		if name = strings.TrimSpace(name); !closed || name == "" {
			return nil, errors.New("a reference must be the id of a claim in brackets")
		}
		p.rest = rest
		return reference(name), nil
	case c >= '0' && c <= '9':
		return p.number()
	case c >= 'a' && c <= 'z':
		return p.function(depth)
	}
	return nil, fmt.Errorf("%q is not expected", p.rest)
}

func (p *parser) number() (node, error) {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(p.rest)
	}
	x, err := strconv.ParseFloat(p.rest[:end], 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number", p.rest[:end])
	}
	p.rest = p.rest[end:]
	return constant(x), nil
}

func (p *parser) function(depth int) (node, error) {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	f, known := functions[name]
	if !known {
		return nil, fmt.Errorf("there is no function %q: there are abs, max, min and sqrt", name)
	}
	p.rest = p.rest[end:]
	if p.take("(") == 0 {
		return nil, fmt.Errorf("%s needs parentheses", name)
	}
	var arguments []node
	for {
		argument, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
		if p.take(",") == 0 {
			break
		}
	}
	switch {
	case p.take(")") == 0:
		return nil, errors.New("a parenthesis is not closed")
	case f.arguments > 0 && f.arguments != len(arguments):
		return nil, fmt.Errorf("%s takes %d number, not %d", name, f.arguments, len(arguments))
	}
	return call{f.compute, arguments}, nil
}
