package load

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// SockperfResult is what a sockperf client reported. Latencies are round trips.
type SockperfResult struct {
	Run time.Duration // the whole load, in milliseconds as all times of the kind
	// Valid is the part that counts, from the first message after the warm-up
	// to the last answer before the end.
	Valid          time.Duration
	Sent, Received int64 // messages in Valid
	// Dropped messages were not answered. In ping-pong nothing is: see Stalled.
	Dropped, Duplicated, OutOfOrder int64
	Mean, SD, Min, Max              time.Duration
	P50, P90, P99                   time.Duration
	P999                            *time.Duration // nil below 10,000 answers
	// TooFast says that the sender did not reach the rate asked for.
	TooFast bool
}

// What sockperf 3.7 does with time beyond the measurement: it waits before the
// first message (100 ms to calibrate its clock, then sleep(2)), leaves the
// beginning and the end of the load out (TEST_START_WARMUP_MSEC and
// TEST_END_COOLDOWN_MSEC in defs.h), and waits for late answers.
const (
	sockperfWait     = 2100 * time.Millisecond
	sockperfWarmup   = 400 * time.Millisecond
	sockperfCooldown = 50 * time.Millisecond
	sockperfLinger   = 100 * time.Millisecond
	// sockperfStall and a tenth of the load may be missing at the end of the
	// part that counts, as on a busy machine, before the load is taken to have
	// stood still: what came before that is measured well.
	sockperfStall = 500 * time.Millisecond
)

var (
	escapes          = regexp.MustCompile("\x1b\\[[0-9;]*m")
	sockperfTotal    = regexp.MustCompile(`\[Total Run\] RunTime=([0-9.]+) sec`)
	sockperfValid    = regexp.MustCompile(`\[Valid Duration\] RunTime=([0-9.]+) sec; SentMessages=([0-9]+); ReceivedMessages=([0-9]+)`)
	sockperfMean     = regexp.MustCompile(`====> avg-(rtt|latency)=([0-9.]+) \(std-dev=([0-9.]+)[,)]`)
	sockperfLoss     = regexp.MustCompile(`# dropped messages = ([0-9]+); # duplicated messages = ([0-9]+); # out-of-order messages = ([0-9]+)`)
	sockperfExtreme  = regexp.MustCompile(`---> <(MAX|MIN)> observation = +([0-9.]+)`)
	sockperfPercent  = regexp.MustCompile(`---> percentile ([0-9.]+) = +([0-9.]+)`)
	sockperfProblems = regexp.MustCompile(`(?m)(?:ERROR: .*|'-.*' Invalid .*|No messages were received.*|No valid observations.*|Test end before test start.*)$`)
)

// ParseSockperf reads what became of a sockperf client. A load that was not
// answered, or stood still before its end, is an error with sockperf's own
// words; its exit status does not tell (3.7 exits with 0).
func ParseSockperf(p probe.ProcessReport) (SockperfResult, error) {
	if err := checkEnd("sockperf", p); err != nil {
		return SockperfResult{}, err
	}
	text := escapes.ReplaceAllString(p.Stdout, "")
	if problem := sockperfProblems.FindString(text); problem != "" || p.ExitCode != 0 {
		if problem == "" {
			problem = fmt.Sprintf("exit status %d (%s)", p.ExitCode, excerpt(text+p.Stderr))
		}
		return SockperfResult{}, fmt.Errorf("sockperf failed: %s", strings.TrimPrefix(problem, "ERROR: "))
	}
	r, err := parseSockperf(text)
	if err != nil {
		return SockperfResult{}, fmt.Errorf("reading sockperf's output, %s: %w", excerpt(text), err)
	}
	return r, r.stalled()
}

