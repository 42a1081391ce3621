package importer

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Bounds of what a source may hold; docs/import.md names them.
const (
	maxTrials = 1_000_000
	maxNames  = 2_000 // variants, cells or blocks: as many values as are compared
)

// data is what an import gives. Everything but the trials' values is known
// before they are read.
type data struct {
	name        string
	base        string // variant; empty: a host baseline, or else the first
	cells       []plan.Cell
	blocks      []plan.Block
	primary     []string // CELL/METRIC
	interleaved bool
	trials      iter.Seq2[result.Trial, error]
	warnings    []result.Warning          // of the source as a whole
	environment map[string]result.Variant // what it says of how variants ran
	// learned, if not nil, says what only the values tell.
	learned func() []result.Warning
}

// key says which trial a value belongs to.
type key struct {
	block         int
	variant, cell string
}

// drafts collects trials that are small enough to be kept, by key, in order of
// appearance.
type drafts struct {
	index map[key]*draft
	list  []*draft
}

func newDrafts() *drafts { return &drafts{index: map[key]*draft{}} }

// at returns the draft of a trial, made new when there is none.
func (d *drafts) at(k key) *draft {
	if known, ok := d.index[k]; ok {
		return known
	}
	made := newDraft(k)
	d.index[k] = made
	d.list = append(d.list, made)
	return made
}

// data arranges the drafts: blocks by number, and in each the variants and
// cells that the source has there, in order of appearance. A combination that
// is not in the source stays missing.
func (d *drafts) data(name string) (*data, error) {
	var cells []plan.Cell
	blocks := map[int]*plan.Block{}
	var numbers []int
	names := map[string]bool{}
	for _, t := range d.list {
		if !slices.ContainsFunc(cells, func(c plan.Cell) bool { return c.ID == t.cell }) {
			cells = append(cells, plan.Cell{ID: t.cell, Scenario: t.scenarioName(), Parameters: t.parameters})
		}
		b := blocks[t.block]
		if b == nil {
			b = &plan.Block{Index: t.block}
			blocks[t.block], numbers = b, append(numbers, t.block)
		}
		b.Order, b.Cells = appendNew(b.Order, t.variant), appendNew(b.Cells, t.cell)
		names[t.variant] = true
		if max(len(cells), len(blocks), len(names)) > maxNames {
			return nil, fmt.Errorf("there are more than %d variants, scenarios or blocks", maxNames)
		}
	}
	slices.Sort(numbers)
	out := &data{name: name, cells: cells}
	planned := 0
	for _, n := range numbers {
		out.blocks = append(out.blocks, *blocks[n])
		planned += len(blocks[n].Order) * len(blocks[n].Cells)
	}
	if planned > maxTrials {
		return nil, fmt.Errorf("there are %d trials, more than %d", planned, maxTrials)
	}
	slices.SortStableFunc(d.list, func(a, b *draft) int { return cmp.Compare(a.block, b.block) })
	out.trials = func(yield func(result.Trial, error) bool) {
		for _, t := range d.list {
			if !yield(t.trial(), nil) {
				return
			}
		}
	}
	out.primary = d.primary(cells)
	return out, nil
}

// primary is the first metric of every cell, in order of appearance.
func (d *drafts) primary(cells []plan.Cell) []string {
	first := map[string]string{}
	for _, measured := range []bool{true, false} { // what has a value goes before what lacks one
		for _, t := range d.list {
			_, known := first[t.cell]
			if known || t.failure != "" || measured != (len(t.values) > 0) {
				continue
			}
			if name := t.first(); name != "" {
				first[t.cell] = t.cell + "/" + name
			}
		}
	}
	var list []string
	for _, c := range cells {
		if name, ok := first[c.ID]; ok {
			list = append(list, name)
		}
	}
	return list
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// unfit is what a name of a variant or cell may not contain: each is an
// element of a path in the results directory.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._=,+@-]+`)

// nameOf makes a name out of what a source calls something; empty when nothing
// is left of it.
func nameOf(text string) string {
	return strings.TrimLeft(unfit.ReplaceAllString(strings.TrimSpace(text), "-"), "._=,+@-")
}

// names makes names and refuses that two things get the same.
type names map[string]string

func (n names) of(text string) (string, error) {
	name := nameOf(text)
	if name == "" {
		return "", fmt.Errorf("%q is no name: it has no letter or digit", text)
	}
	if len(name) > 200 {
		return "", fmt.Errorf("%.40q… is no name: it is longer than 200 characters", text)
	}
	if first, taken := n[name]; taken && first != text {
		return "", fmt.Errorf("%q and %q cannot be told apart: both become %s", first, text, name)
	}
	n[name] = text
	return name, nil
}
