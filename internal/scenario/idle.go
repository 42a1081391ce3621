package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
)

func init() {
	register(Scenario{
		Name:       "idle",
		Title:      "what the cluster uses when nothing happens",
		Metrics:    []result.Metric{cpu, cniCPU, cniMemory, memory},
		Parameters: []string{"duration", "omit"},
		Defaults:   Defaults{Duration: 10 * time.Second, Omit: time.Second, Streams: 1},
		Run:        measureIdle,
	})
}

func measureIdle(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
	// The pods are there in all scenarios, so that idle is their baseline.
	pair, err := b.Stage.Pair(ctx, CrossNode)
	if err != nil {
		return Measurement{}, err
	}
	s, err := b.startSampling(ctx, cell.Duration, pair.Client, pair.Server)
	if err != nil {
		return Measurement{}, err
	}
	if err := sleep(ctx, cell.Omit); err != nil {
		s.cancel()
		return Measurement{}, err
	}
	window := probe.Window{Start: time.Now().UTC()}
	if err := sleep(ctx, cell.Duration); err != nil {
		s.cancel()
		return Measurement{}, err
	}
	window.End = time.Now().UTC()
	series, err := s.stop()
	if err != nil {
		return Measurement{}, err
	}
	summaries, err := summarize(series, window)
	if err != nil {
		return Measurement{}, err
	}
	summaries = b.perKernel(summaries)
	if err := b.keepJSON("summary.json", summaries); err != nil {
		return Measurement{}, err
	}
	values, marks, err := b.resources(summaries)
	if err != nil {
		return Measurement{}, err
	}
	return Measurement{Window: result.Window(window), Values: values, Marks: marks, Facts: map[string]string{
		"kernels sampled": fmt.Sprint(len(summaries)), "attribution": b.attribution(),
	}}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
