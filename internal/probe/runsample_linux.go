package probe

import (
	"context"
	"io"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// RunSample samples until ctx ends, takes a last sample, and writes the series
// as one frame. After the first sample it writes a ready frame.
func RunSample(ctx context.Context, spec sample.Spec, frames io.Writer) error {
	sampler, err := sample.New(spec)
	if err != nil {
		return err
	}
	defer sampler.Close()
	series := sampler.Series()
	first, err := sampler.Sample()
	if err != nil {
		return err
	}
	series.Samples = append(series.Samples, first)
	if err := WriteFrame(frames, FrameReady, sample.Ready{CgroupVersion: series.CgroupVersion, Missing: series.Missing()}); err != nil {
		return err
	}
	ticker := time.NewTicker(spec.Interval)
	defer ticker.Stop()
	for running := true; running; {
		// CPU times are no finer than sample.MinInterval, so a sample right after
		// another would tell nothing.
		select {
		case <-ctx.Done():
			running = false
			last := series.Samples[len(series.Samples)-1].At
			time.Sleep(min(sample.MinInterval-time.Since(last), sample.MinInterval))
		case <-ticker.C:
			if last := series.Samples[len(series.Samples)-1].At; time.Since(last) < sample.MinInterval {
				continue // the tick waited while a starved sampler took the last one
			}
		}
		next, err := sampler.Sample()
		if err != nil {
			return err
		}
		series.Samples = append(series.Samples, next)
	}
	return WriteFrame(frames, FrameSeries, series)
}
