package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Iperf3Delivery is the result of several UDP streams that ran at once: what
// was offered to the network, and what came out of it.
type Iperf3Delivery struct {
	// Window and Slack are as in [Iperf3Throughput].
	Window sample.Window
	Slack  time.Duration
	// Offered is the payload that the senders handed to their kernels in the
	// window, Goodput what the receivers got in it, both in bit/s.
	Offered, Goodput float64
	// Forward and Reverse are the parts of Goodput that went from clients to
	// servers, and back.
	Forward, Reverse float64
	PerStream        []float64 // of Goodput
	// Datagrams of all streams from the end of the warm-up to the end of the
	// test. Lost ones include those after the last that arrived.
	Datagrams, Lost, OutOfOrder int64
	// Jitter is the receivers' smoothed difference of transit times (RFC 3550,
	// section 6.4.1), the mean over intervals and streams; nil where too little
	// arrived to tell.
	Jitter *time.Duration
	// Limited is as in [Iperf3Throughput].
	Limited []string
}

// Loss is the share of datagrams that did not arrive, from 0 to 1.
func (d Iperf3Delivery) Loss() float64 { return float64(d.Lost) / float64(d.Datagrams) }

// CombineIperf3UDP makes one result of UDP streams that ran at once. Both ends
// of each must be known: neither tells what the other did. A stream of which
// nothing arrived is all lost; it is an error when that is so of all.
func CombineIperf3UDP(streams []Iperf3Stream) (Iperf3Delivery, error) {
	common, err := overlap(streams, true)
	if err != nil {
		return Iperf3Delivery{}, err
	}
	d := Iperf3Delivery{Window: common.window, Slack: common.slack, Limited: common.limited}
	var jitters []time.Duration
	for i, s := range streams {
		if s.Server == nil {
			return Iperf3Delivery{}, fmt.Errorf("stream %d: the server's result is not known", i+1)
		}
		sender, receiver := s.Client, *s.Server
		if s.Client.Reverse {
			sender, receiver = receiver, sender
		}
		from, to := common.placed[i].offset(d.Window)
		rate := bytesBetween(receiver.counted(), from, to) * 8 / (to - from)
		d.Offered += bytesBetween(sender.counted(), from, to) * 8 / (to - from)
		d.PerStream = append(d.PerStream, rate)
		d.Goodput += rate
		if s.Client.Reverse {
			d.Reverse += rate
		} else {
			d.Forward += rate
		}
		unseen := unseenDatagrams(sender, receiver)
		d.Datagrams += receiver.Datagrams.Expected + unseen
		d.Lost += receiver.Datagrams.Lost + unseen
		d.OutOfOrder += receiver.Datagrams.OutOfOrder
		for _, interval := range receiver.counted() {
			if interval.Jitter != nil {
				jitters = append(jitters, *interval.Jitter)
			}
		}
	}
	if !(d.Goodput > 0) {
		return Iperf3Delivery{}, fmt.Errorf("none of %d UDP datagrams arrived in the %v in which all streams measured", d.Datagrams, d.Window.Duration())
	}
	if d.Datagrams == 0 {
		return Iperf3Delivery{}, errors.New("no UDP datagram is known to have been sent")
	}
	d.Jitter = meanDuration(jitters)
	return d, nil
}

// unseenDatagrams are those that were sent after the last one that arrived: the
// receiver does not know of them. Both ends begin to count within moments of
// each other but not at once, so what the sender counts more is believed only
// where the receiver got nothing at the end, for at least half an interval.
func unseenDatagrams(sender, receiver Iperf3Result) int64 {
	var silence, longest float64
	silent := true
	intervals := receiver.counted()
	for i := len(intervals) - 1; i >= 0; i-- {
		length := intervals[i].End - intervals[i].Start
		longest = max(longest, length)
		silent = silent && intervals[i].Bytes == 0
		if silent {
			silence += length
		}
	}
	if silence < longest/2 {
		return 0
	}
	return max(0, sender.Sent.Bytes/int64(sender.Datagrams.Size)-receiver.Datagrams.Expected)
}

func meanDuration(all []time.Duration) *time.Duration {
	if len(all) == 0 {
		return nil
	}
	var total time.Duration
	for _, d := range all {
		total += d
	}
	mean := total / time.Duration(len(all))
	return &mean
}
