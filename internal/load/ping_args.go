package load

import (
	"fmt"
	"strconv"
	"time"
)

// Ping is a ping of iputils: echo requests of ICMP at a steady pace, whether
// or not they are answered.
type Ping struct {
	Host string
	// Count of packets, at most 65,535, so that sequence numbers are unique.
	Count    int
	Interval time.Duration // from 2 ms on, in whole milliseconds
	// Size of the payload in bytes, from 16 on, which hold a time stamp, to
	// what an IPv4 packet has room for.
	Size int
	// Unfragmented sets the don't-fragment bit.
	Unfragmented bool
	Wait         time.Duration // for the last answers, in whole seconds
}

// Bounds of ping: below 2 ms only root may send in all versions (ping(8)), a
// time stamp has 16 bytes, and a packet of IPv4 65,535 with its headers.
const (
	PingLeastInterval = 2 * time.Millisecond
	PingLeastSize     = 16
	PingLargestSize   = 65535 - 20 - 8
	pingMostPackets   = 65535
)

// Argv returns the command line. Each answer is printed with its time (-D).
func (c Ping) Argv() ([]string, error) {
	if err := hostArgument("ping", c.Host); err != nil {
		return nil, err
	}
	switch {
	case c.Count < 1 || c.Count > pingMostPackets:
		return nil, fmt.Errorf("ping is to send 1 to %d packets, not %d", pingMostPackets, c.Count)
	case c.Interval < PingLeastInterval || c.Interval%time.Millisecond != 0:
		return nil, fmt.Errorf("ping sends every %v or less often, in whole milliseconds, not every %v", PingLeastInterval, c.Interval)
	case c.Size < PingLeastSize || c.Size > PingLargestSize:
		return nil, fmt.Errorf("ping is to send %d to %d bytes, not %d", PingLeastSize, PingLargestSize, c.Size)
	}
	wait, err := secondsArgument("ping", c.Wait)
	if err != nil {
		return nil, err
	}
	argv := []string{
		"ping", "-n", "-D", "-c", strconv.Itoa(c.Count), "-i", strconv.FormatFloat(c.Interval.Seconds(), 'f', 3, 64),
		"-s", strconv.Itoa(c.Size), "-W", wait,
	}
	if c.Unfragmented {
		argv = append(argv, "-M", "do")
	}
	return append(argv, c.Host), nil
}

// PingVersion is the command line that prints ping's version.
func PingVersion() []string { return []string{"ping", "-V"} }
