package gap

import (
	"errors"
	"fmt"
	"time"
)

// mostKept bounds the gaps of a report.
const mostKept = 10_000

// Spec says how a stream is and what of it is reported.
type Spec struct {
	// Interval is the time between two packets as the sender paces them.
	Interval time.Duration `json:"intervalNs"`
	// Threshold is how long a gap must be to be listed and added up.
	Threshold time.Duration `json:"thresholdNs"`
}

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	switch {
	case s.Interval <= 0 || s.Interval > time.Minute:
		return fmt.Errorf("packets every %s: the interval can be up to a minute", s.Interval)
	case s.Threshold <= 0 || s.Threshold > time.Minute:
		return fmt.Errorf("gaps from %s on: the threshold can be up to a minute", s.Threshold)
	}
	return nil
}

// Gap is one interruption that was longer than the threshold.
type Gap struct {
	// Begin is when the last packet before it arrived, from the mark on:
	// negative before it. Without a mark it counts from the receiver's start.
	Begin time.Duration `json:"beginNs"`
	// Length is the silence less the interval.
	Length time.Duration `json:"lengthNs"`
	// Paused is by how much Length was shortened, because the sender itself
	// sent nothing: see [Report.Without].
	Paused time.Duration `json:"pausedNs,omitempty"`
	// After is the number of the last packet before it.
	After uint64 `json:"after"`
	// Marked tells that it ended after the mark.
	Marked bool `json:"marked"`
	// Skipped is how many numbers lie between the highest before it and the
	// first after it, lost or still to come.
	Skipped uint64 `json:"skipped"`
}

// Part is what one side of the mark had.
type Part struct {
	// Due are the packets that were sent in it, and Lost those of them that
	// never came.
	Due  uint64 `json:"due"`
	Lost uint64 `json:"lost"`
	// Longest is its longest gap, also below the threshold.
	Longest time.Duration `json:"longestNs"`
	// Short is the longest of those below the threshold.
	Short time.Duration `json:"shortNs"`
	// Count and Total are of the gaps from the threshold on.
	Count int           `json:"count"`
	Total time.Duration `json:"totalNs"`
}

// Report is what a whole stream had. Without a mark, all of it is before.
type Report struct {
	Before Part `json:"before"`
	After  Part `json:"after"`
	// Gaps are those from the threshold on, in order, 10,000 at most.
	Gaps []Gap `json:"gaps"`
	// Open tells that the last packets did not arrive: the stream ended in an
	// interruption, which lasted for Silence at least and is no gap of the list.
	Open    bool          `json:"open"`
	Silence time.Duration `json:"silenceNs"`
}

// Finder follows a stream. Times count from any moment of the receiver's
// clock; packets are given in the order in which they arrived, each number
// once.
type Finder struct {
	spec    Spec
	report  Report
	last    time.Duration // the latest arrival
	latest  uint64        // its number
	begun   bool          // there was one
	next    uint64        // one above the highest number so far
	marked  bool
	mark    time.Duration
	first   uint64    // number of the first packet due after the mark
	arrived [2]uint64 // before and after it, by number
}

// NewFinder begins a stream.
func NewFinder(spec Spec) *Finder { return &Finder{spec: spec} }

// Add notes an arrival.
func (f *Finder) Add(number uint64, at time.Duration) {
	if f.begun {
		f.silence(number, at)
	}
	f.begun, f.last, f.latest, f.next = true, max(f.last, at), number, max(f.next, number+1)
	if f.marked && number >= f.first {
		f.arrived[1]++
	} else {
		f.arrived[0]++
	}
}

// silence looks at the time before an arrival.
func (f *Finder) silence(number uint64, at time.Duration) {
	length := max(0, at-f.last-f.spec.Interval)
	part := &f.report.Before
	if f.marked {
		part = &f.report.After
	}
	part.Longest = max(part.Longest, length)
	if length < f.spec.Threshold {
		part.Short = max(part.Short, length)
		return
	}
	part.Count++
	part.Total += length
	if len(f.report.Gaps) < mostKept {
		g := Gap{Begin: f.last, Length: length, After: f.latest, Marked: f.marked}
		if number > f.next {
			g.Skipped = number - f.next
		}
		f.report.Gaps = append(f.report.Gaps, g)
	}
}

// Mark parts the stream: what is due from now on is after it. A second mark is
// an error, and so is one before the first arrival: nobody could tell the
// event from a path that never carried anything.
func (f *Finder) Mark(at time.Duration) error {
	switch {
	case f.marked:
		return errors.New("the stream has a mark already")
	case !f.begun:
		return errors.New("no packet had arrived before the mark")
	}
	f.marked, f.mark, f.first = true, at, f.next
	return nil
}

// Finish ends a stream of which sent packets left, and reports. What arrives
// later is lost.
func (f *Finder) Finish(sent uint64, at time.Duration) Report {
	r := f.report
	sent = max(sent, f.next)
	due := [2]uint64{sent, 0}
	if f.marked {
		due = [2]uint64{f.first, sent - f.first}
	}
	r.Before.Due, r.Before.Lost = due[0], due[0]-f.arrived[0]
	r.After.Due, r.After.Lost = due[1], due[1]-f.arrived[1]
	r.Gaps = append([]Gap{}, f.report.Gaps...)
	for i := range r.Gaps {
		r.Gaps[i].Begin -= f.mark
	}
	if f.next < sent {
		r.Open, r.Silence = true, max(0, at-f.last)
	}
	return r
}
