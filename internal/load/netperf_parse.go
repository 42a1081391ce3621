package load

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// NetperfResult is what a netperf client reported of one test.
type NetperfResult struct {
	Protocol, Direction string
	// Elapsed is how long was measured, in hundredths of a second.
	Elapsed time.Duration
	// BitsPerSecond is the payload of TCP_STREAM; 0 in other tests.
	BitsPerSecond float64
	// TransactionsPerSecond that were answered; 0 in TCP_STREAM.
	TransactionsPerSecond float64
	// Latencies of transactions, in TCP_CRR with the connection's making: nil
	// in TCP_STREAM.
	Latency *NetperfLatency
	// Congestion control of both ends; empty but for TCP.
	LocalCongestion, RemoteCongestion string
	// Retransmits of the client; nil where netperf does not know them.
	Retransmits *int64
}

// NetperfLatency are round trips. All but mean and standard deviation are in
// whole microseconds.
type NetperfLatency struct {
	Mean, SD, Min, Max, P50, P90, P99 time.Duration
}

// ParseNetperf reads what became of a netperf client. A test that failed is an
// error with netperf's own words.
func ParseNetperf(p probe.ProcessReport) (NetperfResult, error) {
	if err := checkEnd("netperf", p); err != nil {
		return NetperfResult{}, err
	}
	if p.ExitCode != 0 {
		return NetperfResult{}, fmt.Errorf("netperf failed: %s", netperfWords(p.Stderr+"\n"+p.Stdout))
	}
	r, err := parseNetperf(p.Stdout)
	if err != nil {
		return NetperfResult{}, fmt.Errorf("reading netperf's output, %s: %w", excerpt(p.Stdout), err)
	}
	return r, nil
}

// netperfWords is what it says besides the heading of a test.
func netperfWords(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "MIGRATED ") {
			words = append(words, line)
		}
	}
	if len(words) == 0 {
		return "without a word"
	}
	return strings.Join(words, "; ")
}

func parseNetperf(text string) (NetperfResult, error) {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || strings.ContainsAny(key, " \t") {
			continue // the heading
		}
		if _, twice := values[key]; twice {
			return NetperfResult{}, fmt.Errorf("%s is there twice", key)
		}
		values[key] = value
	}
	r := NetperfResult{Protocol: values["PROTOCOL"], Direction: values["DIRECTION"], LocalCongestion: values["LOCAL_CONG_CONTROL"], RemoteCongestion: values["REMOTE_CONG_CONTROL"]}
	var err error
	if r.Elapsed, err = decimalDuration(values["ELAPSED_TIME"], time.Second); err != nil {
		return NetperfResult{}, fmt.Errorf("ELAPSED_TIME: %w", err)
	}
	if err := r.rate(values); err != nil {
		return NetperfResult{}, err
	}
	if n, err := strconv.ParseInt(values["LOCAL_TRANSPORT_RETRANS"], 10, 64); err == nil && n >= 0 { // -1: not known
		r.Retransmits = &n
	}
	return r, nil
}

// rate reads throughput by its units, and latencies where there are any.
func (r *NetperfResult) rate(values map[string]string) error {
	const largest = 1e15
	rate, err := strconv.ParseFloat(values["THROUGHPUT"], 64)
	if err != nil || !(rate > 0 && rate < largest) || r.Elapsed <= 0 {
		return fmt.Errorf("a throughput of %q in %v is no measurement", values["THROUGHPUT"], r.Elapsed)
	}
	switch units := values["THROUGHPUT_UNITS"]; units {
	case "10^6bits/s":
		r.BitsPerSecond = rate * 1e6
		return nil
	case "Trans/s":
		r.TransactionsPerSecond = rate
	default:
		return fmt.Errorf("throughput is in %q", units)
	}
	r.Latency = &NetperfLatency{}
	var problems []error
	for _, field := range []struct {
		key string
		to  *time.Duration
	}{
		{"MEAN_LATENCY", &r.Latency.Mean}, {"STDDEV_LATENCY", &r.Latency.SD}, {"MIN_LATENCY", &r.Latency.Min}, {"MAX_LATENCY", &r.Latency.Max},
		{"P50_LATENCY", &r.Latency.P50}, {"P90_LATENCY", &r.Latency.P90}, {"P99_LATENCY", &r.Latency.P99},
	} {
		d, err := decimalDuration(values[field.key], time.Microsecond)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", field.key, err))
		}
		*field.to = d
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if r.Latency.Mean <= 0 || r.Latency.P99 < r.Latency.P50 {
		return fmt.Errorf("latencies are missing or in disorder: %+v", *r.Latency)
	}
	return nil
}

// Window is the span that certainly lies inside the measurement, on the clock
// of the client's machine.
func (r NetperfResult) Window(p probe.ProcessReport) (sample.Window, error) {
	// The elapsed time is rounded.
	w, err := interior(p, 0, r.Elapsed-5*time.Millisecond, 0)
	if err != nil {
		return w, fmt.Errorf("netperf: %w", err)
	}
	return w, nil
}
