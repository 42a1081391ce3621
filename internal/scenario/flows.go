package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/stage"
)

// flow is one TCP connection of bulk load between two load pods: the client
// sends, or with reverse the server.
type flow struct {
	client, server stage.FleetPod
	reverse        bool
}

// ends are the nodes that payload goes from and to.
func (f flow) ends() (from, to string) {
	if f.reverse {
		return f.server.Pod.Node, f.client.Pod.Node
	}
	return f.client.Pod.Node, f.server.Pod.Node
}

// flows are connections that run at once, each with a process of its own at
// either end.
type flows struct {
	list           []flow
	duration, omit time.Duration
	series         string // begins the names of the evidence
	// separable loads are worth something where the machine was too busy for
	// all connections to measure at the same time.
	separable bool
}

// flowsRun is what became of flows, in their order.
type flowsRun struct {
	flows
	streams []load.Iperf3Stream
	load.Iperf3Throughput
	congestion string
	sysctls    string // of the first client
	// apart says why there is no time in which all measured; empty: there is.
	apart string
}

// crew is what one load pod does: the processes of one end of some flows.
type crew struct {
	pod  cluster.Pod
	spec probe.LoadSpec
	of   []int // the flow of each process
}

// crews are the work of the servers and of the clients, one crew per pod.
// Every flow has a port of its own, because pods may share a node's network.
func (l flows) crews() (servers, clients []crew, err error) {
	every := stage.SamplingInterval(l.duration)
	timeout := l.duration + l.omit + stage.LoadGrace
	for i, f := range l.list {
		port := stage.FirstPort + i
		server, err := load.Iperf3Server{Port: port, Interval: every}.Argv()
		if err != nil {
			return nil, nil, err
		}
		client, err := load.Iperf3Client{
			Host: f.server.Pod.IP, Port: port, Duration: l.duration, Omit: l.omit, Interval: every, Reverse: f.reverse,
		}.Argv()
		if err != nil {
			return nil, nil, err
		}
		servers = join(servers, f.server.Pod, server, i, timeout)
		listener := &servers[slices.IndexFunc(servers, func(c crew) bool { return c.pod == f.server.Pod })]
		listener.spec.Listen = append(listener.spec.Listen, port)
		clients = join(clients, f.client.Pod, client, i, timeout)
	}
	return servers, clients, nil
}

// join gives a pod's crew one more process.
func join(crews []crew, pod cluster.Pod, argv []string, of int, timeout time.Duration) []crew {
	i := slices.IndexFunc(crews, func(c crew) bool { return c.pod == pod })
	if i < 0 {
		i, crews = len(crews), append(crews, crew{pod: pod, spec: probe.LoadSpec{Timeout: timeout}})
	}
	crews[i].spec.Processes = append(crews[i].spec.Processes, probe.Process{Argv: argv})
	crews[i].of = append(crews[i].of, of)
	return crews
}

// proveFlows proves that every client reaches its server.
func proveFlows(ctx context.Context, b *stage.Bench, list []flow) error {
	ways := make([][2]stage.FleetPod, len(list))
	for i, f := range list {
		ways[i] = [2]stage.FleetPod{f.client, f.server}
	}
	return b.Stage.ReachAll(ctx, ways)
}

// runFlows starts all servers, then all clients at once, and combines what the
// receivers got in the time in which all were measuring.
func runFlows(ctx context.Context, b *stage.Bench, l flows) (flowsRun, error) {
	ran := flowsRun{flows: l}
	servers, clients, err := l.crews()
	if err != nil {
		return ran, err
	}
	if err := keepCrews(b, l.series, servers, clients); err != nil {
		return ran, err
	}
	served, requested, err := work(ctx, b, servers, clients)
	if kept := keepWork(b, l.series, served, requested); err == nil {
		err = kept
	}
	if err != nil {
		return ran, err
	}
	ran.sysctls = sysctlLine(requested.Netns)
	if ran.streams, err = load.Iperf3Streams(requested, served); err != nil {
		return ran, err
	}
	if err := ran.combine(); err != nil {
		return ran, err
	}
	if ran.congestion, err = ran.CongestionControl(); err != nil {
		return ran, &stage.InvalidError{Reason: err.Error()}
	}
	return ran, nil
}

// combine makes one result of the connections, or of each its own where they
// did not measure at the same time and need not have.
func (r *flowsRun) combine() (err error) {
	if r.Iperf3Throughput, err = load.CombineIperf3(r.streams); err == nil || !r.separable {
		return err
	}
	separate, failed := load.SeparateIperf3(r.streams)
	if failed != nil {
		return err // it is about all of them
	}
	r.Iperf3Throughput, r.apart = separate, err.Error()
	return nil
}

