package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// acrossDescription is what all loads between two clusters have in common.
const acrossDescription = "The client is in the campaign's cluster, the server in a second one of the same variant (cluster.lab.peer, or cluster.existing.peer). " +
	"The two share nothing but a route between their nodes: address says by what the client finds the server, and an address that leads nowhere is unsupported. " +
	"CPU and memory are of both clusters together. "

func init() {
	register(Scenario{
		Name:        "cross-cluster",
		Title:       "TCP throughput from one cluster to another",
		Description: acrossDescription + tcpDescription + bidirDescription,
		Metrics:     tcpMetrics,
		Parameters: []parameter.Parameter{
			stage.AcrossAddress, duration, omit, streams.With("1"), direction, stage.ClientEnd, stage.IPFamily, window, messageSize, zeroCopy,
		},
		Beyond: beyondPeer,
		Run:    measureCrossCluster,
	})
}

// beyondPeer says that there is no second cluster, or that it is too small: the
// ends are pods that have been placed for loads within each cluster.
func beyondPeer(_ parameter.Values, at Setting) string {
	if !at.Peer {
		return stage.NoPeer
	}
	return at.needsTwo("placement " + stage.CrossNode)
}

func measureCrossCluster(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	l := bulk{
		streams: v.Integer(streams.Name), direction: v.Text(direction.Name), duration: v.Duration(duration.Name), omit: v.Duration(omit.Name),
		window: v.Bytes(window.Name), messageSize: v.Bytes(messageSize.Name), zeroCopy: v.Boolean(zeroCopy.Name),
	}
	pair, address, err := b.Between(ctx, stage.AcrossOf(v, l.ports()))
	if err != nil {
		return stage.Measurement{}, err
	}
	b = b.Reaching(pair.Server)
	sampling, err := b.StartSampling(ctx, l.duration, pair.Client)
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, err := runIperf3(ctx, b, stage.PodEnd(b.Cluster, pair.Client), stage.PodEnd(b.Peer.Cluster, pair.Server), address, l)
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	samples, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	limit := stage.LineLimit{Why: "what lies between the two clusters is not known"}
	m, err := evaluateTCP(b, bulkRun{iperf3Run: ran, load: l, address: address, limit: limit, samples: samples})
	if err != nil {
		return m, err
	}
	m.Facts["address of the server"] = v.Text(stage.AcrossAddress.Name)
	return m, nil
}
