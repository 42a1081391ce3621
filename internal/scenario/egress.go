package scenario

import (
	"context"
	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
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
		Metrics: []result.Metric{throughput, stage.CPUPerGbit, stage.CPU, retransmits, rtt, stage.CNICPU, stage.CNIMemory, stage.Memory, forwardThroughput, reverseThroughput},
		Parameters: []parameter.Parameter{
			duration, omit, streams.With("1"), direction, stage.ClientEnd, outside, window, messageSize, zeroCopy,
		},
		Beyond: func(v parameter.Values, at Setting) string {
			if v.Text(outside.Name) == autoOutside && !at.Outside {
				return noEgress
			}
			return ""
		},
		Run: measureEgress,
	})
}

// noEgress is why nothing can leave a cluster whose provider knows no host
// outside.
const noEgress = "nobody knows a host outside this cluster: outside below existing or command names one with the command that runs programs there, " +
	"and the parameter outside one that runs iperf3 -s"

func measureEgress(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	l := bulk{
		ends: stage.Ends{Client: v.Text(stage.ClientEnd.Name), Placement: stage.SameNode}, streams: v.Integer(streams.Name), direction: v.Text(direction.Name),
		duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
		window: v.Bytes(window.Name), messageSize: v.Bytes(messageSize.Name), zeroCopy: v.Boolean(zeroCopy.Name),
	}
	if len(b.Cluster.LoadNodes()) > 1 {
		l.ends.Placement = stage.CrossNode // the pair that other scenarios use, too
	}
	server, address, err := outsideEnd(b, v.Text(outside.Name))
	if err != nil {
		return stage.Measurement{}, err
	}
	pair, err := b.Stage.Pair(ctx, l.ends)
	if err != nil {
		return stage.Measurement{}, err
	}
	sampling, err := b.StartSampling(ctx, l.duration, pair.Client)
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, err := runEgress(ctx, b, pair.Client, server, address, l)
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	samples, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	limit := stage.LineLimit{Why: "the way out of the cluster is not known"}
	return evaluateEgress(b, bulkRun{iperf3Run: ran, load: l, address: address, limit: limit, samples: samples, unattributed: outsidePods}, pair.Client)
}

// outsideEnd is the host outside. It has no runner where its servers are the
// user's.
func outsideEnd(b *stage.Bench, address string) (stage.LoadEnd, stage.Address, error) {
	if address != autoOutside {
		return stage.LoadEnd{Name: address, Words: "host " + address + ", whose servers run already"}, stage.Address{Host: address}, nil
	}
	machine, ok := b.Cluster.Outside()
	if !ok {
		return stage.LoadEnd{}, stage.Address{}, &stage.UnsupportedError{Reason: noEgress}
	}
	end, err := stage.OutsideEnd(b.Cluster)
	return end, stage.Address{Host: machine.Address}, err
}

// runEgress runs the servers too where they are ours.
func runEgress(ctx context.Context, b *stage.Bench, client cluster.Pod, server stage.LoadEnd, to stage.Address, l bulk) (iperf3Run, error) {
	end := stage.PodEnd(b.Cluster, client)
	if server.Run != nil {
		return runIperf3(ctx, b, end, server, to, l)
	}
	ran := iperf3Run{client: end, server: server}
	_, spec, err := l.specs(to)
	if err != nil {
		return ran, err
	}
	if err := b.KeepJSON("commands.json", map[string]any{"client": spec, "clientEnd": end.Words, "serverEnd": server.Words}); err != nil {
		return ran, err
	}
	ran.clients, err = runIperf3Clients(ctx, b, end, spec, l)
	return ran, err
}

// evaluateEgress makes the measurement. The generator's share of the CPU is not
// known in full: the server is in no pod.
func evaluateEgress(b *stage.Bench, ran bulkRun, client cluster.Pod) (stage.Measurement, error) {
	m, err := evaluateTCP(b, ran)
	if err != nil {
		return stage.Measurement{}, err
	}
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return stage.Measurement{}, err
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
