package load

import "time"

// Moment is what the client of a stream reported of an interval, placed on its
// machine's clock.
type Moment struct {
	End           time.Time
	BitsPerSecond float64 // mean over the interval that ends then
	// Retransmits are segments per second in that interval; nil where the
	// client does not count them.
	Retransmits *float64
	Omitted     bool
}

// shortest is the least interval that a series shows: time stamps have
// milliseconds.
const shortest = time.Millisecond

// Timeline places the client's intervals in time, as well as its process's
// life bounds them: the measured interval is taken to lie in the middle of
// where it can. The sliver of an interval with which iperf3 sometimes begins
// or ends a measurement is left out of the series; its bytes count in the
// result all the same.
func (s Iperf3Stream) Timeline() ([]Moment, error) {
	p, err := s.place()
	if err != nil {
		return nil, err
	}
	origin := p.earliest.Add(p.slack / 2)
	moments := make([]Moment, 0, len(s.Client.Intervals))
	for _, in := range s.Client.Intervals {
		at := origin.Add(seconds(in.End))
		if in.Omitted {
			// The warm-up ends late, by up to an interval, and never after the
			// measurement has begun.
			at = at.Add(-s.Client.Omit)
			if at.After(origin) {
				at = origin
			}
		}
		if last := len(moments) - 1; last >= 0 && at.Sub(moments[last].End) < shortest {
			continue
		}
		moments = append(moments, Moment{at, in.BitsPerSecond, in.retransmitRate(), in.Omitted})
	}
	return moments, nil
}

// retransmitRate is in segments per second; nil where they were not counted, or
// for an interval of no length.
func (i Iperf3Interval) retransmitRate() *float64 {
	if i.Retransmits == nil || i.End <= i.Start {
		return nil
	}
	rate := float64(*i.Retransmits) / (i.End - i.Start)
	return &rate
}
