package load

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// QperfResult is what a qperf client reported of one test.
type QperfResult struct {
	Test        QperfTest
	MessageSize int           // bytes
	Duration    time.Duration // as asked for; the timer behind it never ends early
	// BitsPerSecond is the payload that the receiver got; 0 in tests of latency.
	BitsPerSecond float64
	// SentBitsPerSecond is the payload that the sender handed to its kernel; 0
	// in all tests but that of UDP bandwidth.
	SentBitsPerSecond float64
	// Latency is half of the mean round trip; 0 in tests of bandwidth.
	Latency time.Duration
	// MessagesPerSecond that were received, at both ends together in tests of
	// latency.
	MessagesPerSecond float64
	// Sent and Received count messages at the sender and at the receiver, in
	// tests of latency the requests and the answers at the client.
	Sent, Received int64
	// SendErrors counts calls of the client that sent nothing.
	SendErrors int64
	// Clocked is how long the client measured by the clock that rates and
	// latency come from. It has ticks of 10 ms (times(2) in get_times of
	// qperf.c).
	Clocked time.Duration
}

// ParseQperf reads what became of a qperf client. A test in which nothing
// arrived is an error, as is any output that is not in the smallest units.
func ParseQperf(p probe.ProcessReport) (QperfResult, error) {
	if err := checkEnd("qperf", p); err != nil {
		return QperfResult{}, err
	}
	// It writes its errors to stdout, those of the server to stderr.
	if p.ExitCode != 0 {
		return QperfResult{}, fmt.Errorf("qperf failed: %s", qperfWords(p.Stdout, p.Stderr))
	}
	r, err := parseQperf(p.Stdout)
	if err != nil {
		return QperfResult{}, fmt.Errorf("reading qperf's output, %s: %w", excerpt(p.Stdout), err)
	}
	return r, nil
}

// qperfWords finds an error's text: what is neither a result nor the heading.
func qperfWords(outputs ...string) string {
	var words []string
	for _, output := range outputs {
		for line := range strings.Lines(output) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasSuffix(line, ":") && !strings.Contains(line, "  =  ") {
				words = append(words, line)
			}
		}
	}
	if len(words) == 0 {
		return "without a word"
	}
	return strings.Join(words, "; ")
}

// qperfValues are the lines of a result by name.
type qperfValues map[string]struct{ number, unit string }

// parseQperf reads the heading, which names the test, and lines such as
// "    msg_size  =  64 bytes".
func parseQperf(text string) (QperfResult, error) {
	heading, rest, _ := strings.Cut(text, "\n")
	test, ok := strings.CutSuffix(heading, ":")
	if !ok {
		return QperfResult{}, errors.New("it does not begin with the name of a test")
	}
	values := qperfValues{}
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		fields := strings.Fields(value)
		if !ok || len(fields) == 0 {
			return QperfResult{}, fmt.Errorf("the line %q is no value", strings.TrimSpace(line))
		}
		name = strings.TrimSpace(name)
		if _, twice := values[name]; twice {
			return QperfResult{}, fmt.Errorf("%s is there twice", name)
		}
		values[name] = struct{ number, unit string }{fields[0], strings.Join(fields[1:], " ")}
	}
	return values.result(QperfTest(test))
}

func (v qperfValues) result(test QperfTest) (QperfResult, error) {
	r := QperfResult{Test: test}
	var problems []error
	// What is 0 is left out, but for rates and latencies.
	read := func(name, unit string, needed bool) float64 {
		number, err := v.number(name, unit, needed)
		problems = append(problems, err)
		return number
	}
	r.MessageSize = int(read("msg_size", "bytes", true))
	r.Duration = time.Duration(read("time", "ns", true))
	r.MessagesPerSecond = read("msg_rate", "/sec", false)
	r.SendErrors = int64(read("send_errors", "", false) + read("loc_send_errors", "", false))
	sent, received, clock := "send_msgs", "recv_msgs", "send_real_time"
	switch test {
	case QperfTCPBandwidth:
		r.BitsPerSecond = 8 * read("bw", "bytes/sec", true)
	case QperfUDPBandwidth:
		r.BitsPerSecond = 8 * read("recv_bw", "bytes/sec", true)
		r.SentBitsPerSecond = 8 * read("send_bw", "bytes/sec", true)
	case QperfTCPLatency, QperfUDPLatency:
		sent, received, clock = "loc_send_msgs", "loc_recv_msgs", "loc_real_time"
		r.Latency = time.Duration(math.Round(read("latency", "ns", true)))
	default:
		return QperfResult{}, fmt.Errorf("%q is no test that is known here", test)
	}
	r.Sent, r.Received = int64(read(sent, "", false)), int64(read(received, "", false))
	r.Clocked = time.Duration(read(clock, "ns", false))
	if err := errors.Join(problems...); err != nil {
		return QperfResult{}, err
	}
	return r, r.check()
}

// check refuses a test that measured nothing.
func (r QperfResult) check() error {
	switch {
	case r.MessageSize < 1 || r.Duration <= 0:
		return fmt.Errorf("messages of %d bytes for %v are no test", r.MessageSize, r.Duration)
	case r.Received == 0 && r.SendErrors > 0:
		return fmt.Errorf("no message arrived: sending failed %d times", r.SendErrors)
	case r.Received == 0 || r.BitsPerSecond == 0 && r.Latency == 0 || r.Clocked <= 0:
		return errors.New("no message arrived")
	}
	return nil
}

// number reads one value, which must have the unit.
func (v qperfValues) number(name, unit string, needed bool) (float64, error) {
	value, ok := v[name]
	if !ok {
		if needed {
			return 0, fmt.Errorf("%s is missing", name)
		}
		return 0, nil
	}
	number, err := strconv.ParseFloat(value.number, 64)
	const largest = 1 << 60 // fits any whole number of here
	if err != nil || !(number >= 0 && number <= largest) {
		return 0, fmt.Errorf("%s is %q, which is no number", name, value.number)
	}
	if value.unit != unit {
		return 0, fmt.Errorf("%s is in %q, not in %q", name, value.unit, unit)
	}
	return number, nil
}

// Window is the span that certainly lies inside the measurement, on the clock
// of the client's machine.
func (r QperfResult) Window(p probe.ProcessReport) (sample.Window, error) {
	w, err := interior(p, 0, r.Duration, 0)
	if err != nil {
		return w, fmt.Errorf("qperf %s: %w", r.Test, err)
	}
	return w, nil
}
