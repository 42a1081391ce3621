package load

import (
	"encoding/json"
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

// K6Result is what k6 measured after the warm-up. Latencies are of requests
// that had a good answer, see [K6], from the request for a connection to the
// last byte of the answer; percentiles are exact, between values by linear
// interpolation (metrics/sink.go of k6).
type K6Result struct {
	// Window is from the start of the first request to that of the last, by the
	// client's clock, in whole milliseconds.
	Window             sample.Window
	Requests, Failed   int64
	Dropped            int64 // requests not begun because all users waited, warm-up included
	Mean, SD           time.Duration
	P50, P95, P99, Max time.Duration
	P999               *time.Duration // nil below 10,000 answers
	// LateP99 is by how much requests began after their time, at the 99th
	// percentile, as exactly as milliseconds can tell. It means nothing where
	// requests were dropped.
	LateP99 time.Duration
	// Problem is the first reason that k6 gave for a request that failed.
	Problem string
	// Seen is nothing of servers of ours.
	Seen K6Seen `json:",omitzero"`
}

// p999Answers is the least number of answers of which one in a thousand says
// something.
const p999Answers = 10000

// ParseK6 reads what became of a [K6] load. A load that k6 could not carry out,
// or of which no request was answered, is an error with k6's own words.
func ParseK6(p probe.ProcessReport) (K6Result, error) {
	switch {
	case p.Error != "":
		return K6Result{}, fmt.Errorf("k6: %s", p.Error)
	case p.TimedOut:
		return K6Result{}, errors.New("k6 ran into its timeout")
	case p.Signal != "":
		return K6Result{}, fmt.Errorf("k6 was ended by %s", p.Signal)
	case p.ExitCode != 0:
		return K6Result{}, fmt.Errorf("k6 exited with status %d: %s", p.ExitCode, k6Words(p.Stderr))
	case p.Truncated:
		return K6Result{}, errors.New("k6 wrote more than was kept")
	}
	var summary k6Summary
	if err := json.Unmarshal([]byte(p.Stdout), &summary); err != nil {
		return K6Result{}, fmt.Errorf("k6's summary is not its complete JSON, but %d bytes, %s: %w", len(p.Stdout), excerpt(p.Stdout), err)
	}
	problems := k6Errors(p.Stderr)
	if summary.stuck() {
		return K6Result{}, fmt.Errorf("k6 began no request after the warm-up, because all users still waited for answers: %s", strings.Join(problems[:min(1, len(problems))], ""))
	}
	r, err := summary.result()
	if err != nil {
		return K6Result{}, fmt.Errorf("k6's summary: %w", err)
	}
	if r.Seen, err = summary.seen(p.Stderr); err != nil {
		return K6Result{}, fmt.Errorf("k6's summary: %w", err)
	}
	if len(problems) > 0 {
		r.Problem = problems[0]
	}
	if r.Failed == r.Requests {
		what := "was answered"
		if len(r.Seen.Statuses) > 0 {
			what = "had a good answer"
		}
		return K6Result{}, fmt.Errorf("none of k6's %d requests %s: %s", r.Requests, what, r.Problem)
	}
	return r, nil
}

// k6Summary is what the script's handleSummary writes.
type k6Summary struct {
	Metrics map[string]struct {
		Values map[string]float64 `json:"values"`
	} `json:"metrics"`
}

// stuck tells that requests were due and none was begun that counts.
func (s k6Summary) stuck() bool {
	_, begun := s.Metrics["cnibench_errors"]
	_, due := s.Metrics["dropped_iterations"]
	return due && !begun
}

// need reads values of a metric; the error names what is not there or no
// number from least to most.
func (s k6Summary) need(metric string, least, most float64, names ...string) ([]float64, error) {
	values := make([]float64, len(names))
	for i, name := range names {
		v, ok := s.Metrics[metric].Values[name]
		if !ok {
			return nil, fmt.Errorf("there is no %s of %s", name, metric)
		}
		if !(v >= least && v <= most) {
			return nil, fmt.Errorf("%s of %s is %v", name, metric, v)
		}
		values[i] = v
	}
	return values, nil
}

// Bounds of what k6 can say: counts that a float64 holds exactly, and, in
// milliseconds, a day, and the time from 1970 to the year 3000.
const (
	k6Count = 1 << 53
	k6Day   = 24 * 3600 * 1000
	k6Ages  = 1030 * 366 * k6Day
)

func (s k6Summary) result() (K6Result, error) {
	var r K6Result
	// Of a rate, passes are the samples that were true: requests that failed.
	outcomes, err := s.need("cnibench_errors", 0, k6Count, "passes", "fails")
	if err != nil {
		return r, err
	}
	r.Failed, r.Requests = int64(outcomes[0]), int64(outcomes[0]+outcomes[1])
	if _, any := s.Metrics["dropped_iterations"]; any {
		dropped, err := s.need("dropped_iterations", 0, k6Count, "count")
		if err != nil {
			return r, err
		}
		r.Dropped = int64(dropped[0])
	}
	clock, err := s.need("cnibench_clock", 0, k6Ages, "min", "max")
	if err != nil {
		return r, err
	}
	r.Window = sample.Window{Start: time.UnixMilli(int64(clock[0])).UTC(), End: time.UnixMilli(int64(clock[1])).UTC()}
	if r.Window.End.Before(r.Window.Start) {
		return r, fmt.Errorf("it ends at %s and begins at %s", r.Window.End, r.Window.Start)
	}
	late, err := s.need("cnibench_late", -k6Day, k6Day, "p(99)")
	if err != nil {
		return r, err
	}
	r.LateP99 = milliseconds(late[0])
	if r.Failed == r.Requests {
		return r, nil
	}
	return r, s.latencies(&r)
}

// latencies fills in what answered requests have.
func (s k6Summary) latencies(r *K6Result) error {
	count, err := s.need("cnibench_latency", 1, k6Count, "count")
	if err != nil {
		return err
	}
	if answered := r.Requests - r.Failed; int64(count[0]) != answered {
		return fmt.Errorf("%d requests were answered, and it has the latencies of %v", answered, count[0])
	}
	times, err := s.need("cnibench_latency", 0, k6Day, "avg", "med", "p(95)", "p(99)", "p(99.9)", "max")
	if err != nil {
		return err
	}
	squares, err := s.need("cnibench_latency_squares", 0, math.MaxFloat64, "count")
	if err != nil {
		return err
	}
	mean := times[0]
	// The mean of the squares less the square of the mean; rounding may leave
	// less than nothing of it.
	variance := max(0, squares[0]/count[0]-mean*mean)
	if !(variance <= k6Day*k6Day) {
		return fmt.Errorf("the variance of its latencies is %v ms²", variance)
	}
	r.Mean, r.SD = milliseconds(mean), milliseconds(math.Sqrt(variance))
	r.P50, r.P95, r.P99, r.Max = milliseconds(times[1]), milliseconds(times[2]), milliseconds(times[3]), milliseconds(times[5])
	if r.P50 > r.P95 || r.P95 > r.P99 || r.P99 > r.Max {
		return fmt.Errorf("its percentiles do not rise: p50 %s, p95 %s, p99 %s, max %s", r.P50, r.P95, r.P99, r.Max)
	}
	if count[0] >= p999Answers {
		p999 := milliseconds(times[4])
		r.P999 = &p999
	}
	return nil
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// Rate is the number of answers per second. Requests begin at both ends of the
// window, hence one less.
func (r K6Result) Rate() (float64, error) {
	span := r.Window.Duration().Seconds()
	if r.Requests < 2 || span <= 0 {
		return 0, fmt.Errorf("%d requests within %v s have no rate", r.Requests, span)
	}
	answered := float64(r.Requests-r.Failed) / float64(r.Requests)
	return answered * float64(r.Requests-1) / span, nil
}

// k6LateLimit is how late one request in a hundred may begin before latencies
// are no longer those of requests that began on time.
const k6LateLimit = 5 * time.Millisecond

// Limited says why k6 and not the network set the result; empty: it did not.
func (r K6Result) Limited() string {
	switch {
	case r.Dropped > 0:
		return fmt.Sprintf("%d requests were not begun because all users waited for answers", r.Dropped)
	case r.LateP99 > k6LateLimit:
		return fmt.Sprintf("one request in a hundred began %s late or later", r.LateP99)
	}
	return ""
}

// k6Message is the message of an error in k6's log (logrus's text format).
var k6Message = regexp.MustCompile(`(?m)^time="[^"]*" level=error msg=("(?:[^"\\]|\\.)*"|[^ \n"]+)`)

// k6Errors are the errors in k6's log.
func k6Errors(stderr string) []string {
	var out []string
	for _, m := range k6Message.FindAllStringSubmatch(stderr, -1) {
		text, err := strconv.Unquote(m[1])
		if err != nil {
			text = m[1] // a word without quotes
		}
		out = append(out, strings.TrimSpace(text))
	}
	return out
}

// k6Words are k6's own on why it failed.
func k6Words(stderr string) string {
	if words := k6Errors(stderr); len(words) > 0 {
		return strings.Join(words, "; ")
	}
	if text := strings.TrimSpace(stderr); text != "" {
		return excerpt(text)
	}
	return "it gives no reason"
}
