package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func init() {
	register(Scenario{
		Name:  "idle",
		Title: "what the cluster uses when nothing happens",
		Description: "CPU and memory of the machines, of the plugin's pods and of everything that runs for the cluster, " +
			"with the load pods in place and nothing running in them. It is the baseline of every other scenario.",
		Metrics:    []result.Metric{stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: []parameter.Parameter{duration, omit.With("1s")},
		Run:        measureIdle,
	})
}

func measureIdle(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	// The pods are there in all scenarios, so that idle is their baseline.
	pair, err := b.Stage.Pair(ctx, stage.Ends{Placement: stage.CrossNode})
	if err != nil {
		return stage.Measurement{}, err
	}
	m, ms, err := sampleIdle(ctx, b, cell.Parameters.Duration(omit.Name), cell.Parameters.Duration(duration.Name), pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	if ms.Unknown == "" {
		m.Facts["kernels sampled"] = fmt.Sprint(len(ms.Summaries))
	}
	return m, nil
}

// sampleIdle samples the machines while nothing happens: a warm-up, which does
// not count, and the time measured.
func sampleIdle(ctx context.Context, b *stage.Bench, warmUp, measured time.Duration, load ...cluster.Pod) (stage.Measurement, stage.Machines, error) {
	s, err := b.StartSampling(ctx, measured, load...)
	if err != nil {
		return stage.Measurement{}, stage.Machines{}, err
	}
	window, err := hold(ctx, warmUp, measured, func(context.Context) error { s.Mark(); return nil })
	if err != nil {
		s.Cancel()
		return stage.Measurement{}, stage.Machines{}, err
	}
	s.Mark()
	series, err := s.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, stage.Machines{}, err
	}
	m, ms := b.MeasureWindow("", window, series)
	return m, ms, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
