package load

import (
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// SeparateIperf3 is the result of streams that need not have measured at the
// same time, as those on an overloaded machine: what each receiver got from the
// end of the warm-up to the end of its own test. The window encloses the life of
// all clients, warm-ups included, so that rates are no parts of it, and there is
// no slack, nor a sum for which all would have had to run at once: BitsPerSecond,
// Forward and Reverse are 0.
func SeparateIperf3(streams []Iperf3Stream) (Iperf3Throughput, error) {
	if len(streams) == 0 {
		return Iperf3Throughput{}, errors.New("separating no iperf3 streams")
	}
	t := Iperf3Throughput{FromReceiver: true, Retransmits: totalRetransmits(streams), MeanRTT: meanRTT(streams)}
	for i, s := range streams {
		if err := s.check(false); err != nil {
			return Iperf3Throughput{}, fmt.Errorf("stream %d: %w", i+1, err)
		}
		got := s.Client.Received
		if got == nil || !(got.BitsPerSecond > 0) {
			return Iperf3Throughput{}, fmt.Errorf("stream %d: nothing arrived after the warm-up", i+1)
		}
		t.PerStream = append(t.PerStream, got.BitsPerSecond)
		t.Congestion = append(t.Congestion, Iperf3Congestion{s.Client.SenderCongestion, s.Client.ReceiverCongestion})
		t.Limited = append(t.Limited, s.limited(i+1)...)
		t.Window = enclose(t.Window, sample.Window{Start: s.ClientProcess.Start, End: s.ClientProcess.End})
	}
	return t, nil
}

// enclose is the least window around two, of which the first may be none.
func enclose(all, next sample.Window) sample.Window {
	if all.Start.IsZero() || next.Start.Before(all.Start) {
		all.Start = next.Start
	}
	if next.End.After(all.End) {
		all.End = next.End
	}
	return all
}