// work runs both ends and returns the reports of all processes by flow. When
// one client fails, the others are ended.
func work(ctx context.Context, b *stage.Bench, servers, clients []crew) (served, requested probe.LoadReport, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listening := make([]*stage.Session, len(servers))
	defer func() {
		for _, s := range listening {
			if s != nil {
				s.Close()
			}
		}
	}()
	err = atOnce(servers, cancel, func(i int, c crew) (err error) {
		listening[i], err = serve(ctx, b, c)
		return err
	})
	if err != nil {
		return served, requested, err
	}
	reports := make([]probe.LoadReport, len(clients))
	err = atOnce(clients, cancel, func(i int, c crew) (err error) {
		reports[i], err = requestAll(ctx, b, c)
		return err
	})
	requested = byFlow(clients, reports)
	if err != nil {
		return served, requested, err
	}
	reports = make([]probe.LoadReport, len(servers))
	err = atOnce(servers, cancel, func(i int, _ crew) error { return listening[i].Read(probe.FrameReport, &reports[i]) })
	return byFlow(servers, reports), requested, err
}

// atOnce does something for all crews at the same time. The first error ends
// the others, whose errors follow from it.
func atOnce(crews []crew, cancel func(), do func(int, crew) error) error {
	var once sync.Once
	var first error
	_ = cluster.AtOnce(len(crews), len(crews), func(i int) error {
		if err := do(i, crews[i]); err != nil {
			once.Do(func() {
				first = err
				cancel()
			})
		}
		return nil // of several, the first to fail is the one that is told
	})
	return first
}

// serve starts the servers of one pod and returns when all listen.
func serve(ctx context.Context, b *stage.Bench, c crew) (*stage.Session, error) {
	session, err := stage.Open(ctx, "iperf3 server in "+c.pod.Name, stage.ProbeInPod(b.Cluster, c.pod), "load", c.spec)
	if err != nil {
		return nil, err
	}
	var ready probe.LoadReady
	if err := session.Read(probe.FrameReady, &ready); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// requestAll runs the clients of one pod to their end. One that failed is told
// here, before its server is waited for.
func requestAll(ctx context.Context, b *stage.Bench, c crew) (probe.LoadReport, error) {
	var report probe.LoadReport
	session, err := stage.Open(ctx, "iperf3 client in "+c.pod.Name, stage.ProbeInPod(b.Cluster, c.pod), "load", c.spec)
	if err != nil {
		return report, err
	}
	defer session.Close()
	if err := session.Read(probe.FrameReport, &report); err != nil {
		var failed *stage.LoadError
		if errors.As(err, &failed) {
			report = failed.Report // it is evidence, too
		}
		return report, err
	}
	if _, err := load.Iperf3Streams(report, probe.LoadReport{}); err != nil {
		return report, fmt.Errorf("iperf3 client in %s: %w", c.pod.Name, err)
	}
	return report, nil
}

// byFlow puts the processes of all crews into the order of their flows. The
// namespace is the first crew's. What has no report is left out.
func byFlow(crews []crew, reports []probe.LoadReport) probe.LoadReport {
	type placed struct {
		of      int
		process probe.ProcessReport
	}
	var all []placed
	for i, c := range crews {
		for j, p := range reports[i].Processes {
			all = append(all, placed{c.of[j], p})
		}
	}
	slices.SortFunc(all, func(x, y placed) int { return x.of - y.of })
	merged := probe.LoadReport{}
	if len(reports) > 0 {
		merged.Netns = reports[0].Netns
	}
	for _, p := range all {
		merged.Processes = append(merged.Processes, p.process)
	}
	return merged
}

// keepCrews writes who runs what.
func keepCrews(b *stage.Bench, series string, servers, clients []crew) error {
	words := func(crews []crew) []map[string]any {
		var list []map[string]any
		for _, c := range crews {
			list = append(list, map[string]any{"end": stage.EndWords(c.pod), "pod": c.pod.Name, "spec": c.spec})
		}
		return list
	}
	return b.KeepJSON(series+"commands.json", map[string]any{"servers": words(servers), "clients": words(clients)})
}

// keepWork writes what the processes printed, also of a load that failed.
func keepWork(b *stage.Bench, series string, served, requested probe.LoadReport) error {
	return errors.Join(keepReport(b, series+"server", served), keepReport(b, series+"client", requested))
}

// sampled runs a load while the machines of the pods are sampled.
func sampled(ctx context.Context, b *stage.Bench, d time.Duration, members []stage.FleetPod, run func() error) (stage.Sampled, error) {
	pods := make([]cluster.Pod, len(members))
	for i, m := range members {
		pods[i] = m.Pod
	}
	sampling, err := b.StartSampling(ctx, d, pods...)
	if err != nil {
		return stage.Sampled{}, err
	}
	if err := run(); err != nil {
		sampling.Cancel()
		return stage.Sampled{}, err
	}
	return sampling.Stop(ctx)
}

// spanning is the time from the first window's start to the last one's end.
func spanning(runs []flowsRun) sample.Window {
	w := runs[0].Window
	for _, r := range runs[1:] {
		if r.Window.Start.Before(w.Start) {
			w.Start = r.Window.Start
		}
		if r.Window.End.After(w.End) {
			w.End = r.Window.End
		}
	}
	return w
}