func parseSockperf(text string) (SockperfResult, error) {
	r := SockperfResult{TooFast: strings.Contains(text, "message-per-second rate is too high")}
	var problems []error
	find := func(what string, pattern *regexp.Regexp) []string {
		found := pattern.FindStringSubmatch(text)
		if found == nil {
			problems = append(problems, fmt.Errorf("%s is missing", what))
			return make([]string, pattern.NumSubexp()+1)
		}
		return found
	}
	span := func(text string, unit time.Duration) time.Duration {
		d, err := decimalDuration(text, unit)
		problems = append(problems, err)
		return d
	}
	count := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		problems = append(problems, err)
		return n
	}
	total, valid, mean, loss := find("the total", sockperfTotal), find("the valid duration", sockperfValid), find("the mean", sockperfMean), find("the loss", sockperfLoss)
	if err := errors.Join(problems...); err != nil {
		return SockperfResult{}, err
	}
	r.Run, r.Valid = span(total[1], time.Second), span(valid[1], time.Second)
	r.Sent, r.Received = count(valid[2]), count(valid[3])
	r.Mean, r.SD = span(mean[2], time.Microsecond), span(mean[3], time.Microsecond)
	r.Dropped, r.Duplicated, r.OutOfOrder = count(loss[1]), count(loss[2]), count(loss[3])
	for _, found := range sockperfExtreme.FindAllStringSubmatch(text, -1) {
		to := &r.Min
		if found[1] == "MAX" {
			to = &r.Max
		}
		*to = span(found[2], time.Microsecond)
	}
	percentiles := map[string]time.Duration{}
	for _, found := range sockperfPercent.FindAllStringSubmatch(text, -1) {
		percentiles[found[1]] = span(found[2], time.Microsecond)
	}
	r.P50, r.P90, r.P99 = percentiles["50.000"], percentiles["90.000"], percentiles["99.000"]
	if tail, ok := percentiles["99.900"]; ok && r.Received >= p999Answers {
		r.P999 = &tail
	}
	if mean[1] != "rtt" {
		problems = append(problems, errors.New("latencies are halves of round trips: run it with --full-rtt"))
	}
	if err := errors.Join(problems...); err != nil {
		return SockperfResult{}, err
	}
	return r, r.check()
}

// check refuses what does not belong together.
func (r SockperfResult) check() error {
	switch {
	case r.Received < 1 || r.Valid <= 0 || r.Run < r.Valid || r.Mean <= 0:
		return fmt.Errorf("%d messages in %v of %v with a mean of %v are no measurement", r.Received, r.Valid, r.Run, r.Mean)
	case r.Min <= 0 || r.P50 < r.Min || r.P90 < r.P50 || r.P99 < r.P90 || r.Max < r.P99:
		return fmt.Errorf("percentiles are missing or in disorder: %v, %v, %v between %v and %v", r.P50, r.P90, r.P99, r.Min, r.Max)
	}
	return nil
}

// stalled reports a load that stood still before its end. In ping-pong over
// UDP one lost message is enough: sockperf waits for its answer for ever, and
// tells nothing of it but a shorter duration.
func (r SockperfResult) stalled() error {
	if missing := r.Run - sockperfWarmup - sockperfCooldown - r.Valid; missing > max(sockperfStall, r.Run/10) {
		return fmt.Errorf("sockperf stood still for the last %v of %v, as when a message is lost, the server has ended, or nothing can run", missing, r.Run)
	}
	return nil
}

// Rate is how many messages per second were answered.
func (r SockperfResult) Rate() float64 { return float64(r.Received) / r.Valid.Seconds() }

// Loss is the share of messages, 0 to 1, that were not answered.
func (r SockperfResult) Loss() float64 { return float64(r.Dropped) / float64(r.Received+r.Dropped) }

// Window is the span that certainly lies inside the measurement, on the clock
// of the client's machine.
func (r SockperfResult) Window(p probe.ProcessReport) (sample.Window, error) {
	wait := sockperfWait
	if p.End.Sub(p.Start) < wait+r.Run+sockperfLinger {
		wait = 0 // a version that does not
	}
	w, err := interior(p, wait+sockperfWarmup, r.Valid, sockperfCooldown)
	if err != nil {
		return w, fmt.Errorf("sockperf: %w", err)
	}
	return w, nil
}

// decimalDuration reads a positive decimal number of units that is no longer
// than a day.
func decimalDuration(text string, unit time.Duration) (time.Duration, error) {
	number, err := strconv.ParseFloat(text, 64)
	ns := math.Round(number * float64(unit))
	if err != nil || !(ns >= 0 && ns <= float64(24*time.Hour)) {
		return 0, fmt.Errorf("%q is no span of time", text)
	}
	return time.Duration(ns), nil
}
