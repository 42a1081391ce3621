package pace

import (
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"time"
)

// Kind says what a request is.
type Kind string

// The kinds of request.
const (
	// TCPRR is a request and its answer on a connection that stays. When
	// answers are slow, requests follow each other on the connection unasked.
	TCPRR Kind = "tcp-rr"
	// UDPRR is a datagram and the one that answers it.
	UDPRR Kind = "udp-rr"
	// TCPCRR is a connection of its own: connect, request, answer, and the
	// server closes, so that the client's ports are free again at once.
	TCPCRR Kind = "tcp-crr"
	// DNS is a question to a name server, over UDP, asked once.
	DNS Kind = "dns"
)

// Gaps says how the time between two requests varies.
type Gaps string

// The kinds of gap.
const (
	Fixed       Gaps = "fixed"
	Exponential Gaps = "exponential" // a Poisson process: gaps that know nothing of each other
)

// Bounds of a specification.
const (
	// MinDatagram is the least size of a UDP request and its answer in bytes:
	// both carry the request's number.
	MinDatagram    = 8
	maxDatagram    = 65507   // of UDP payload in an IPv4 packet
	maxMessage     = 1 << 24 // bytes of a TCP request or answer
	maxConnections = 4096
	// MaxPorts is how many ports a server of TCPCRR listens on at most.
	MaxPorts = 256
	maxRate  = 1e6 // requests per second
	// maxDNSRate keeps the 16 bits of a DNS message's id from meaning two
	// questions at once.
	maxDNSRate = 30000
)

// Spec says what a client does.
type Spec struct {
	Kind   Kind   `json:"kind"`
	Target string `json:"target"` // HOST:PORT; a name is looked up once, before the clock starts
	// More are further addresses of the server, HOST:PORT. Requests take Target
	// and these in turn; only for TCPCRR, which connects for each.
	More []string `json:"more,omitempty"`
	// Connections, or sockets for UDP. Requests take them in turn. For TCPCRR
	// it is how many run at once in a closed loop and means nothing in an open
	// one.
	Connections int `json:"connections"`
	// Rate is requests per second over all connections. With 0 the loop is
	// closed: each connection asks again as soon as it has its answer.
	Rate float64 `json:"rate"`
	Gaps Gaps    `json:"gaps"`
	Seed uint64  `json:"seed"` // of exponential gaps
	// RequestBytes and ResponseBytes are sizes of payload; not for DNS.
	RequestBytes  int           `json:"requestBytes,omitempty"`
	ResponseBytes int           `json:"responseBytes,omitempty"`
	Duration      time.Duration `json:"durationNs"` // that is measured
	Omit          time.Duration `json:"omitNs"`     // before it: sent and not counted
	// Timeout counts from the intended time. A request without an answer by
	// then is lost for the client, whatever still comes.
	Timeout time.Duration `json:"timeoutNs"`
	// Questions are asked in turn; only for DNS.
	Questions []Question `json:"questions,omitempty"`
}

// Question is a name to ask the A records of.
type Question struct {
	// Name, with a final dot. Without one, the cluster's domain completes it,
	// which the pod's resolv.conf tells. A first label "*" stands for one that
	// was never asked before, so that no cache knows it.
	Name string `json:"name"`
	// Expect is the answer that counts as one: [NoError] or [NXDomain].
	Expect string `json:"expect"`
}

// closed tells whether the loop is.
func (s Spec) closed() bool { return s.Rate == 0 }

