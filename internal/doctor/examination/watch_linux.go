package examination

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// watchHere samples this machine for a while.
func watchHere(ctx context.Context) (doctor.Idle, error) {
	sampler, err := sample.New(sample.Spec{Interval: time.Second, Only: []string{sample.SourceMemory}})
	if err != nil {
		return doctor.Idle{}, fmt.Errorf("sampling this machine: %w", err)
	}
	defer sampler.Close()
	series := sampler.Series()
	for i := range 2 {
		if i > 0 {
			select {
			case <-ctx.Done():
				return doctor.Idle{}, ctx.Err()
			case <-time.After(watching):
			}
		}
		one, err := sampler.Sample()
		if err != nil {
			return doctor.Idle{}, fmt.Errorf("sampling this machine: %w", err)
		}
		series.Samples = append(series.Samples, one)
	}
	summary, err := sample.Summarize(series, series.Samples[0].At, series.Samples[1].At)
	if err != nil {
		return doctor.Idle{}, fmt.Errorf("sampling this machine: %w", err)
	}
	return idleOf(summary), nil
}
