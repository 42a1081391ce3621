package probe

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// RunSample samples until ctx ends, takes a last sample, and writes the series
// as one frame. After the first sample it writes a ready frame.
func RunSample(ctx context.Context, spec SampleSpec, frames io.Writer) error {
	sampler, err := NewSampler(spec)
	if err != nil {
		return err
	}
	defer sampler.Close()
	series := Series{Interval: spec.Interval, CgroupVersion: sampler.version, IRQTime: IRQTime(sampler.spec.Procfs)}
	if series.Hostname, err = os.Hostname(); err != nil {
		return fmt.Errorf("reading the host name: %w", err)
	}
	first, err := sampler.Sample()
	if err != nil {
		return err
	}
	series.Samples = append(series.Samples, first)
	if err := WriteFrame(frames, FrameReady, SampleReady{sampler.version, series.Missing()}); err != nil {
		return err
	}
	ticker := time.NewTicker(spec.Interval)
	defer ticker.Stop()
	for running := true; running; {
		// CPU times are no finer than minInterval, so a sample right after
		// another would tell nothing.
		select {
		case <-ctx.Done():
			running = false
			last := series.Samples[len(series.Samples)-1].At
			time.Sleep(min(minInterval-time.Since(last), minInterval))
		case <-ticker.C:
			if last := series.Samples[len(series.Samples)-1].At; time.Since(last) < minInterval {
				continue // the tick waited while a starved sampler took the last one
			}
		}
		sample, err := sampler.Sample()
		if err != nil {
			return err
		}
		series.Samples = append(series.Samples, sample)
	}
	return WriteFrame(frames, FrameSeries, series)
}
