package probe

import (
	"fmt"
	"time"
)

// The reasons why an address was not reached. A policy that drops shows as a
// timeout, one that rejects as refused or unreachable.
const (
	ReachTimeout     = "timeout"
	ReachRefused     = "refused"
	ReachUnreachable = "unreachable"
	ReachReset       = "reset"
	ReachEcho        = "echo"   // something answered that is no echo server
	ReachStatus      = "status" // an HTTP status other than 200
	ReachOther       = "other"
)

// Reach is the result of one attempt to reach an echo server over TCP.
type Reach struct {
	Target  string `json:"target"`
	Reached bool   `json:"reached"`
	Reason  string `json:"reason,omitempty"` // one of the Reach constants, unless reached
	Error   string `json:"error,omitempty"`
	Local   string `json:"local,omitempty"` // address and port, once connected
	Remote  string `json:"remote,omitempty"`
	// MSS is the most payload, in bytes, that this end puts into a segment of
	// the connection (tcp(7), TCP_MAXSEG): its options are taken off already.
	MSS int `json:"mss,omitempty"`
	// ConnectSeconds is how long connecting took, EchoSeconds how long the
	// nonce took there and back. Both are 0 unless reached.
	ConnectSeconds float64 `json:"connectSeconds"`
	EchoSeconds    float64 `json:"echoSeconds"`
}

// EchoReady is the payload of the frame that says the echo server serves.
type EchoReady struct {
	Port int `json:"port"` // of TCP and UDP
}

// Way is in which direction packets of a size are sent.
type Way string

// The ways of a search for a path's MTU. One way alone has answers, or
// questions, that are small.
const (
	BothWays Way = "both"
	There    Way = "there"
	Back     Way = "back"
)

// PathMTU is the largest IP packet, header included, that went to an echo
// server and came back unfragmented, or that passed one way alone.
type PathMTU struct {
	Target  string `json:"target"`
	Address string `json:"address"` // that the target was resolved to
	Bytes   int    `json:"bytes"`
	// AtLimit says that the largest size asked for passed, so the path may
	// carry more.
	AtLimit bool `json:"atLimit"`
	// Route is what the kernel of this end thought before the search, Device
	// what the interface carries, named Interface: three views that need not
	// agree. All in bytes.
	Route     int    `json:"route"`
	Device    int    `json:"device"`
	Interface string `json:"interface"`
}

// MTUProbe says how to find a path MTU. Min and Max are sizes of IP packets in
// bytes. Each size is tried Tries times, waiting Wait for an answer.
type MTUProbe struct {
	Host     string
	Port     int
	Min, Max int
	Way      Way // empty: BothWays
	Tries    int
	Wait     time.Duration
}

// headerBytes of IP (without options) and UDP, for IPv4 and IPv6.
const (
	headerBytes4 = 20 + 8
	headerBytes6 = 40 + 8
	nonceBytes   = 8
)

// Validate reports what makes p unusable.
func (p MTUProbe) Validate() error {
	if p.Min < headerBytes6+nonceBytes || p.Max > 65535 || p.Min > p.Max {
		return fmt.Errorf("path MTU is searched from --min %d to --max %d: give %d ≤ min ≤ max ≤ 65535",
			p.Min, p.Max, headerBytes6+nonceBytes)
	}
	if p.Way != "" && p.Way != BothWays && p.Way != There && p.Way != Back {
		return fmt.Errorf("path MTU is searched --way %s: give %s, %s or %s", p.Way, BothWays, There, Back)
	}
	if p.Tries < 1 || p.Wait <= 0 {
		return fmt.Errorf("path MTU search with %d tries of %v finds nothing", p.Tries, p.Wait)
	}
	return nil
}

// largestPassing returns the largest size from low to high that passes, if
// all smaller ones do, and whether there is one. It tries high first: mostly
// the path carries what the interface does.
func largestPassing(low, high int, passes func(size int) (bool, error)) (size int, found bool, err error) {
	if ok, err := passes(high); ok || err != nil {
		return high, ok, err
	}
	if ok, err := passes(low); !ok || err != nil || low == high {
		return 0, false, err
	}
	for high-low > 1 { // low passes, high does not
		middle := low + (high-low)/2
		ok, err := passes(middle)
		if err != nil {
			return 0, false, err
		}
		if ok {
			low = middle
		} else {
			high = middle
		}
	}
	return low, true, nil
}