// targets are all addresses, in the order in which requests take them.
func (s Spec) targets() []string { return append([]string{s.Target}, s.More...) }

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	for _, target := range s.targets() {
		if _, _, err := net.SplitHostPort(target); err != nil {
			return fmt.Errorf("target %q: %w", target, err)
		}
	}
	if len(s.More) > 0 && s.Kind != TCPCRR {
		return fmt.Errorf("%d targets: %s has one", 1+len(s.More), s.Kind)
	}
	if s.Connections < 1 || s.Connections > maxConnections {
		return fmt.Errorf("%d connections: give 1 to %d", s.Connections, maxConnections)
	}
	if s.Rate < 0 || s.Rate > maxRate || math.IsNaN(s.Rate) {
		return fmt.Errorf("rate %g: give 0 for a closed loop, or up to %g requests per second", s.Rate, float64(maxRate))
	}
	if s.Gaps != Fixed && s.Gaps != Exponential {
		return fmt.Errorf("gaps %q: give %s or %s", s.Gaps, Fixed, Exponential)
	}
	if s.Duration <= 0 || s.Omit < 0 || s.Timeout <= 0 || s.Timeout > longest {
		return fmt.Errorf("duration %v, omit %v, timeout %v: the first and the last must be positive, and the last at most %v",
			s.Duration, s.Omit, s.Timeout, longest)
	}
	if s.Kind == DNS {
		return s.validateQuestions()
	}
	return validateSizes(s.Kind, s.RequestBytes, s.ResponseBytes)
}

func validateFurther(kind Kind, ports []int) error {
	if len(ports) > 0 && kind != TCPCRR || len(ports) >= MaxPorts {
		return fmt.Errorf("%d further ports for %s: give them to %s alone, and fewer than %d", len(ports), kind, TCPCRR, MaxPorts)
	}
	for _, port := range ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("there is no port %d", port)
		}
	}
	return nil
}

func (s Spec) validateQuestions() error {
	if s.Rate > maxDNSRate {
		return fmt.Errorf("rate %g: DNS messages are told apart by 16 bits, give at most %d per second", s.Rate, maxDNSRate)
	}
	if len(s.Questions) == 0 {
		return errors.New("no questions")
	}
	for _, q := range s.Questions {
		if q.Expect != NoError && q.Expect != NXDomain {
			return fmt.Errorf("question %q expects %q: give %s or %s", q.Name, q.Expect, NoError, NXDomain)
		}
		if _, err := buildQuery(nil, 0, strings.Replace(completed(q.Name, ""), "*", uniqueLabel(0, 0), 1)); err != nil {
			return err
		}
	}
	return nil
}

func validateSizes(kind Kind, request, response int) error {
	least, most := 1, maxMessage
	switch kind {
	case TCPRR, TCPCRR:
	case Calls:
		least = 0
	case UDPRR:
		least, most = MinDatagram, maxDatagram
	default:
		return fmt.Errorf("kind %q: give %s, %s, %s or %s", kind, TCPRR, UDPRR, TCPCRR, DNS)
	}
	for _, size := range []int{request, response} {
		if size < least || size > most {
			return fmt.Errorf("%s with %d bytes: give %d to %d", kind, size, least, most)
		}
	}
	return nil
}

// ServeSpec says what a server does. It answers one kind of client, all
// requests and answers being of the sizes given.
type ServeSpec struct {
	Kind          Kind   `json:"kind"`              // not DNS
	Address       string `json:"address"`           // to listen on; an answer over UDP comes from it
	Port          int    `json:"port"`              // 0 takes a free one
	Further       []int  `json:"further,omitempty"` // ports to listen on besides; only for TCPCRR
	RequestBytes  int    `json:"requestBytes"`
	ResponseBytes int    `json:"responseBytes"`
	// Delay is how long each answer is kept back: a figure that the client must
	// find again.
	Delay time.Duration `json:"delayNs,omitempty"`
	// Pause is how long the server does nothing at all, once every PauseEvery.
	Pause      time.Duration `json:"pauseNs,omitempty"`
	PauseEvery time.Duration `json:"pauseEveryNs,omitempty"`
}

// Validate reports what makes s unusable.
func (s ServeSpec) Validate() error {
	if s.Kind == DNS {
		return errors.New("pace serves no DNS")
	}
	if s.Port < 0 || s.Port > 65535 {
		return fmt.Errorf("there is no port %d", s.Port)
	}
	if err := validateFurther(s.Kind, s.Further); err != nil {
		return err
	}
	if s.Delay < 0 || s.Pause < 0 || s.Pause > 0 && s.PauseEvery <= s.Pause {
		return fmt.Errorf("delay %v, pause %v every %v: none is negative, and pauses are shorter than the time between their starts",
			s.Delay, s.Pause, s.PauseEvery)
	}
	return validateSizes(s.Kind, s.RequestBytes, s.ResponseBytes)
}
