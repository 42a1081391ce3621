package load

import (
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// placement is where on the wall clock a stream's measured interval lies. Its
// origin is the end of the warm-up.
type placement struct {
	earliest time.Time // that the origin can be
	slack    time.Duration
	interior sample.Window // inside the measured interval wherever the origin is
}

// place bounds the origin by cause and effect on the client's machine alone,
// so that the server's clock does not matter: both ends begin after the client
// process was started (and after the second that it stamps), and both have
// ended before it exits, because the client waits for the server's results.
// The timers that end the warm-up never fire early.
func (s Iperf3Stream) place() (placement, error) {
	c, life := s.Client, s.ClientProcess
	begin := life.Start
	if c.Started.After(begin) {
		begin = c.Started
	}
	measured := seconds(c.end()) // at both ends
	if s.Server != nil {
		measured = min(measured, seconds(s.Server.end()))
	}
	p := placement{earliest: begin.Add(c.Omit)}
	latest := life.End.Add(-measured)
	p.slack = latest.Sub(p.earliest)
	if p.slack < 0 {
		return placement{}, fmt.Errorf("iperf3 measured %v after %v of warm-up, but its process has at most %v for both: a clock was set",
			measured, c.Omit, life.End.Sub(begin))
	}
	p.interior = sample.Window{Start: latest, End: p.earliest.Add(measured)}
	if !p.interior.Start.Before(p.interior.End) {
		return placement{}, fmt.Errorf("iperf3 measured %v somewhere in %v, too little to know when", measured, life.End.Sub(begin))
	}
	return p, nil
}

// offset converts a window to seconds since the origin, taken to be in the
// middle of where it can be.
func (p placement) offset(w sample.Window) (from, to float64) {
	origin := p.earliest.Add(p.slack / 2)
	return w.Start.Sub(origin).Seconds(), w.End.Sub(origin).Seconds()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
