package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// common is what streams that ran at once have in common.
type common struct {
	placed  []placement // by stream
	window  sample.Window
	slack   time.Duration
	limited []string // processes that were as busy as a thread can be, in words
}

// overlap checks that the results of streams belong together and finds the
// time in which all of them were measuring.
func overlap(streams []Iperf3Stream, udp bool) (common, error) {
	if len(streams) == 0 {
		return common{}, errors.New("combining no iperf3 streams")
	}
	c := common{placed: make([]placement, len(streams))}
	windows := make([]sample.Window, len(streams))
	for i, s := range streams {
		if err := s.check(udp); err != nil {
			return common{}, fmt.Errorf("stream %d: %w", i+1, err)
		}
		var err error
		if c.placed[i], err = s.place(); err != nil {
			return common{}, fmt.Errorf("stream %d: %w", i+1, err)
		}
		windows[i] = c.placed[i].interior
		c.slack = max(c.slack, c.placed[i].slack)
		c.limited = append(c.limited, s.limited(i+1)...)
	}
	var err error
	if c.window, err = sample.Intersect(windows...); err != nil {
		return common{}, fmt.Errorf("iperf3 streams did not measure at the same time: %w", err)
	}
	return c, nil
}
