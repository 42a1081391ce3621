package load

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// PingResult is what a ping of iputils reported.
type PingResult struct {
	Size                  int // payload in bytes
	Transmitted, Received int
	Duplicates            int
	Errors                int // answers that are no echo, and packets that could not be sent
	// Replies in the order of their arrival, without duplicates: Received of
	// them.
	Replies []PingReply
	// Problems are the errors in ping's words, each once.
	Problems []string
}

// PingReply is the answer to one packet.
type PingReply struct {
	Sequence int
	At       time.Time // when ping read it
	// RTT as the kernel's time stamps tell it. Ping cuts it to microseconds,
	// and above 1 ms to three digits.
	RTT time.Duration
}

// PingTooLongError says that the path does not carry packets of the size
// without fragments.
type PingTooLongError struct {
	Size int    // payload in bytes
	Says string // ping's own words, with the MTU where it is known
}

func (e *PingTooLongError) Error() string {
	return fmt.Sprintf("packets with %d bytes do not fit unfragmented: %s", e.Size, e.Says)
}

var (
	pingHeading = regexp.MustCompile(`^PING \S+ ?\(\S+\)(?: from \S+)? ([0-9]+)(?:\([0-9]+\) bytes of data\.| data bytes)$`)
	pingReply   = regexp.MustCompile(`^\[([0-9]+)\.([0-9]{6})\] [0-9]+ bytes from \S+: icmp_seq=([0-9]+) ttl=[0-9]+ time=([0-9.]+) ms( \(DUP!\))?$`)
	pingProblem = regexp.MustCompile(`^(?:\[[0-9.]+\] )?From \S+ icmp_seq=[0-9]+ (.+)$`)
	pingSummary = regexp.MustCompile(`^([0-9]+) packets transmitted, ([0-9]+) received(?:, \+([0-9]+) duplicates)?(?:, \+[0-9]+ corrupted)?(?:, \+([0-9]+) errors)?, `)
	pingTooLong = regexp.MustCompile(`message too long|Frag needed|Packet too big`)
)

// ParsePing reads what became of a ping. Without any answer there is no
// result but an error in ping's own words, a [*PingTooLongError] where the
// packets were too large for the path.
func ParsePing(p probe.ProcessReport) (PingResult, error) {
	if err := checkEnd("ping", p); err != nil {
		return PingResult{}, err
	}
	// Status 1 says that answers were missing, which the summary tells better.
	if p.ExitCode > 1 {
		return PingResult{}, fmt.Errorf("ping failed: %s", strings.TrimPrefix(strings.TrimSpace(p.Stderr), "ping: "))
	}
	r, err := parsePing(p.Stdout)
	if err != nil {
		return PingResult{}, fmt.Errorf("reading ping's output, %s: %w", excerpt(p.Stdout), err)
	}
	for line := range strings.Lines(p.Stderr) {
		r.note(strings.TrimPrefix(strings.TrimSpace(line), "ping: "))
	}
	return r, r.answered()
}

// note adds a problem unless it is known.
func (r *PingResult) note(problem string) {
	for _, known := range r.Problems {
		if known == problem {
			return
		}
	}
	if problem != "" {
		r.Problems = append(r.Problems, problem)
	}
}

// answered is an error unless a packet was answered.
func (r PingResult) answered() error {
	if r.Received > 0 {
		return nil
	}
	for _, problem := range r.Problems {
		if pingTooLong.MatchString(problem) {
			return &PingTooLongError{r.Size, problem}
		}
	}
	if len(r.Problems) == 0 {
		return fmt.Errorf("none of %d pings was answered", r.Transmitted)
	}
	return fmt.Errorf("none of %d pings was answered: %s", r.Transmitted, strings.Join(r.Problems, "; "))
}

func parsePing(text string) (PingResult, error) {
	var r PingResult
	headed, summed := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if found := pingHeading.FindStringSubmatch(line); found != nil && !headed {
			headed = true
			r.Size, _ = strconv.Atoi(found[1]) // too large is found out below
		} else if found := pingReply.FindStringSubmatch(line); found != nil {
			if err := r.add(found); err != nil {
				return PingResult{}, err
			}
		} else if found := pingProblem.FindStringSubmatch(line); found != nil {
			r.note(found[1])
		} else if found := pingSummary.FindStringSubmatch(line); found != nil && !summed {
			summed = true
			r.Transmitted, _ = strconv.Atoi(found[1])
			r.Received, _ = strconv.Atoi(found[2])
			r.Errors, _ = strconv.Atoi(found[4]) // none where there is no text
		} else if strings.Contains(line, "icmp_seq=") {
			return PingResult{}, fmt.Errorf("the line %q is no answer that can be read", line)
		}
	}
	switch {
	case !headed || !summed:
		return PingResult{}, errors.New("it is not what ping of iputils prints from beginning to end")
	case len(r.Replies) != r.Received || r.Received > r.Transmitted:
		return PingResult{}, fmt.Errorf("%d answers are listed, and the summary counts %d of %d", len(r.Replies), r.Received, r.Transmitted)
	}
	return r, nil
}

// add takes the parts of a line about an answer.
func (r *PingResult) add(found []string) error {
	if found[5] != "" {
		r.Duplicates++
		return nil
	}
	seconds, err := strconv.ParseInt(found[1], 10, 40)
	micros, _ := strconv.ParseInt(found[2], 10, 64) // six digits
	sequence, wrong := strconv.Atoi(found[3])       // wraps at 65,536
	rtt, odd := decimalDuration(found[4], time.Millisecond)
	if err := errors.Join(err, wrong, odd); err != nil {
		return fmt.Errorf("answer %d: %w", len(r.Replies)+1, err)
	}
	r.Replies = append(r.Replies, PingReply{sequence, time.Unix(seconds, micros*1000).UTC(), rtt})
	return nil
}

// Loss is the share of packets, 0 to 1, that were not answered.
func (r PingResult) Loss() float64 {
	return float64(r.Transmitted-r.Received) / float64(r.Transmitted)
}

// Window is from when the first answered packet was sent to the last answer,
// on the clock of the client's machine.
func (r PingResult) Window() (sample.Window, error) {
	w := sample.Window{}
	for i, reply := range r.Replies {
		sent := reply.At.Add(-reply.RTT)
		if i == 0 || sent.Before(w.Start) {
			w.Start = sent
		}
		if reply.At.After(w.End) {
			w.End = reply.At
		}
	}
	if !w.Start.Before(w.End) {
		return w, errors.New("ping was answered at no time: a clock was set")
	}
	return w, nil
}

// RTTs returns the round trips in the order of arrival.
func (r PingResult) RTTs() []time.Duration {
	all := make([]time.Duration, len(r.Replies))
	for i, reply := range r.Replies {
		all[i] = reply.RTT
	}
	return all
}
