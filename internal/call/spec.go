package call

import (
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

// Protocol is how calls travel.
type Protocol string

// The protocols.
const (
	H1 Protocol = "h1" // HTTP/1.1 over TLS: one call at a time on a connection
	H2 Protocol = "h2" // HTTP/2 over TLS: calls share a connection, as streams
	H3 Protocol = "h3" // HTTP/3 over QUIC: streams that do not wait for each other's lost packets
	// Unary is gRPC with a stream for each call.
	Unary Protocol = "grpc-unary"
	// Stream is gRPC with one stream in both directions on each connection: a
	// call is a message, and its answer the message that comes back.
	Stream Protocol = "grpc-stream"
)

// UDP tells whether the protocol travels in datagrams.
func (p Protocol) UDP() bool { return p == H3 }

// HTTP tells whether calls are plain HTTP requests.
func (p Protocol) HTTP() bool { return p == H1 || p == H2 || p == H3 }

// maxPayload bounds a request's and an answer's payload in bytes. A gRPC
// message of more is refused by default.
const maxPayload = 1 << 20

// ClientSpec says what a client does.
type ClientSpec struct {
	Protocol Protocol `json:"protocol"`
	// Pace is when; its kind is [pace.Calls], its target HOST:PORT, and its
	// sizes are those of the payloads in bytes.
	Pace pace.Spec `json:"pace"`
	// Certificate is the only one that the client trusts, in PEM; empty for no
	// TLS, which only gRPC can do without.
	Certificate string `json:"certificate,omitempty"`
}

// ServerSpec says what a server does.
type ServerSpec struct {
	Protocol      Protocol `json:"protocol"`
	Address       string   `json:"address"` // to listen on
	Port          int      `json:"port"`    // 0 takes a free one
	ResponseBytes int      `json:"responseBytes"`
	TLS           bool     `json:"tls"` // always for HTTP
}

// Ready says that a server can be called.
type Ready struct {
	Port        int    `json:"port"`
	Certificate string `json:"certificate,omitempty"` // its own, in PEM
}

// Served is what a server did.
type Served struct {
	Requests int64 `json:"requests"` // that were answered, the first ones included
}

// Report is what a client measured.
type Report struct {
	pace.Report
	// Offload tells whether the kernel cuts large UDP messages into datagrams
	// (UDP_SEGMENT, Linux 4.18), which HTTP/3 then uses; only for HTTP/3.
	Offload *bool `json:"offload,omitempty"`
}

// Frames of the program.
const (
	FrameServed = "call-served"
	FrameReport = "call-report"
)

// Validate reports what makes s unusable.
func (s ClientSpec) Validate() error {
	if s.Pace.Kind != pace.Calls {
		return fmt.Errorf("kind %q: give %s", s.Pace.Kind, pace.Calls)
	}
	if s.Protocol.HTTP() && s.Certificate == "" {
		return errors.New("HTTP goes over TLS: give the server's certificate")
	}
	return errors.Join(s.Protocol.validate(s.Pace.RequestBytes, s.Pace.ResponseBytes), s.Pace.Validate())
}

// Validate reports what makes s unusable.
func (s ServerSpec) Validate() error {
	if s.Port < 0 || s.Port > 65535 {
		return fmt.Errorf("there is no port %d", s.Port)
	}
	if s.Protocol.HTTP() && !s.TLS {
		return errors.New("HTTP goes over TLS")
	}
	return s.Protocol.validate(s.ResponseBytes)
}

func (p Protocol) validate(sizes ...int) error {
	switch p {
	case H1, H2, H3, Unary, Stream:
	default:
		return fmt.Errorf("protocol %q: give %s, %s, %s, %s or %s", p, H1, H2, H3, Unary, Stream)
	}
	for _, size := range sizes {
		if size < 0 || size > maxPayload {
			return fmt.Errorf("a payload of %d bytes: give 0 to %d", size, maxPayload)
		}
	}
	return nil
}
