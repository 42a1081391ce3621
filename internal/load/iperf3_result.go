package load

import (
	"fmt"
	"time"
)

// Iperf3Result is what one end of an iperf3 test reports. Offsets are in
// seconds since the omitted warm-up ended.
type Iperf3Result struct {
	Version string // such as "iperf 3.12"
	Cookie  string // the same at both ends of a test
	Client  bool   // which end this is
	Reverse bool   // the server sends
	Streams int
	// Started is when the ends connected, on this end's clock: UTC, cut to
	// whole seconds, which is all that iperf3 tells.
	Started  time.Time
	Omit     time.Duration
	Duration time.Duration // asked for
	// Intervals in order, omitted ones first.
	Intervals []Iperf3Interval
	// Sent and Received are totals without the warm-up. A server knows its
	// own side only; the other is nil.
	Sent     *Iperf3Sum
	Received *Iperf3Sum
	// Retransmits is nil where the sender does not count them.
	Retransmits *int64
	// MeanRTT as the sender's TCP saw it, the mean over the streams; nil at an
	// end that is not told.
	MeanRTT *time.Duration
	MSS     int // of the client's control connection, in bytes; 0 if not told
	PathMTU int // of the last interval, in bytes; 0 if not told
	// Congestion control of the ends; empty if not told.
	SenderCongestion   string
	ReceiverCongestion string
	// Peer is the address that a server's client came from; empty at a client.
	Peer string `json:",omitempty"`
	// Datagrams is nil over TCP.
	Datagrams *Iperf3Datagrams `json:",omitempty"`
	// CPU use of the ends. Remote is nil at a server, which is not told.
	Local  Iperf3CPU
	Remote *Iperf3CPU
}

// Iperf3Interval is one line of an iperf3 report, over all its streams.
type Iperf3Interval struct {
	// Start and End are offsets in seconds; those of omitted intervals count
	// from the start of the warm-up.
	Start, End    float64
	Bytes         int64
	BitsPerSecond float64
	Retransmits   *int64        // nil where the end does not count them
	RTT           time.Duration // 0 where the end does not know it
	Omitted       bool
	// Jitter of a UDP receiver at the end of the interval (RFC 3550, section
	// 6.4.1); nil elsewhere, and before the first datagram.
	Jitter *time.Duration `json:",omitempty"`
}

// Iperf3Datagrams is what one end of a UDP test counted after the warm-up. A
// sender knows its size alone.
type Iperf3Datagrams struct {
	Size int // bytes of payload in each
	// Expected is how many the receiver knows of, by the numbers that they
	// carry, and Lost how many of them it lacks. Those that were sent after the
	// last one that arrived are in neither.
	Expected, Lost int64
	OutOfOrder     int64
}

// Iperf3Sum is the total of one side of a test.
type Iperf3Sum struct {
	Bytes         int64
	Seconds       float64
	BitsPerSecond float64
}

// Iperf3CPU is the CPU use of one iperf3 process, in percent of one core.
type Iperf3CPU struct {
	Total, User, System float64
}

// Iperf3Error is a test that iperf3 itself reports as failed.
type Iperf3Error struct {
	Message string
	// Intervals is how many intervals had been reported before.
	Intervals int
}

func (e *Iperf3Error) Error() string {
	if e.Intervals == 0 {
		return "iperf3 failed: " + e.Message
	}
	return fmt.Sprintf("iperf3 failed after %d intervals: %s", e.Intervals, e.Message)
}

// WindowRefused tells whether the kernel's limits, net.core.rmem_max and
// wmem_max, did not allow the buffers that were asked for. The kernel doubles
// what it is asked for and iperf3 (3.12) compares with the doubled value, so
// half is enough.
func (e *Iperf3Error) WindowRefused() bool {
	return e.Message == "socket buffer size not set correctly"
}

// counted returns the intervals that are not omitted.
func (r Iperf3Result) counted() []Iperf3Interval {
	for i, interval := range r.Intervals {
		if !interval.Omitted {
			return r.Intervals[i:]
		}
	}
	return nil
}

// end is the offset at which the last interval ends.
func (r Iperf3Result) end() float64 {
	return r.Intervals[len(r.Intervals)-1].End
}
