package importer

import (
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// Metrics that sources have in common with the scenarios of cnibench, declared
// as there.
var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload of all streams, as the source's load generator says"}
	goodput = result.Metric{Name: "goodput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "payload that the receivers got, as the source's load generator says"}
	offered = result.Metric{Name: "offered-rate", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "payload that the senders sent"}
	loss = result.Metric{Name: "loss", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "datagrams that did not arrive; differences are percentage points"}
	jitter = result.Metric{Name: "jitter", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 20e-6,
		Help: "smoothed difference of transit times at the receivers (RFC 3550, 6.4.1)"}
	retransmits = result.Metric{Name: "retransmits", Unit: "segments/s", Better: result.Lower, Scale: result.Difference, Margin: 10,
		Help: "TCP segments sent again, all streams"}
	rtt = result.Metric{Name: "rtt", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "round trip time under this load as the senders' TCP saw it, mean of the streams"}
	cpu = result.Metric{Name: "cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU of the machines, client and server together"}
	cpuPerGbit = result.Metric{Name: "cpu-per-gbit", Unit: "mCPU/(Gbit/s)", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU per throughput of the same trial"}
	memoryUsed = result.Metric{Name: "memory-used", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "memory in use on the whole machines, client and server together; less the baseline's it is the overhead"}
	rate = result.Metric{Name: "rate", Unit: "1/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "answered requests per second"}
	errorShare = result.Metric{Name: "errors", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "share of requests that failed, in percentage points"}
)

// latency is a figure of latencies with its margin, as the scenarios have it.
func latency(name string, margin float64, help string) result.Metric {
	return result.Metric{Name: "latency-" + name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: margin, Help: help}
}

// cpuMode is one part of the busy CPU, in its group.
func cpuMode(name string) result.Metric {
	return result.Metric{Name: "cpu-" + name, Unit: "cores", Better: result.Lower, Scale: result.Difference, Margin: 0.02, Group: result.CPUByMode}
}

// common are the metrics that a table may name without declaring them.
var common = []result.Metric{
	throughput, goodput, offered, loss, jitter, retransmits, rtt, cpu, cpuPerGbit, memoryUsed, rate, errorShare,
	latency("p50", 0.05, ""), latency("p99", 0.10, ""), latency("mean", 0.05, ""),
}

// unit is what a unit is called in results, and the factor to it.
type unit struct {
	name   string
	factor float64
}

var units = map[string]unit{
	"bit/s": {"bit/s", 1}, "bps": {"bit/s", 1}, "kbit/s": {"bit/s", 1e3}, "kbps": {"bit/s", 1e3},
	"mbit/s": {"bit/s", 1e6}, "mbps": {"bit/s", 1e6}, "gbit/s": {"bit/s", 1e9}, "gbps": {"bit/s", 1e9},
	"s": {"s", 1}, "seconds": {"s", 1}, "ms": {"s", 1e-3}, "us": {"s", 1e-6}, "µs": {"s", 1e-6}, "μs": {"s", 1e-6}, "usec": {"s", 1e-6}, "ns": {"s", 1e-9},
	"bytes": {"bytes", 1}, "kib": {"bytes", 1 << 10}, "mib": {"bytes", 1 << 20}, "gib": {"bytes", 1 << 30},
	"percent": {"percent", 1}, "%": {"percent", 1},
	"cores": {"cores", 1}, "cpu": {"cores", 1}, "mcpu": {"cores", 1e-3},
	"1/s": {"1/s", 1}, "req/s": {"1/s", 1}, "rps": {"1/s", 1}, "ops/s": {"1/s", 1}, "ot/s": {"1/s", 1}, "packets/s": {"packets/s", 1}, "pps": {"packets/s", 1},
}

// exactUnits differ by capitals.
var exactUnits = map[string]unit{
	"Mb/s": {"bit/s", 1e6}, "Gb/s": {"bit/s", 1e9}, "kb/s": {"bit/s", 1e3},
	"MB/s": {"bit/s", 8e6}, "GB/s": {"bit/s", 8e9}, "kB/s": {"bit/s", 8e3}, "B": {"bytes", 1},
}

// unitOf reads a unit; one that is not known is taken as it is.
func unitOf(text string) unit {
	if u, known := exactUnits[text]; known {
		return u
	}
	if u, known := units[strings.ToLower(text)]; known {
		return u
	}
	return unit{text, 1}
}

// betterOf is the direction in which a unit usually improves; empty when it
// says nothing.
func betterOf(unit string) result.Better {
	switch unit {
	case "bit/s", "1/s", "packets/s":
		return result.Higher
	case "s", "bytes", "percent", "cores", "mCPU/(Gbit/s)", "segments/s", "J":
		return result.Lower
	}
	return ""
}
