package load

import (
	"errors"
	"fmt"
	"time"
)

// datagrams fills in what a UDP test counted. The receiver's own totals are
// right; those that a sender prints of its receiver are not (3.12): they count
// losses of the warm-up among the datagrams after it, and give more than 100 %.
func (raw *iperf3JSON) datagrams(r *Iperf3Result) error {
	size := raw.Start.Test.Block
	if size < iperf3MinDatagram || size > iperf3MaxDatagram {
		return fmt.Errorf("start.test_start: datagrams of %d bytes", size)
	}
	r.Datagrams = &Iperf3Datagrams{Size: size}
	if !r.receives() {
		return nil
	}
	total := raw.End.Received
	if total.Packets == nil || total.Lost == nil {
		return errors.New("end.sum_received: no packets and lost_packets")
	}
	var err error
	if r.Datagrams.Expected, err = wholeNumber(*total.Packets); err != nil {
		return fmt.Errorf("end.sum_received: packets: %w", err)
	}
	// A datagram that comes late is counted back, so that one lost in the
	// warm-up and late after it makes -1.
	if r.Datagrams.Lost, err = wholeNumber(max(*total.Lost, 0)); err != nil {
		return fmt.Errorf("end.sum_received: lost_packets: %w", err)
	}
	if r.Datagrams.Lost > r.Datagrams.Expected {
		return fmt.Errorf("end.sum_received: %d of %d datagrams were lost", r.Datagrams.Lost, r.Datagrams.Expected)
	}
	for _, s := range raw.End.Streams {
		if s.UDP == nil || s.UDP.OutOfOrder == nil {
			return errors.New("end.streams: no out_of_order")
		}
		n, err := wholeNumber(max(*s.UDP.OutOfOrder, 0))
		if err != nil {
			return fmt.Errorf("end.streams: out_of_order: %w", err)
		}
		r.Datagrams.OutOfOrder += n
	}
	return nil
}

// receives tells whether this end is the test's receiver.
func (r Iperf3Result) receives() bool { return r.Client == r.Reverse }

// jitter is nil where the end does not receive datagrams, and where it has
// none of which to tell.
func (s *iperf3JSONSum) jitter() *time.Duration {
	if s.Jitter == nil || s.Packets == nil || !(*s.Packets > 0) || !(*s.Jitter >= 0) || *s.Jitter > 1e9 {
		return nil
	}
	jitter := time.Duration(*s.Jitter * float64(time.Millisecond))
	return &jitter
}
