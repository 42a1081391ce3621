package load

import (
	"fmt"
	"strconv"
	"time"
)

// SockperfServer is a sockperf server for one protocol. It never ends by
// itself.
type SockperfServer struct {
	// Host is the address that it answers from; empty: whatever the kernel
	// takes, which over UDP need not be the one that was asked.
	Host string
	Port int
	TCP  bool // otherwise UDP
}

// SockperfClient is a sockperf client that measures round trips.
type SockperfClient struct {
	Host string // an address: sockperf 3.7 resolves no names
	Port int
	TCP  bool // otherwise UDP
	// MessageSize is from 14 bytes, sockperf's own header, to what a datagram
	// holds, over TCP too (MIN_PAYLOAD_SIZE and MAX_PAYLOAD_SIZE of sockperf).
	MessageSize int
	// Duration of the whole load, in whole seconds. Sockperf leaves the first
	// 400 ms and the last 50 ms of it out.
	Duration time.Duration
	// Rate of messages per second. With 0 each message waits for the answer to
	// the one before (ping-pong). With a rate, messages are sent at it whether
	// or not answers come (under-load), the sender waiting busily in between.
	Rate int
}

// sockperfLeast is the size of the header of sockperf's messages in bytes.
const sockperfLeast = 14

// Argv returns the command line.
func (s SockperfServer) Argv() ([]string, error) {
	if err := portArgument("sockperf", s.Port); err != nil {
		return nil, err
	}
	argv := []string{"sockperf", "server", "-p", strconv.Itoa(s.Port)}
	if s.Host != "" {
		if err := hostArgument("sockperf", s.Host); err != nil {
			return nil, err
		}
		argv = append(argv, "-i", s.Host)
	}
	if s.TCP {
		argv = append(argv, "--tcp")
	}
	return argv, nil
}

// Argv returns the command line. Results are round trips, not halves of them
// (--full-rtt), and every message is answered.
func (c SockperfClient) Argv() ([]string, error) {
	if err := hostArgument("sockperf", c.Host); err != nil {
		return nil, err
	}
	if err := portArgument("sockperf", c.Port); err != nil {
		return nil, err
	}
	if c.MessageSize < sockperfLeast || c.MessageSize > LargestDatagram {
		return nil, fmt.Errorf("sockperf sends messages of %d to %d bytes, not of %d", sockperfLeast, LargestDatagram, c.MessageSize)
	}
	seconds, err := secondsArgument("sockperf", c.Duration)
	if err != nil {
		return nil, err
	}
	mode, rate := "ping-pong", []string{"--mps", "max"}
	switch {
	case c.Rate < 0:
		return nil, fmt.Errorf("sockperf cannot send %d messages per second", c.Rate)
	case c.Rate > 0:
		mode, rate = "under-load", []string{"--mps", strconv.Itoa(c.Rate), "--reply-every", "1"}
	}
	argv := []string{"sockperf", mode, "-i", c.Host, "-p", strconv.Itoa(c.Port), "-t", seconds, "-m", strconv.Itoa(c.MessageSize), "--full-rtt", "--dontwarmup"}
	argv = append(argv, rate...)
	if c.TCP {
		argv = append(argv, "--tcp")
	}
	return argv, nil
}

// SockperfVersion is the command line that prints sockperf's version.
func SockperfVersion() []string { return []string{"sockperf", "--version"} }
