package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// evidence looks whether an order, or a likeness, follows from the source's own
// figures.
func (x *linter) evidence(c Claim) error {
	if len(c.Evidence) == 0 {
		return nil
	}
	var list []Claim
	for _, reference := range c.Evidence {
		e, err := x.lookup(reference)
		if err != nil {
			return err
		}
		if e.Number == nil {
			return fmt.Errorf("the claim %s has no number", reference)
		}
		list = append(list, e)
	}
	if c.Kind == Equal {
		x.alike(c, list)
		return nil
	}
	for i := range len(list) - 1 {
		best, next := list[i].Number.scaled(list[i].Unit.Factor), list[i+1].Number.scaled(list[i+1].Unit.Factor)
		ordered := best.Low > next.High
		if c.Better == "lower" {
			ordered = best.High < next.Low
		}
		if !ordered {
			x.find(c, Inconsistent, "evidence", "%s, and %s", list[i].said(), list[i+1].said())
		}
	}
	return nil
}

// alike wants figures that differ by no more than is allowed.
func (x *linter) alike(c Claim, list []Claim) {
	least, most := list[0], list[0]
	for _, e := range list[1:] {
		if e.Number.High*e.Unit.Factor < least.Number.High*least.Unit.Factor {
			least = e
		}
		if e.Number.Low*e.Unit.Factor > most.Number.Low*most.Unit.Factor {
			most = e
		}
	}
	apart := most.Number.Low*most.Unit.Factor/(least.Number.High*least.Unit.Factor) - 1
	if apart > c.Within {
		x.find(c, Inconsistent, "evidence", "%s, and %s, %s more", least.said(), most.said(), percentage(apart))
	}
}

// said is what a claim says of which variant, and where.
func (c Claim) said() string {
	who := strings.Join(c.Variants, ", ")
	if who == "" {
		who = c.ID
	}
	when := ""
	if c.When != "" {
		when = " (" + c.When + ")"
	}
	return fmt.Sprintf("%s: %s for %s%s", atLines(c.Lines), c.amount(), who, when)
}

// repeated finds the same quantity with another number elsewhere in the source.
func (x *linter) repeated(c Claim) {
	var others []string
	for _, o := range x.quantities[c.quantityKey()] {
		if o.ID != c.ID && !c.Number.scaled(c.Unit.Factor).overlaps(o.Number.scaled(o.Unit.Factor)) {
			others = append(others, fmt.Sprintf("%s (%s)", o.amount(), atLines(o.Lines)))
		}
	}
	if len(others) > 0 {
		x.find(c, Inconsistent, "repeated", "%s here, and for the same quantity %s", c.amount(), strings.Join(others, ", "))
	}
}

func quantities(s Source) map[string][]Claim {
	list := map[string][]Claim{}
	for _, c := range s.Claims {
		if key := c.quantityKey(); key != "" {
			list[key] = append(list[key], c)
		}
	}
	return list
}

// quantityKey is the same for claims about one quantity, and empty for claims
// that are no amounts.
func (c Claim) quantityKey() string {
	if c.Kind != Value || len(c.Measures) == 0 || len(c.Variants) != 1 {
		return ""
	}
	m := c.Measures[0]
	parts := []string{c.Variants[0], m.Scenario, m.Metric, c.When}
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		parts = append(parts, name+"="+m.Parameters[name])
	}
	return strings.Join(parts, "\x00")
}

// gaps lists what a source does not say: its date, and of measured figures the
// repetitions and the hardware.
func gaps(s Source) []Gap {
	var list []Gap
	if s.Date == "" {
		list = append(list, Gap{Source: s.Name, What: "date"})
	}
	var n, hardware []string
	for _, c := range s.Claims {
		if c.Number == nil || c.Kind == Consistency || c.Kind == Unprinted || c.Kind == Forecast || c.Kind == Opinion {
			continue
		}
		if c.Setup.N == 0 {
			n = append(n, c.ID)
		}
		if c.Setup.Hardware == "" {
			hardware = append(hardware, c.ID)
		}
	}
	if len(n) > 0 {
		list = append(list, Gap{s.Name, "n, the number of repetitions", n})
	}
	if len(hardware) > 0 {
		list = append(list, Gap{s.Name, "hardware", hardware})
	}
	return list
}
