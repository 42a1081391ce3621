package cost

import (
	"fmt"
	"slices"
	"strings"
)

// blockLine is the sum of one block, and what of it is memory.
type blockLine struct {
	block  int
	line   Line
	memory Line
}

// withoutMemory is what of a block's line does not hang on the installation.
func (b blockLine) withoutMemory() Line { return b.line.minus(b.memory) }

// sum is all of a block's line.
func (b blockLine) sum() Line { return b.line }

// tested are the parts of a block's line of which each has to show a verdict.
// Memory is a property of an installation: blocks of a single one are one
// sample of it, however many they are, so that it makes no verdict. One that
// the sums themselves do not bear out is none either.
func (e estimator) tested() []func(blockLine) Line {
	if e.single {
		return []func(blockLine) Line{blockLine.sum, blockLine.withoutMemory}
	}
	return []func(blockLine) Line{blockLine.sum}
}

// evaluate prices what variants use.
func evaluate(p Prices, usages []usage, e estimator) []Variant {
	list := []Variant{}
	for _, u := range usages {
		list = append(list, p.variant(u, e))
	}
	return list
}

// variant prices what one variant uses.
func (p Prices) variant(u usage, e estimator) Variant {
	v := Variant{Name: u.name, Baseline: u.baseline, Twin: u.twin, Nodes: u.nodes}
	terms := p.terms(u)
	for i, t := range terms {
		priced := p.priced(t, u, e)
		if priced.Missing != "" {
			terms[i].quantity.missing = priced.Missing
			v.Without = append(v.Without, t.name)
		}
		v.Terms = append(v.Terms, priced)
	}
	v.lines, v.level = sums(terms)
	v.margin = margin(terms, e)
	v.total(p, terms, e)
	v.Overhead = v.overhead(p, terms, e)
	v.PerGbit = v.perGbit(p, u, e)
	v.PerMillion = v.perMillion(p, e)
	v.carbon(p, terms, e)
	return v
}

// priced evaluates one term at the size of the cluster.
func (p Prices) priced(t term, u usage, e estimator) Term {
	out := Term{Name: t.name, Missing: t.quantity.missing}
	amount := func(q float64) float64 { return t.line(q).At(u.nodes, p.Workload.Requests) }
	switch {
	case t.fixed:
		out.Amount, out.Expression = &Estimate{Value: amount(0)}, t.expression(0)
		return out
	case out.Missing != "":
		return out
	}
	middle, why := e.of(t.quantity.values.values())
	if middle == nil {
		out.Missing = why
		return out
	}
	out.Quantity = &Quantity{t.quantity.unit, middle}
	if out.Amount, out.Missing = e.of(t.quantity.values.mapped(amount).values()); out.Amount != nil {
		out.Expression = t.expression(middle.Value)
	}
	return out
}

// sums adds the terms up in each block that has all those that were measured.
// What is the same in every block stands apart: it is the sum where nothing
// was measured.
func sums(terms []term) (lines []blockLine, level Line) {
	var measured []term
	for _, t := range terms {
		switch {
		case t.fixed:
			level = level.plus(t.line(0))
		case t.quantity.missing == "":
			measured = append(measured, t)
		}
	}
	if len(measured) == 0 {
		return nil, level
	}
	for _, first := range measured[0].quantity.values {
		b, complete := blockLine{block: first.block, line: level}, true
		for _, t := range measured {
			q, ok := t.quantity.values.at(first.block)
			complete = complete && ok
			b.line = b.line.plus(t.line(q))
			if t.name == MemoryTerm {
				b.memory = t.line(q)
			}
		}
		if complete {
			lines = append(lines, b)
		}
	}
	return lines, level
}

// Measured says that something that differs between variants is in a sum.
func (c Costs) Measured() bool {
	return slices.ContainsFunc(c.Variants, func(v Variant) bool { return !v.bare() && !v.Baseline })
}

// margin is what the margins of all that was measured come to: a difference of
// sums within it is none that matters. What makes no verdict is in no margin.
func margin(terms []term, e estimator) Line {
	var sum Line
	for _, t := range terms {
		switch {
		case t.fixed || t.quantity.missing != "" || e.single && t.name == MemoryTerm:
		case t.matters != nil:
			sum = sum.plus(t.matters(t.quantity.margin))
		default:
			sum = sum.plus(t.line(t.quantity.margin))
		}
	}
	return sum
}

// bare says that nothing of a variant's sum was measured.
func (v Variant) bare() bool {
	return !slices.ContainsFunc(v.Terms, func(t Term) bool { return t.Quantity != nil && t.Missing == "" })
}

