package scenario

import (
	"context"
	"slices"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/stage"
)

func init() {
	register(Scenario{
		Name:        "cross-cluster-rr",
		Title:       "latency of requests from one cluster to another",
		Description: acrossDescription + rrDescription + "Requests are sent over TCP connections that stay.",
		Metrics:     rrMetrics,
		Parameters:  acrossRRParameters(),
		Beyond:      beyondPeer,
		Run:         measureCrossClusterRR,
	})
}

// acrossRRParameters are those of requests, with an address in place of a path
// and of what places both ends in one cluster.
func acrossRRParameters() []parameter.Parameter {
	within := []string{stage.Placement.Name, stage.ServerEnd.Name, stage.Path.Name}
	kept := slices.DeleteFunc(rrParameters(), func(p parameter.Parameter) bool { return slices.Contains(within, p.Name) })
	return append([]parameter.Parameter{stage.AcrossAddress}, kept...)
}

func measureCrossClusterRR(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	ran := rrRun{load: rrOf(pace.TCPRR, cell.Parameters)}
	var err error
	if ran.pair, ran.address, err = b.Between(ctx, stage.AcrossOf(cell.Parameters, ran.load.ports())); err != nil {
		return stage.Measurement{}, err
	}
	server, err := openRRServer(ctx, b.Peer, ran, ran.pair.Server.IP)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer server.Close()
	b = b.Reaching(ran.pair.Server)
	sampling, err := b.StartSampling(ctx, ran.load.client.Duration, ran.pair.Client)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := request(ctx, b, &ran, server); err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	if ran.samples, err = sampling.Stop(ctx); err != nil {
		return stage.Measurement{}, err
	}
	m, err := evaluateRR(b, ran)
	if err != nil {
		return m, err
	}
	m.Facts["address of the server"] = cell.Parameters.Text(stage.AcrossAddress.Name)
	return m, nil
}
