package serve

import (
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// remaining estimates how long the pending trials take: the next one, counted
// from the end of the last that finished, and those after it. Each cell takes
// its mean so far, and before it comes the median pause, which is longer where
// block or variant change and a cluster may have to start. A median is not
// moved by the hours between an interrupted run and the one that resumed it.
// It reports false while no trial has finished.
func remaining(trials []result.Trial, pending []plan.Trial) (next, rest time.Duration, known bool) {
	measured := slices.DeleteFunc(slices.Clone(trials), func(t result.Trial) bool { return t.Voids > 0 })
	if len(measured) == 0 {
		return 0, 0, false
	}
	pace := paceOf(measured)
	before := measured[len(measured)-1].Key()
	for i, p := range pending {
		key := result.KeyOf(p)
		takes := pace.pause(before, key) + pace.trial(key.Cell)
		if i == 0 {
			next = takes
		} else {
			rest += takes
		}
		before = key
	}
	return next, rest, true
}

// pace is how long trials took, and the pauses between them.
type pace struct {
	all             mean
	cells           map[string]*mean
	within, between []time.Duration // of a turn, and from one to the next
}

// paceOf reads it off trials in the order in which they were measured.
func paceOf(measured []result.Trial) pace {
	p := pace{cells: map[string]*mean{}}
	for i, t := range measured {
		took := t.End.Sub(t.Start)
		p.all.add(took)
		if p.cells[t.Cell] == nil {
			p.cells[t.Cell] = &mean{}
		}
		p.cells[t.Cell].add(took)
		if i == 0 {
			continue
		}
		pause := max(0, t.Start.Sub(measured[i-1].End))
		if sameTurn(t.Key(), measured[i-1].Key()) {
			p.within = append(p.within, pause)
		} else {
			p.between = append(p.between, pause)
		}
	}
	return p
}

// pause is what lies between two trials.
func (p pace) pause(before, after result.Key) time.Duration {
	if sameTurn(before, after) {
		return median(p.within)
	}
	return median(p.between)
}

// trial is what a trial of a cell takes; one of a cell that has not been
// measured yet takes what the others do.
func (p pace) trial(cell string) time.Duration {
	if m := p.cells[cell]; m != nil {
		return m.value()
	}
	return p.all.value()
}

// sameTurn tells whether two trials are of one variant in one block.
func sameTurn(a, b result.Key) bool { return a.Block == b.Block && a.Variant == b.Variant }

// mean is that of durations.
type mean struct {
	sum time.Duration
	n   int
}

func (m *mean) add(d time.Duration) { m.sum, m.n = m.sum+d, m.n+1 }

func (m *mean) value() time.Duration { return m.sum / time.Duration(m.n) }

// median is the lower one of the two in the middle; 0 without any.
func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)-1)/2]
}
