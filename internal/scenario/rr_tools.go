package scenario

import (
	"fmt"
	"math"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Ports of other generators' servers: their own defaults.
const (
	sockperfPort    = 11111
	netperfPort     = 12865
	netperfDataPort = 12866
)

func sockperfTool(l rrLoad) (rrTool, error) {
	tcp := l.client.Kind == pace.TCPRR
	serverArgv, err := load.SockperfServer{Host: l.server.Address, Port: sockperfPort, TCP: tcp}.Argv()
	if err != nil {
		return rrTool{}, err
	}
	help, rate := closedHelp, int(math.Round(l.client.Rate))
	if rate > 0 {
		help = "; open loop: sent at even gaps"
	}
	t := rrTool{
		server: stage.Generator{Program: "sockperf", Argv: serverArgv, Version: load.SockperfVersion()},
		ports:  stage.Ports{First: sockperfPort, Count: 1, UDP: !tcp},
		client: func(to stage.Address) (stage.Generator, error) {
			argv, err := load.SockperfClient{
				Host: to.Host, Port: to.Port(sockperfPort), TCP: tcp, MessageSize: l.client.RequestBytes, Duration: l.client.Duration, Rate: rate,
			}.Argv()
			return stage.Generator{Program: "sockperf", Argv: argv, Version: load.SockperfVersion()}, err
		},
		read: func(p probe.ProcessReport) (rrToolResult, error) { return readSockperf(p, help, rate > 0) },
	}
	if tcp {
		t.tcp = []int{sockperfPort}
	} else {
		t.udp = []int{sockperfPort}
	}
	return t, nil
}

func readSockperf(p probe.ProcessReport, help string, paced bool) (rrToolResult, error) {
	r, err := load.ParseSockperf(p)
	if err != nil {
		return rrToolResult{}, err
	}
	window, err := r.Window(p)
	if err != nil {
		return rrToolResult{}, err
	}
	latencies := map[string]time.Duration{rrMean.Name: r.Mean, rrSD.Name: r.SD, rrP50.Name: r.P50, rrP99.Name: r.P99}
	if r.P999 != nil {
		latencies[rrP999.Name] = *r.P999
	}
	read := rrToolResult{window: window, values: append(rrValues(help, latencies), rateValue(r.Rate())), facts: map[string]string{
		"requests": fmt.Sprintf("%d sent, %d answered in %v", r.Sent, r.Received, r.Valid), "slowest request": r.Max.String(),
	}}
	if paced {
		// Busy waiting is how sockperf paces; its own words tell whether it kept up.
		read.values = append(read.values, result.Value{Metric: unanswered, Value: 100 * r.Loss()})
		if r.TooFast {
			read.marks = stage.LimitedMarks([]string{"sockperf did not reach the rate"})
		}
	}
	return read, nil
}

func qperfTool(l rrLoad) (rrTool, error) {
	serverArgv, err := load.QperfServer{Port: qperfPort}.Argv()
	if err != nil {
		return rrTool{}, err
	}
	test := load.QperfTCPLatency
	if l.client.Kind == pace.UDPRR {
		test = load.QperfUDPLatency
	}
	return rrTool{
		server: stage.Generator{Program: "qperf", Argv: serverArgv, Version: load.QperfVersion()},
		ports:  stage.Ports{First: qperfPort, Count: 2, UDP: l.client.Kind == pace.UDPRR},
		tcp:    []int{qperfPort},
		client: func(to stage.Address) (stage.Generator, error) {
			argv, err := load.QperfClient{
				Test: test, Host: to.Host, Port: qperfPort, DataPort: qperfDataPort, MessageSize: l.client.RequestBytes, Duration: l.client.Duration,
			}.Argv()
			return stage.Generator{Program: "qperf", Argv: argv, Version: load.QperfVersion()}, err
		},
		read: readQperf,
	}, nil
}

// readQperf makes round trips of qperf's halves.
func readQperf(p probe.ProcessReport) (rrToolResult, error) {
	r, err := load.ParseQperf(p)
	if err != nil {
		return rrToolResult{}, err
	}
	window, err := r.Window(p)
	if err != nil {
		return rrToolResult{}, err
	}
	return rrToolResult{
		window: window,
		values: append(rrValues(closedHelp, map[string]time.Duration{rrMean.Name: 2 * r.Latency}), rateValue(r.MessagesPerSecond/2)),
		facts:  map[string]string{"requests": fmt.Sprintf("%d sent, %d answered", r.Sent, r.Received)},
	}, nil
}

func netperfTool(l rrLoad) (rrTool, error) {
	serverArgv, err := load.Netserver{Port: netperfPort}.Argv()
	if err != nil {
		return rrTool{}, err
	}
	test := load.NetperfTCPRR
	if l.client.Kind == pace.UDPRR {
		test = load.NetperfUDPRR
	}
	return rrTool{
		// Its name is the package's: an image has both or none.
		server: stage.Generator{Program: "netperf", Argv: serverArgv, Version: load.NetserverVersion()},
		ports:  stage.Ports{First: netperfPort, Count: 2, UDP: l.client.Kind == pace.UDPRR},
		tcp:    []int{netperfPort},
		client: func(to stage.Address) (stage.Generator, error) {
			argv, err := load.Netperf{
				Test: test, Host: to.Host, Port: netperfPort, DataPort: netperfDataPort, MessageSize: l.client.RequestBytes, Duration: l.client.Duration,
			}.Argv()
			return stage.Generator{Program: "netperf", Argv: argv, Version: load.NetperfVersion()}, err
		},
		read: readNetperf,
	}, nil
}

func readNetperf(p probe.ProcessReport) (rrToolResult, error) {
	r, err := load.ParseNetperf(p)
	if err != nil {
		return rrToolResult{}, err
	}
	if r.Latency == nil {
		return rrToolResult{}, fmt.Errorf("netperf measured no latency but %s %s", r.Protocol, r.Direction)
	}
	window, err := r.Window(p)
	if err != nil {
		return rrToolResult{}, err
	}
	latencies := map[string]time.Duration{rrMean.Name: r.Latency.Mean, rrSD.Name: r.Latency.SD, rrP50.Name: r.Latency.P50, rrP99.Name: r.Latency.P99}
	return rrToolResult{
		window: window, values: append(rrValues(closedHelp, latencies), rateValue(r.TransactionsPerSecond)), local: r.LocalCongestion, remote: r.RemoteCongestion,
		facts: map[string]string{"slowest request": r.Latency.Max.String()},
	}, nil
}
