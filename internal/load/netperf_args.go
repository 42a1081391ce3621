package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NetperfTest is one of netperf's tests.
type NetperfTest string

// The tests of netperf that are used here.
const (
	NetperfTCPStream NetperfTest = "TCP_STREAM"
	NetperfTCPRR     NetperfTest = "TCP_RR"
	NetperfUDPRR     NetperfTest = "UDP_RR"
	NetperfTCPCRR    NetperfTest = "TCP_CRR" // a connection for each request
)

// Netserver is netperf's server. It serves one client after another and never
// ends by itself.
type Netserver struct {
	Port int // of its control connection
}

// Netperf is a netperf client that runs one test.
type Netperf struct {
	Test NetperfTest
	Host string
	Port int // of the server's control connection
	// DataPort is the server's port for the test itself.
	DataPort int
	// MessageSize is that of requests and of answers, and of the sender's
	// calls in TCP_STREAM; in bytes, from 1 on.
	MessageSize int
	Duration    time.Duration // whole seconds
}

// Output selectors of netperf's omni tests (src/netperf_omni.c of netperf 2.7).
var (
	netperfSelectors       = []string{"THROUGHPUT", "THROUGHPUT_UNITS", "ELAPSED_TIME", "PROTOCOL", "DIRECTION"}
	netperfStreamSelectors = []string{"LOCAL_SEND_SIZE", "LOCAL_BYTES_SENT", "REMOTE_BYTES_RECVD"}
	netperfRRSelectors     = []string{
		"REQUEST_SIZE", "RESPONSE_SIZE", "MIN_LATENCY", "MEAN_LATENCY", "MAX_LATENCY", "P50_LATENCY", "P90_LATENCY", "P99_LATENCY", "STDDEV_LATENCY",
	}
	// What there is of TCP; of UDP nothing comes.
	netperfTCPSelectors = []string{"LOCAL_CONG_CONTROL", "REMOTE_CONG_CONTROL", "LOCAL_TRANSPORT_RETRANS"}
)

// Argv returns the command line.
func (s Netserver) Argv() ([]string, error) {
	if err := portArgument("netserver", s.Port); err != nil {
		return nil, err
	}
	return []string{"netserver", "-D", "-p", strconv.Itoa(s.Port)}, nil
}

// Argv returns the command line. The output is lines of KEY=value (-k).
func (c Netperf) Argv() ([]string, error) {
	if err := hostArgument("netperf", c.Host); err != nil {
		return nil, err
	}
	for _, port := range []int{c.Port, c.DataPort} {
		if err := portArgument("netperf", port); err != nil {
			return nil, err
		}
	}
	seconds, err := secondsArgument("netperf", c.Duration)
	if err != nil {
		return nil, err
	}
	if c.MessageSize < 1 || c.Test == NetperfUDPRR && c.MessageSize > LargestDatagram {
		return nil, fmt.Errorf("netperf cannot run %s with messages of %d bytes", c.Test, c.MessageSize)
	}
	size, selectors := []string{"-r", fmt.Sprintf("%d,%d", c.MessageSize, c.MessageSize)}, netperfSelectors
	switch c.Test {
	case NetperfTCPStream:
		size = []string{"-m", strconv.Itoa(c.MessageSize)}
		selectors = slices.Concat(selectors, netperfStreamSelectors, netperfTCPSelectors)
	case NetperfTCPRR, NetperfUDPRR, NetperfTCPCRR:
		selectors = slices.Concat(selectors, netperfRRSelectors, netperfTCPSelectors)
	default:
		return nil, fmt.Errorf("netperf's test %q is not known here", c.Test)
	}
	argv := []string{"netperf", "-H", c.Host, "-p", strconv.Itoa(c.Port), "-t", string(c.Test), "-l", seconds, "--", "-P", fmt.Sprintf(",%d", c.DataPort)}
	return append(append(argv, size...), "-k", strings.Join(selectors, ",")), nil
}

// NetperfVersion is the command line that prints the client's version.
func NetperfVersion() []string { return []string{"netperf", "-V"} }

// NetserverVersion is the command line that prints the server's version.
func NetserverVersion() []string { return []string{"netserver", "-V"} }
