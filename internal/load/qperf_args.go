package load

import (
	"fmt"
	"strconv"
	"time"
)

// QperfTest is one of qperf's tests.
type QperfTest string

// The tests of qperf that use sockets of IP.
const (
	QperfTCPBandwidth QperfTest = "tcp_bw"
	QperfTCPLatency   QperfTest = "tcp_lat"
	QperfUDPBandwidth QperfTest = "udp_bw"
	QperfUDPLatency   QperfTest = "udp_lat"
)

// LargestDatagram is the most payload that a datagram of UDP over IPv4 holds,
// in bytes: 65,535 less the headers of IP and UDP (RFC 791, RFC 768).
const LargestDatagram = 65535 - 20 - 8

// QperfServer is a qperf server. It serves one client after another and never
// ends by itself.
type QperfServer struct {
	Port int // of its control connection
}

// QperfClient is a qperf client that runs one test.
type QperfClient struct {
	Test QperfTest
	Host string
	Port int // of the server's control connection
	// DataPort is the server's port for the test itself.
	DataPort    int
	MessageSize int           // bytes, from 1 on
	Duration    time.Duration // whole seconds
}

// Argv returns the command line.
func (s QperfServer) Argv() ([]string, error) {
	if err := portArgument("qperf", s.Port); err != nil {
		return nil, err
	}
	return []string{"qperf", "-lp", strconv.Itoa(s.Port)}, nil
}

// Argv returns the command line. The output is in the smallest units, with
// nine digits, and has statistics, times and parameters (-uu -e 9 -vvs -vvt
// -vvu). A server that does not answer is not waited for (-ws 0).
func (c QperfClient) Argv() ([]string, error) {
	switch c.Test {
	case QperfTCPBandwidth, QperfTCPLatency, QperfUDPBandwidth, QperfUDPLatency:
	default:
		return nil, fmt.Errorf("qperf has no test %q", c.Test)
	}
	if err := hostArgument("qperf", c.Host); err != nil {
		return nil, err
	}
	for _, port := range []int{c.Port, c.DataPort} {
		if err := portArgument("qperf", port); err != nil {
			return nil, err
		}
	}
	if c.MessageSize < 1 || c.datagrams() && c.MessageSize > LargestDatagram {
		return nil, fmt.Errorf("qperf cannot run %s with messages of %d bytes", c.Test, c.MessageSize)
	}
	seconds, err := secondsArgument("qperf", c.Duration)
	if err != nil {
		return nil, err
	}
	return []string{
		"qperf", "-lp", strconv.Itoa(c.Port), "-ip", strconv.Itoa(c.DataPort), "-ws", "0", "-t", seconds, "-m", strconv.Itoa(c.MessageSize),
		"-uu", "-e", "9", "-vvs", "-vvt", "-vvu", c.Host, string(c.Test),
	}, nil
}

func (c QperfClient) datagrams() bool {
	return c.Test == QperfUDPBandwidth || c.Test == QperfUDPLatency
}

// QperfVersion is the command line that prints qperf's version.
func QperfVersion() []string { return []string{"qperf", "-V"} }
