package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// Select keeps what is named: variants, scenarios, cells and metrics. Of
// comparisons it keeps those whose sides are both selected or the base, and
// between campaigns those with one such side. A kind of which nothing is named
// is kept whole. Verdicts do not change: a family is what was declared, not what is
// shown. It fails on a name that is nothing of all that.
func (c Compared) Select(names []string) (Compared, error) {
	variants, cells, metrics := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, name := range names {
		kinds := 0
		if slices.Contains(c.variantNames(), name) {
			variants[name] = true
			kinds++
		}
		for _, cell := range c.Cells {
			if cell.ID == name || cell.Scenario == name {
				cells[cell.ID] = true
				kinds++
			}
			for _, m := range cell.Metrics {
				if m.Name == name {
					metrics[name] = true
					kinds++
				}
			}
		}
		if kinds == 0 {
			return Compared{}, fmt.Errorf("there is no variant, scenario, cell or metric %q: there are %s", name, strings.Join(c.names(), ", "))
		}
	}
	kept := []ComparedCell{}
	for _, cell := range c.Cells {
		if len(cells) == 0 || cells[cell.ID] {
			kept = append(kept, cell.keep(variants, metrics, c.Base))
		}
	}
	c.Cells = kept
	return c, nil
}

// keep selects within a cell; an empty set selects all.
func (c ComparedCell) keep(variants, metrics map[string]bool, base string) ComparedCell {
	kept := []ComparedMetric{}
	for _, m := range c.Metrics {
		if len(metrics) > 0 && !metrics[m.Name] {
			continue
		}
		m.Named = metrics[m.Name]
		if len(variants) > 0 {
			m = m.keep(variants, base)
		}
		kept = append(kept, m)
	}
	c.Metrics = kept
	return c
}

func (m ComparedMetric) keep(variants map[string]bool, base string) ComparedMetric {
	rows, arms := m.Rows, m.Arms
	m.Rows, m.Arms = []ComparedRow{}, nil
	shown := map[string]bool{}
	for name := range variants {
		shown[name] = true
	}
	shown[base] = true
	for _, r := range rows {
		both := (variants[r.A] || r.A == base) && (variants[r.B] || r.B == base)
		if both || base == "" && (variants[r.A] || variants[r.B]) {
			m.Rows = append(m.Rows, r)
			shown[r.A], shown[r.B] = true, true
		}
	}
	if m.AA != nil && shown[m.AA.A] {
		shown[m.AA.B] = true
	} else {
		m.AA = nil
	}
	for _, a := range arms {
		if shown[a.Variant] {
			m.Arms = append(m.Arms, a)
		}
	}
	return m
}

// Brief keeps the metrics that lead: primary ones, each cell's main one, and
// those that Select was asked for.
func (c Compared) Brief() Compared {
	cells := slices.Clone(c.Cells)
	for i, cell := range cells {
		cells[i].Metrics, cells[i].Others = []ComparedMetric{}, nil
		for _, m := range cell.Metrics {
			switch {
			case m.Main || m.Primary || m.Named:
				cells[i].Metrics = append(cells[i].Metrics, m)
			case !m.Folded():
				cells[i].Others = append(cells[i].Others, m.Name)
			}
		}
	}
	c.Cells = cells
	return c
}

func (c Compared) variantNames() []string {
	var names []string
	for _, campaign := range c.Campaigns {
		for _, v := range campaign.Variants {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// names lists what can be selected: variants, cells, metrics.
func (c Compared) names() []string {
	names := c.variantNames()
	for _, cell := range c.Cells {
		names = append(names, cell.ID)
	}
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			if !m.Folded() && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}
