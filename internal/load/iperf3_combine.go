package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// GeneratorLimit is the share of one core from which on a single-threaded
// generator, and not the network, is taken to limit the result.
const GeneratorLimit = 0.95

// Iperf3Stream is one stream: the results of a client with a single stream
// and, where it is known, of its server, with what the probe saw of their
// processes.
type Iperf3Stream struct {
	Client        Iperf3Result
	ClientProcess probe.ProcessReport
	Server        *Iperf3Result
	ServerProcess *probe.ProcessReport
}

// Iperf3Throughput is the result of several streams that ran at once.
type Iperf3Throughput struct {
	// Window is the span that certainly lies inside the measured interval of
	// every stream at both ends, on the clock of the clients' machine.
	Window sample.Window
	// Slack is by how much a stream's measured interval may at most lie
	// earlier or later than assumed: iperf3 does not stamp it, only the life
	// of its process bounds it.
	Slack time.Duration
	// BitsPerSecond is what all streams together received in the window.
	BitsPerSecond float64
	PerStream     []float64
	// Forward and Reverse are the parts of it that went from clients to
	// servers, and back.
	Forward, Reverse float64
	// FromReceiver says that the bytes were counted by the receivers, interval
	// by interval. Otherwise the senders' intervals were scaled to the
	// receivers' totals.
	FromReceiver bool
	// Retransmits of all streams, from the end of the warm-up to the end of
	// the test; nil where a sender did not count them.
	Retransmits *int64
	// MeanRTT over the streams, nil where a sender was not told.
	MeanRTT *time.Duration
	// Congestion control of each stream's ends.
	Congestion []Iperf3Congestion
	// Limited lists the processes that were as busy as one thread can be, in
	// words. The throughput is the generator's then.
	Limited []string
}

// Iperf3Streams parses the output of clients and of their servers, in the
// same order. servers without processes means that the servers' results are
// not known. A process that failed, was killed or whose output was capped is
// an error.
func Iperf3Streams(clients, servers probe.LoadReport) ([]Iperf3Stream, error) {
	if n := len(servers.Processes); n != 0 && n != len(clients.Processes) {
		return nil, fmt.Errorf("%d iperf3 clients cannot have %d servers", len(clients.Processes), n)
	}
	streams := make([]Iperf3Stream, len(clients.Processes))
	for i, p := range clients.Processes {
		r, err := parseIperf3Process(p)
		if err != nil {
			return nil, fmt.Errorf("client of stream %d: %w", i+1, err)
		}
		streams[i].Client, streams[i].ClientProcess = r, p
	}
	for i, p := range servers.Processes {
		r, err := parseIperf3Process(p)
		if err != nil {
			return nil, fmt.Errorf("server of stream %d: %w", i+1, err)
		}
		streams[i].Server, streams[i].ServerProcess = &r, &p
	}
	return streams, nil
}

func parseIperf3Process(p probe.ProcessReport) (Iperf3Result, error) {
	r, err := ParseIperf3([]byte(p.Stdout))
	switch {
	case p.Error != "":
		return Iperf3Result{}, fmt.Errorf("iperf3 did not run: %s", p.Error)
	case p.TimedOut:
		return Iperf3Result{}, fmt.Errorf("iperf3 ran into its timeout (%s)", excerpt(p.Stdout+p.Stderr))
	case p.Signal != "":
		return Iperf3Result{}, fmt.Errorf("iperf3 was ended by %s (%s)", p.Signal, excerpt(p.Stdout+p.Stderr))
	case p.Truncated:
		return Iperf3Result{}, errors.New("iperf3 wrote more than is kept")
	case err != nil && p.Stderr != "":
		return Iperf3Result{}, fmt.Errorf("%w; on stderr %s", err, excerpt(p.Stderr))
	case err != nil:
		return Iperf3Result{}, err
	case p.ExitCode != 0:
		return Iperf3Result{}, fmt.Errorf("iperf3 exited with status %d (%s)", p.ExitCode, excerpt(p.Stderr))
	}
	return r, nil
}

