package mlrsearch

import "time"

// pursuit goes through the targets of one goal.
type pursuit struct {
	goal    Goal
	loads   grid
	targets []target // those still to reach, the current one first; the goal's own stays
	// measuring is the index whose class is awaited, or -1.
	measuring int
	hints     []int // indices to try first
	rates     int   // how many more forwarding rates may become hints
	gallop    gallop
}

// gallop widens a bound's neighbourhood in steps that double, until the other
// bound is met; from then on intervals are halved.
type gallop struct {
	class Class // of the loads that are being left behind
	step  int
	done  bool
}

func newPursuit(g Goal, chain []target, loads grid) *pursuit {
	p := &pursuit{goal: g, loads: loads, targets: chain, measuring: -1, hints: []int{loads.steps}, rates: 2}
	p.gallop = gallop{step: chain[0].gap}
	return p
}

// next returns the index of the load to try and the trial's length, or false
// when the goal needs no more.
func (p *pursuit) next(h history) (index int, trial time.Duration, more bool) {
	for {
		t := p.targets[0]
		if p.measuring >= 0 {
			class := t.goal.Classify(h[p.measuring])
			if class == Undecided {
				return p.measuring, t.trial, true
			}
			p.decided(p.measuring, class, h)
		}
		b := h.bounds(t.goal, p.loads.steps+1)
		if candidate, ok := p.choose(t, b); ok {
			p.measuring = candidate
			continue
		}
		if len(p.targets) == 1 {
			// Trials for another goal may still move this one's bounds.
			return 0, 0, false
		}
		p.enter(b)
	}
}

// decided notes that the load under way has become a bound of the current
// target.
func (p *pursuit) decided(index int, class Class, h history) {
	p.measuring = -1
	if class == UpperBound && p.rates > 0 && len(p.hints) == 0 {
		// What came through an overload is a good guess at what fits.
		p.rates--
		trials := h[index]
		last := trials[len(trials)-1]
		forwarded := last.Load * (1 - last.LossRatio) / (1 - p.goal.LossRatio)
		if hint := p.loads.floor(forwarded); hint < index {
			p.hints = []int{hint}
		}
	}
	switch g := &p.gallop; g.class {
	case Undecided:
		g.class = class
	case class:
		g.step *= 2
	default:
		g.done = true
	}
}

// choose returns the next load for the target, or false when the target is
// reached or cannot be.
func (p *pursuit) choose(t target, b bounds) (int, bool) {
	for len(p.hints) > 0 {
		hint := p.hints[0]
		p.hints = p.hints[1:]
		if b.lower < hint && hint < b.upper {
			// The search goes on from wherever the hint leads.
			p.gallop = gallop{step: t.gap}
			return hint, true
		}
	}
	steps := p.loads.steps
	switch {
	case b.lower < 0 && b.upper > steps: // nothing is known
		return steps, true
	case b.lower < 0: // the lowest load must not fail
		return max(0, b.upper-p.gallop.step), b.upper > 0
	case b.upper > steps: // the highest load must not pass
		return min(steps, b.lower+p.gallop.step), b.lower < steps
	case b.upper-b.lower <= t.gap:
		return 0, false
	}
	middle := b.lower + (b.upper-b.lower)/2
	switch {
	case p.gallop.done:
		return middle, true
	case p.gallop.class == UpperBound:
		return max(middle, b.upper-p.gallop.step), true
	}
	return min(middle, b.lower+p.gallop.step), true
}

// enter goes on to the following target, which begins where this one ended:
// in the middle, then at the bound that remains to be confirmed.
func (p *pursuit) enter(b bounds) {
	p.targets = p.targets[1:]
	t := p.targets[0]
	p.gallop, p.rates, p.hints = gallop{step: t.gap}, 0, nil
	lower, upper := max(b.lower, 0), min(b.upper, p.loads.steps)
	if b.lower >= 0 && b.upper <= p.loads.steps && upper-lower > t.gap {
		p.hints = append(p.hints, lower+(upper-lower)/2)
	}
	p.hints = append(p.hints, lower, upper)
}
