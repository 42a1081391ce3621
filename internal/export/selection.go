package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
)

// Selection says which variants and cells are exported.
type Selection struct {
	variants, cells map[string]bool // nil: all
}

// Select reads names of variants, scenarios and cells. What it returns has
// every variant if none is named, and every cell if neither a scenario nor a
// cell is. A name that the plan has not is an error that lists those it has.
func Select(p plan.Plan, names []string) (Selection, error) {
	var s Selection
	for _, name := range names {
		known := false
		for _, v := range p.Variants {
			if v.Name == name {
				s.variants, known = marked(s.variants, name), true
			}
		}
		for _, c := range p.Cells {
			if c.ID == name || c.Scenario == name {
				s.cells, known = marked(s.cells, c.ID), true
			}
		}
		if !known {
			return Selection{}, fmt.Errorf("the plan has no variant, scenario or cell %q: it has %s", name, strings.Join(namesOf(p), ", "))
		}
	}
	return s, nil
}

func marked(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// namesOf lists variants, then cells.
func namesOf(p plan.Plan) []string {
	var names []string
	for _, v := range p.Variants {
		names = append(names, v.Name)
	}
	for _, c := range p.Cells {
		names = append(names, c.ID)
	}
	return slices.Compact(names)
}

func (s Selection) variant(name string) bool { return s.variants == nil || s.variants[name] }

func (s Selection) cell(id string) bool { return s.cells == nil || s.cells[id] }

func (s Selection) trial(variant, cell string) bool { return s.variant(variant) && s.cell(cell) }

// comparison has one of its sides selected: to select a variant is to ask how
// it compares.
func (s Selection) comparison(a, b string) bool { return s.variant(a) || s.variant(b) }