// CombineIperf3 makes one result of streams that ran at once: what their
// receivers got in the time in which all of them were measuring. The receiver
// is authoritative, because what a sender has handed to its kernel may be
// buffered, retransmitted or lost. Where the receiver's intervals are not
// known, the sender's are scaled to the receiver's total, which both ends
// exchange at the end of a test.
func CombineIperf3(streams []Iperf3Stream) (Iperf3Throughput, error) {
	common, err := overlap(streams, false)
	if err != nil {
		return Iperf3Throughput{}, err
	}
	t := Iperf3Throughput{FromReceiver: true, Window: common.window, Slack: common.slack, Limited: common.limited}
	for i, s := range streams {
		t.Congestion = append(t.Congestion, Iperf3Congestion{s.Client.SenderCongestion, s.Client.ReceiverCongestion})
		rate, received, err := s.rate(common.placed[i].offset(t.Window))
		if err != nil {
			return Iperf3Throughput{}, fmt.Errorf("stream %d: %w", i+1, err)
		}
		t.PerStream = append(t.PerStream, rate)
		t.BitsPerSecond += rate
		if s.Client.Reverse {
			t.Reverse += rate
		} else {
			t.Forward += rate
		}
		t.FromReceiver = t.FromReceiver && received
	}
	t.Retransmits, t.MeanRTT = totalRetransmits(streams), meanRTT(streams)
	return t, nil
}

// check reports why a stream's results do not belong together.
func (s Iperf3Stream) check(udp bool) error {
	c := s.Client
	switch {
	case !c.Client:
		return errors.New("the client's result is a server's")
	case udp != (c.Datagrams != nil):
		return fmt.Errorf("the test was over UDP: %t, which is not what was to be combined", c.Datagrams != nil)
	case c.Streams != 1:
		return fmt.Errorf("the client ran %d streams in one process; run one process per stream", c.Streams)
	case len(c.counted()) == 0 || s.Server != nil && len(s.Server.counted()) == 0:
		return errors.New("a result has no intervals")
	case s.Server == nil:
		return nil
	case s.Server.Client:
		return errors.New("the server's result is a client's")
	case (s.Server.Datagrams != nil) != udp:
		return errors.New("client and server report tests over different protocols")
	case s.Server.Cookie != c.Cookie:
		return fmt.Errorf("client and server report different tests (cookies %q and %q)", c.Cookie, s.Server.Cookie)
	case s.Server.Received != nil && s.Server.Received.Bytes != c.Received.Bytes:
		return fmt.Errorf("the server received %d bytes, but the client was told %d", s.Server.Received.Bytes, c.Received.Bytes)
	}
	return nil
}

// rate is what the receiver got between two offsets, in bits per second, and
// whether that comes from the receiver's own intervals.
func (s Iperf3Stream) rate(from, to float64) (bits float64, received bool, err error) {
	intervals, scale := s.Client.counted(), 1.0
	switch {
	case s.Client.Reverse:
		received = true
	case s.Server != nil:
		intervals, received = s.Server.counted(), true
	case s.Client.Sent.Bytes > 0:
		scale = float64(s.Client.Received.Bytes) / float64(s.Client.Sent.Bytes)
	}
	bytes := scale * bytesBetween(intervals, from, to)
	if !(bytes > 0) {
		return 0, received, fmt.Errorf("nothing arrived in the %.3f s in which all streams measured", to-from)
	}
	return bytes * 8 / (to - from), received, nil
}

func totalRetransmits(streams []Iperf3Stream) *int64 {
	var total int64
	for _, s := range streams {
		if s.Client.Retransmits == nil {
			return nil
		}
		total += *s.Client.Retransmits
	}
	return &total
}

func meanRTT(streams []Iperf3Stream) *time.Duration {
	var total time.Duration
	for _, s := range streams {
		sender := &s.Client
		if s.Client.Reverse {
			sender = s.Server
		}
		if sender == nil || sender.MeanRTT == nil {
			return nil
		}
		total += *sender.MeanRTT
	}
	mean := total / time.Duration(len(streams))
	return &mean
}