func (v *Variant) total(p Prices, terms []term, e estimator) {
	if v.bare() {
		v.Total = &Estimate{Value: v.level.At(v.Nodes, p.Workload.Requests)}
		return
	}
	var totals []float64
	for _, b := range v.lines {
		total := b.line.At(v.Nodes, p.Workload.Requests)
		v.Blocks = append(v.Blocks, Block{b.block, total})
		totals = append(totals, total)
	}
	if v.Total, v.Missing = e.of(totals); v.Total == nil {
		v.Blocks = nil
		if len(totals) == 0 {
			v.Missing = "no block has all of " + strings.Join(measuredNames(terms), ", ")
		}
	}
}

func measuredNames(terms []term) []string {
	var names []string
	for _, t := range terms {
		if !t.fixed && t.quantity.missing == "" {
			names = append(names, t.name)
		}
	}
	return names
}

// overhead is what CPU and memory cost, as a share of what the nodes cost.
func (v Variant) overhead(p Prices, terms []term, e estimator) Figure {
	price := p.Node().Price
	if price == 0 {
		return Figure{Missing: "the nodes cost nothing"}
	}
	var parts []term
	for _, t := range terms {
		if t.name != CPUTerm && t.name != MemoryTerm {
			continue
		}
		if t.quantity.missing != "" {
			return Figure{Missing: t.name + " is not measured"}
		}
		parts = append(parts, t)
	}
	if len(parts) < 2 {
		return Figure{Missing: "CPU or memory has no price"}
	}
	whole := price * float64(v.Nodes)
	share := parts[0].quantity.values.both(parts[1].quantity.values, func(cpu, memory float64) float64 {
		return parts[0].line(cpu).plus(parts[1].line(memory)).At(v.Nodes, p.Workload.Requests) / whole
	})
	return e.figure(share.values())
}

// perGbit divides the sum by what all nodes together can carry.
func (v Variant) perGbit(p Prices, u usage, e estimator) Figure {
	if u.capacity.missing != "" {
		return Figure{Missing: u.capacity.missing}
	}
	cost := func(line Line, bits float64) float64 {
		return line.At(v.Nodes, p.Workload.Requests) / (float64(v.Nodes) * bits / 1e9)
	}
	if v.bare() {
		return e.figure(u.capacity.values.mapped(func(bits float64) float64 { return cost(v.level, bits) }).values())
	}
	var xs []float64
	for _, b := range v.lines {
		if bits, ok := u.capacity.values.at(b.block); ok {
			xs = append(xs, cost(b.line, bits))
		}
	}
	return e.figure(xs)
}

func (v Variant) perMillion(p Prices, e estimator) Figure {
	requests := p.Workload.Requests
	switch {
	case requests == 0:
		return Figure{Missing: "nobody said how many requests there are a month"}
	case v.Total == nil:
		return Figure{Missing: v.Missing}
	case v.bare():
		return Figure{Estimate: &Estimate{Value: v.Total.Value / (requests / 1e6)}}
	}
	var xs []float64
	for _, b := range v.Blocks {
		xs = append(xs, b.Total/(requests/1e6))
	}
	return e.figure(xs)
}

func (v *Variant) carbon(p Prices, terms []term, e estimator) {
	for _, t := range terms {
		if t.carbon == nil {
			continue
		}
		if t.quantity.missing != "" {
			v.Carbon = &Figure{Missing: t.quantity.missing}
			continue
		}
		kg := func(q float64) float64 { return t.carbon(q).At(v.Nodes, p.Workload.Requests) }
		f := e.figure(t.quantity.values.mapped(kg).values())
		v.Carbon = &f
	}
}

// comparable says why the sums of two variants are not of the same terms;
// empty: they are.
func comparable(a, b Variant) string {
	switch {
	case a.Total == nil:
		return a.Name + " has no sum: " + a.Missing
	case b.Total == nil:
		return b.Name + " has no sum: " + b.Missing
	case a.Nodes != b.Nodes:
		return fmt.Sprintf("the clusters are not of one size: %s of %s, %s of %s", nodes(a.Nodes), a.Name, nodes(b.Nodes), b.Name)
	case !slices.Equal(a.Without, b.Without):
		return fmt.Sprintf("the sums are not of the same terms: %s is %s, %s is %s", a.Name, a.completeness(), b.Name, b.completeness())
	case a.bare() && b.bare():
		return "nothing that may differ between them was measured"
	}
	return ""
}

func (v Variant) completeness() string {
	if len(v.Without) == 0 {
		return "whole"
	}
	return "without " + list(v.Without)
}

// list joins words as people do: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
