package report

import (
	"github.com/cnibench/cnibench/internal/cost"
)

// costSection is what variants cost at prices that stand beside it.
type costSection struct {
	// Nothing says that no sum has anything that was measured.
	Nothing  bool
	Lead     []string
	Parts    []cost.Section
	Formulas []cost.Section // folded
}

// costFindings are the classes of the page's verdicts for those of savings.
var costFindings = map[string]string{
	string(cost.Saves): "better", string(cost.CostsMore): "worse", string(cost.Equivalent): "equivalent", string(cost.NotShown): "inconclusive",
}

// newCosts lays the costs out; nil where nothing was priced.
func newCosts(c *cost.Costs) *costSection {
	if c == nil {
		return nil
	}
	v := c.View(true)
	s := &costSection{Nothing: !c.Measured(), Lead: v.Lead}
	for _, part := range v.Sections {
		part.Title = capital(part.Title)
		for i, item := range part.Items {
			part.Items[i].Class = costFindings[item.Class]
		}
		switch {
		case part.Formula:
			s.Formulas = append(s.Formulas, part)
		default:
			s.Parts = append(s.Parts, part)
		}
	}
	if s.Nothing { // what is missing, and no sums of what is the same for all
		s.Formulas, s.Parts = nil, s.Parts[:1]
	}
	return s
}
