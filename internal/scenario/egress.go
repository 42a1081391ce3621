package scenario

import (
	"context"
	"fmt"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// autoOutside lets the provider of the cluster name the host outside.
const autoOutside = "auto"

var outside = parameter.Parameter{
	Name: "outside", Kind: parameter.Text, Default: []string{autoOutside}, Word: "auto or an address",
	Help: "address of a host outside the cluster that runs one iperf3 -s per stream, from port 5201 on; auto: a lab has one",
}

func init() {
	register(Scenario{
		Name:  "egress",
		Title: "TCP streams from a pod to a host outside the cluster",
		Description: "TCP bulk load from a pod to a host that is no node of the cluster, over whatever the plugin does to packets that leave: " +
			"the server records from which address its client comes, and a fact of the trial says whether that was the pod's own or a translated one (SNAT). " +
			"In a lab the host is the machine of the control plane, which is on the nodes' switch and has no kubelet and no plugin; what it does " +
			"is part of the CPU, so that there is no figure without the generator's share. " +
			"Elsewhere the parameter outside names a host that runs iperf3 servers; what they counted is then not known, and the client's figures are scaled to the total that they tell. " +
			tcpDescription + bidirDescription,
		Metrics: []result.Metric{throughput, cpuPerGbit, cpu, retransmits, rtt, cniCPU, cniMemory, memory, forwardThroughput, reverseThroughput},
		Parameters: []parameter.Parameter{
			duration, omit, streams.With("1"), direction, clientEnd, outside, window, messageSize, zeroCopy,
		},
		Run: measureEgress,
	})
}

func measureEgress(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
	v := cell.Parameters
	l := bulk{
		ends: Ends{Client: v.Text(clientEnd.Name), Placement: SameNode}, streams: v.Integer(streams.Name), direction: v.Text(direction.Name),
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
		window: v.Bytes(window.Name), messageSize: v.Bytes(messageSize.Name), zeroCopy: v.Boolean(zeroCopy.Name),
	}
	if len(b.Cluster.LoadNodes()) > 1 {
		l.ends.Placement = CrossNode // the pair that other scenarios use, too
	}
	server, address, err := b.outsideEnd(v.Text(outside.Name))
	if err != nil {
		return Measurement{}, err
	}
	pair, err := b.Stage.Pair(ctx, l.ends)
	if err != nil {
		return Measurement{}, err
	}
	sampling, err := b.startSampling(ctx, l.duration, pair.Client)
	if err != nil {
		return Measurement{}, err
	}
	ran, err := b.runEgress(ctx, pair.Client, server, address, l)
	if err != nil {
		sampling.cancel()
		return Measurement{}, err
	}
	samples, err := sampling.stop(ctx)
	if err != nil {
		return Measurement{}, err
	}
	limit := lineLimit{why: "the way out of the cluster is not known"}
	return b.evaluateEgress(bulkRun{iperf3Run: ran, load: l, address: address, limit: limit, samples: samples, outsidePods: true}, pair.Client)
}

// outsideEnd is the host outside. It has no runner where its servers are the
// user's.
func (b *Bench) outsideEnd(address string) (loadEnd, Address, error) {
	if address != autoOutside {
		return loadEnd{name: address, words: "host " + address + ", whose servers run already"}, Address{Host: address}, nil
	}
	machine, ok := b.Cluster.Outside()
	if !ok {
		return loadEnd{}, Address{}, &UnsupportedError{"nobody knows a host outside this cluster: the parameter outside is to name one that runs iperf3 -s"}
	}
	words := fmt.Sprintf("machine %s %s, no node of the cluster", machine.Name, machine.Address)
	return loadEnd{machine.Name, words, onNode(b.Cluster, machine.Name)}, Address{Host: machine.Address}, nil
}

// runEgress runs the servers too where they are ours.
func (b *Bench) runEgress(ctx context.Context, client cluster.Pod, server loadEnd, to Address, l bulk) (iperf3Run, error) {
	end := podEnd(b.Cluster, client)
	if server.run != nil {
		return b.runIperf3(ctx, end, server, to, l)
	}
	ran := iperf3Run{client: end, server: server}
	_, spec, err := l.specs(to)
	if err != nil {
		return ran, err
	}
	if err := b.keepJSON("commands.json", map[string]any{"client": spec, "clientEnd": end.words, "serverEnd": server.words}); err != nil {
		return ran, err
	}
	ran.clients, err = b.runIperf3Clients(ctx, end, spec, l)
	return ran, err
}

// evaluateEgress makes the measurement. The generator's share of the CPU is not
// known in full: the server is in no pod.
func (b *Bench) evaluateEgress(ran bulkRun, client cluster.Pod) (Measurement, error) {
	m, err := b.evaluateTCP(ran)
	if err != nil {
		return Measurement{}, err
	}
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return Measurement{}, err
	}
	m.Facts["source address outside"] = sourceOutside(streams, client)
	return m, nil
}

// sourceOutside says from which address the client came.
func sourceOutside(streams []load.Iperf3Stream, client cluster.Pod) string {
	server := streams[0].Server
	switch {
	case server == nil || server.Peer == "":
		return "unknown: the server's report is not ours"
	case client.HostNetwork:
		return server.Peer + ", the client is on its node's network"
	case server.Peer == client.IP:
		return server.Peer + ", the pod's own"
	}
	return server.Peer + ", translated from " + client.IP
}
