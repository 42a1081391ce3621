package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/sample"
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
	measured := cell.Parameters.Duration("duration")
	s, err := b.StartSampling(ctx, measured, pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := sleep(ctx, cell.Parameters.Duration("omit")); err != nil {
		s.Cancel()
		return stage.Measurement{}, err
	}
	s.Mark()
	window := sample.Window{Start: time.Now().UTC()}
	if err := sleep(ctx, measured); err != nil {
		s.Cancel()
		return stage.Measurement{}, err
	}
	window.End = time.Now().UTC()
	s.Mark()
	series, err := s.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, ms := b.MeasureWindow("", window, series)
	if ms.Unknown == "" {
		m.Facts["kernels sampled"] = fmt.Sprint(len(ms.Summaries))
	}
	return m, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
