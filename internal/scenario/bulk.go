package scenario

import (
	"context"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

// bulk is a load of iperf3 between two ends.
type bulk struct {
	ends      stage.Ends
	path      string
	to        *stage.Address // where its maker knows the server to be; nil: by path
	streams   int
	direction string // forward, reverse or bidir
	duration  time.Duration
	omit      time.Duration
	udp       bool
	// rate of all streams together in each direction, in bit/s of payload; 0
	// for as fast as the senders can.
	rate        float64
	window      int // bytes, 0 for the kernel's
	messageSize int // bytes, 0 for iperf3's
	zeroCopy    bool
	nicRTT      bool // measure round trips at the senders' cards
	// series begins the names of the evidence where one trial runs several
	// loads; empty otherwise.
	series string
}

// bulkOf reads what all scenarios of bulk load declare.
func bulkOf(v parameter.Values) bulk {
	return bulk{
		ends: stage.EndsOf(v), path: v.Text(stage.Path.Name), streams: v.Integer(streams.Name), direction: v.Text(direction.Name),
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
	}
}

// ways returns, for each process of the load, whether its server sends. Two
// directions are two processes per stream.
func (l bulk) ways() []bool {
	var ways []bool
	if l.direction != "reverse" {
		ways = append(ways, make([]bool, l.streams)...)
	}
	if l.direction != "forward" {
		for range l.streams {
			ways = append(ways, true)
		}
	}
	return ways
}

// nicSenders are the pods that send, if round trips are asked for.
func (l bulk) nicSenders(pair stage.Pair) (senders []cluster.Pod) {
	if l.nicRTT && l.direction != "reverse" {
		senders = append(senders, pair.Client)
	}
	if l.nicRTT && l.direction != "forward" {
		senders = append(senders, pair.Server)
	}
	return senders
}

// ports are those of its servers, one per process.
func (l bulk) ports() stage.Ports {
	return stage.Ports{First: stage.FirstPort, Count: len(l.ways()), UDP: l.udp}
}

// address is where the clients find the servers.
func (l bulk) address(ctx context.Context, b *stage.Bench, pair stage.Pair) (stage.Address, error) {
	if l.to != nil {
		return *l.to, nil
	}
	return b.Stage.Address(ctx, pair, l.path, l.ports())
}

// specs are what the probe runs at the server's end, and at the client's
// against an address of it.
func (l bulk) specs(to stage.Address) (server, client probe.LoadSpec, err error) {
	timeout := l.duration + l.omit + stage.LoadGrace
	server, client = probe.LoadSpec{Timeout: timeout}, probe.LoadSpec{Timeout: timeout}
	every := stage.SamplingInterval(l.duration)
	for i, reverse := range l.ways() {
		port := stage.FirstPort + i
		serverArgv, err := load.Iperf3Server{Port: port, Interval: every}.Argv()
		if err != nil {
			return server, client, err
		}
		clientArgv, err := load.Iperf3Client{
			Host: to.Host, Port: to.Port(port), Duration: l.duration, Omit: l.omit, Interval: every, Reverse: reverse,
			UDP: l.udp, BitsPerSecond: int64(l.rate / float64(l.streams)), MessageSize: l.messageSize, Window: l.window,
			ZeroCopy: l.zeroCopy,
		}.Argv()
		if err != nil {
			return server, client, err
		}
		server.Processes = append(server.Processes, probe.Process{Argv: serverArgv})
		server.Listen = append(server.Listen, port)
		client.Processes = append(client.Processes, probe.Process{Argv: clientArgv})
	}
	return server, client, nil
}

// bulkRun is a load that took place, with what the machines did meanwhile.
type bulkRun struct {
	iperf3Run
	load    bulk
	address stage.Address
	limit   stage.LineLimit
	samples stage.Sampled
	nic     stage.NICSeen
	// unattributed says why the load generator's share of the CPU is not known;
	// empty where it is what the load pods used.
	unattributed string
}

// outsidePods is why the share of a load is not known that has an end in no pod.
const outsidePods = "some of the load generator ran in no pod"

// unattributedBy says why the load's own share of the CPU is not known on a
// bench; empty where it is.
func (ran bulkRun) unattributedBy(b *stage.Bench) string {
	if ran.unattributed != "" {
		return ran.unattributed
	}
	return b.Unattributed()
}

// runBulk brings the ends into place, proves the address, samples the machines
// and runs the load.
func runBulk(ctx context.Context, b *stage.Bench, l bulk) (bulkRun, error) {
	pair, err := b.Stage.Pair(ctx, l.ends)
	if err != nil {
		return bulkRun{}, err
	}
	address, err := l.address(ctx, b, pair)
	if err != nil {
		return bulkRun{}, err
	}
	limit, err := b.Stage.LineLimit(ctx, pair)
	if err != nil {
		return bulkRun{}, err
	}
	sampling, err := b.StartSampling(ctx, l.duration, pair.Pods()...)
	if err != nil {
		return bulkRun{}, err
	}
	watch, err := b.WatchNIC(ctx, stage.NICLoad{Pair: pair, Senders: l.nicSenders(pair), Address: address, Ports: l.ports(), Duration: l.duration})
	if err != nil {
		sampling.Cancel()
		return bulkRun{}, err
	}
	ran, err := runIperf3(ctx, b, b.ClientEnd(pair), b.ServerEnd(pair), address, l)
	if err != nil {
		sampling.Cancel()
		watch.Cancel()
		return bulkRun{}, err
	}
	seen := watch.Stop(l.series)
	samples, err := sampling.Stop(ctx)
	if err != nil {
		return bulkRun{}, err
	}
	done := bulkRun{iperf3Run: ran, load: l, address: address, limit: limit, samples: samples, nic: seen}
	if pair.Outside() {
		done.unattributed = outsidePods
	}
	return done, nil
}
