package gap

import "time"

// Pause is a time in which a sender sent nothing, by its own clock.
type Pause struct {
	// Before is the number of the packet that ended it.
	Before uint64 `json:"before"`
	// Length is the time since the packet before that one left.
	Length time.Duration `json:"lengthNs"`
}

// Without returns the report with gaps shortened by what their sender paused
// at their beginning. Gaps that are shorter than the threshold then count no
// more, but stay in the list. Pauses may come in any order.
func (r Report) Without(pauses []Pause, spec Spec) Report {
	paused := map[uint64]time.Duration{}
	for _, p := range pauses {
		paused[p.Before] = max(paused[p.Before], p.Length-spec.Interval)
	}
	r.Gaps = append([]Gap{}, r.Gaps...)
	for _, part := range []*Part{&r.Before, &r.After} {
		part.Longest, part.Count, part.Total = part.Short, 0, 0
	}
	for i := range r.Gaps {
		g := &r.Gaps[i]
		g.Paused = min(g.Length, max(0, paused[g.After+1]))
		g.Length -= g.Paused
		part := &r.Before
		if g.Marked {
			part = &r.After
		}
		part.Longest = max(part.Longest, g.Length)
		if g.Length >= spec.Threshold {
			part.Count++
			part.Total += g.Length
		}
	}
	return r
}
