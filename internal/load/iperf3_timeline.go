package load

import "time"

// Moment is what the client of a stream reported of an interval, placed on its
// machine's clock.
type Moment struct {
	End           time.Time
	BitsPerSecond float64 // mean over the interval that ends then
	Omitted       bool
}

// Timeline places the client's intervals in time, as well as its process's
// life bounds them: the measured interval is taken to lie in the middle of
// where it can.
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
			at = at.Add(-s.Client.Omit)
		}
		moments = append(moments, Moment{at, in.BitsPerSecond, in.Omitted})
	}
	return moments, nil
}
