package probe

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
		select {
		case <-ctx.Done():
			running = false
			// CPU times are no finer than this, so a last sample right after
			// another would tell nothing.
			last := series.Samples[len(series.Samples)-1].At
			time.Sleep(min(minInterval-time.Since(last), minInterval))
		case <-ticker.C:
		}
		sample, err := sampler.Sample()
		if err != nil {
			return err
		}
		series.Samples = append(series.Samples, sample)
	}
	return WriteFrame(frames, FrameSeries, series)
}

// IRQTime tells how the kernel accounts the CPU time of interrupts: exact, tick
// or unknown. It looks for the kernel's configuration in procfs and, as
// distributions do, in /boot.
func IRQTime(procfs string) string {
	if f, err := os.Open(filepath.Join(procfs, "config.gz")); err == nil {
		defer func() { _ = f.Close() }() // only read from
		if config, err := gzip.NewReader(f); err == nil {
			return irqTime(config)
		}
	}
	release, err := os.ReadFile(filepath.Join(procfs, "sys/kernel/osrelease"))
	if err != nil {
		return irqUnknown
	}
	config, err := os.Open("/boot/config-" + strings.TrimSpace(string(release)))
	if err != nil {
		return irqUnknown
	}
	defer func() { _ = config.Close() }() // only read from
	return irqTime(config)
}
