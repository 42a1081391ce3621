package scenario

import "github.com/cnibench/cnibench/internal/result"

// Metrics that several scenarios report, with the margins of docs/methodology.md §3.
var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload of all streams, after the warm-up"}
	forwardThroughput = result.Metric{Name: "throughput-forward", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the throughput from clients to servers; reported where both send"}
	reverseThroughput = result.Metric{Name: "throughput-reverse", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the throughput from servers to clients; reported where both send"}
	retransmits = result.Metric{Name: "retransmits", Unit: "segments/s", Better: result.Lower, Scale: result.Difference, Margin: 10,
		Help: "TCP segments sent again, all streams, after the warm-up"}
	rtt = result.Metric{Name: "rtt", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "round trip time under this load as the senders' TCP saw it, mean of the streams"}
)
