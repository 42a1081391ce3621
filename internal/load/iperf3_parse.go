package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseIperf3 parses what iperf3 -J wrote at the end of a test over TCP or UDP,
// at either end. Output that is empty, cut short or incomplete is an error that says
// what was seen. A test that iperf3 reports as failed is an [*Iperf3Error];
// its exit status does not tell (3.12 exits with 0).
func ParseIperf3(data []byte) (Iperf3Result, error) {
	text := strings.TrimSpace(string(data))
	if text == "" {
		return Iperf3Result{}, errors.New("iperf3 wrote nothing")
	}
	var raw iperf3JSON
	if err := json.Unmarshal(data, &raw); err != nil {
		return Iperf3Result{}, fmt.Errorf("iperf3 output is not its complete JSON, but %d bytes, %s: %w",
			len(text), excerpt(text), err)
	}
	if raw.Error != nil {
		return Iperf3Result{}, &Iperf3Error{Message: *raw.Error, Intervals: len(raw.Intervals)}
	}
	r, err := raw.result()
	if err != nil {
		return Iperf3Result{}, fmt.Errorf("iperf3 output with %d intervals: %w", len(raw.Intervals), err)
	}
	return r, nil
}

// excerpt quotes both ends of a text.
func excerpt(text string) string {
	const most = 60
	if len(text) <= 2*most {
		return strconv.Quote(text)
	}
	return strconv.Quote(text[:most]) + " to " + strconv.Quote(text[len(text)-most:])
}

func (raw *iperf3JSON) result() (Iperf3Result, error) {
	test := raw.Start.Test
	switch {
	case test == nil:
		return Iperf3Result{}, errors.New("no start.test_start")
	case test.Protocol != "TCP" && test.Protocol != "UDP":
		return Iperf3Result{}, fmt.Errorf("protocol is %q, not TCP or UDP", test.Protocol)
	case test.Bidir != 0 || len(raw.Intervals) > 0 && raw.Intervals[0].WayBack != nil:
		return Iperf3Result{}, errors.New("bidirectional tests have no single result")
	case test.Streams < 1 || test.Omit < 0 || test.Omit > 1e6 || test.Duration < 0 || test.Duration > 1e6:
		return Iperf3Result{}, fmt.Errorf("start.test_start has %d streams, omit %d, duration %d",
			test.Streams, test.Omit, test.Duration)
	}
	r := Iperf3Result{
		Version:            raw.Start.Version,
		Cookie:             raw.Start.Cookie,
		Client:             raw.Start.ConnectingTo != nil,
		Reverse:            test.Reverse != 0,
		Streams:            test.Streams,
		Started:            time.Unix(raw.Start.Timestamp.Seconds, 0).UTC(),
		Omit:               time.Duration(test.Omit) * time.Second,
		Duration:           time.Duration(test.Duration) * time.Second,
		MSS:                raw.Start.MSS,
		SenderCongestion:   raw.End.SenderCongestion,
		ReceiverCongestion: raw.End.ReceiverCongestion,
		Peer:               raw.Start.Accepted.Host,
	}
	if err := raw.intervals(&r); err != nil {
		return Iperf3Result{}, err
	}
	if err := raw.totals(&r); err != nil {
		return Iperf3Result{}, err
	}
	if test.Protocol == "UDP" {
		return r, raw.datagrams(&r)
	}
	return r, nil
}

// totals fills in what the end of the report says.
func (raw *iperf3JSON) totals(r *Iperf3Result) error {
	sends := r.Client != r.Reverse
	if r.Client || sends { // a server only knows its own side, and gives 0 for the other
		sum, err := raw.End.Sent.total()
		if err != nil {
			return fmt.Errorf("end.sum_sent: %w", err)
		}
		r.Sent = &sum
		if r.Retransmits, err = raw.End.Sent.retransmits(); err != nil {
			return fmt.Errorf("end.sum_sent: %w", err)
		}
	}
	if r.Client || !sends {
		sum, err := raw.End.Received.total()
		if err != nil {
			return fmt.Errorf("end.sum_received: %w", err)
		}
		r.Received = &sum
	}
	if sends {
		r.MeanRTT = raw.meanRTT()
	}
	cpu := raw.End.CPU
	if cpu == nil {
		return errors.New("no end.cpu_utilization_percent")
	}
	r.Local = Iperf3CPU{cpu.HostTotal, cpu.HostUser, cpu.HostSystem}
	if r.Client {
		r.Remote = &Iperf3CPU{cpu.RemoteTotal, cpu.RemoteUser, cpu.RemoteSystem}
	}
	return nil
}

// meanRTT is nil unless every stream has one.
func (raw *iperf3JSON) meanRTT() *time.Duration {
	var micros float64
	for _, s := range raw.End.Streams {
		if s.Sender == nil || s.Sender.MeanRTT == nil {
			return nil
		}
		micros += *s.Sender.MeanRTT / float64(len(raw.End.Streams))
	}
	if !(micros > 0) || micros > 1e12 {
		return nil // 0 is what iperf3 writes where the kernel does not tell
	}
	rtt := time.Duration(micros * float64(time.Microsecond))
	return &rtt
}

func (s *iperf3JSONSum) total() (Iperf3Sum, error) {
	if s == nil || s.Bytes == nil || s.Seconds == nil || s.BitsPerSecond == nil {
		return Iperf3Sum{}, errors.New("no bytes, seconds and bits_per_second")
	}
	bytes, err := wholeNumber(*s.Bytes)
	if err != nil {
		return Iperf3Sum{}, fmt.Errorf("bytes: %w", err)
	}
	if !(*s.Seconds > 0) || *s.BitsPerSecond < 0 {
		return Iperf3Sum{}, fmt.Errorf("%v bit/s in %v seconds", *s.BitsPerSecond, *s.Seconds)
	}
	return Iperf3Sum{Bytes: bytes, Seconds: *s.Seconds, BitsPerSecond: *s.BitsPerSecond}, nil
}

func (s *iperf3JSONSum) retransmits() (*int64, error) {
	if s.Retransmits == nil {
		return nil, nil
	}
	n, err := wholeNumber(*s.Retransmits)
	if err != nil {
		return nil, fmt.Errorf("retransmits: %w", err)
	}
	return &n, nil
}

// wholeNumber converts a count that a float64 holds exactly.
func wholeNumber(f float64) (int64, error) {
	if f < 0 || f > 1<<53 || f != math.Trunc(f) {
		return 0, fmt.Errorf("%v is no count", f)
	}
	return int64(f), nil
}
