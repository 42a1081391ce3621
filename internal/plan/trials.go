package plan

import "time"

// Trial is one planned trial. A run may attempt it more than once.
type Trial struct {
	Block    int // from 1
	Position int // of the variant in its block, from 1
	Variant  Variant
	Cell     Cell
}

// Trials lists the plan's trials in the order in which a run executes them:
// by block, then by the variants in the block's order, then by its cells.
func (p Plan) Trials() []Trial {
	variants := map[string]Variant{}
	for _, v := range p.Variants {
		variants[v.Name] = v
	}
	cells := map[string]Cell{}
	for _, c := range p.Cells {
		cells[c.ID] = c
	}
	var trials []Trial
	for _, b := range p.Blocks {
		for i, variant := range b.Order {
			for _, cell := range b.Cells {
				trials = append(trials, Trial{b.Index, i + 1, variants[variant], cells[cell]})
			}
		}
	}
	return trials
}

// Estimate returns how long the plan's trials take when each is attempted
// once and takes the given time. Clusters have to start in addition.
func Estimate(p Plan, duration func(Cell) time.Duration) time.Duration {
	var total time.Duration
	for _, t := range p.Trials() {
		total += duration(t.Cell)
	}
	return total
}
