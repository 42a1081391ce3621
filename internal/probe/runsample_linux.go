package probe

import (
	"bufio"
	"context"
	"io"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// markLine on stdin makes the sampler take a sample right away, for instance
// at the edge of a window.
const markLine = "mark"

// RunSample samples until ctx ends, takes a last sample, and writes the series
// as one frame. After the first sample it writes a ready frame. For each mark
// it takes a sample of its own.
func RunSample(ctx context.Context, spec sample.Spec, marks <-chan struct{}, frames io.Writer) error {
	sampler, err := sample.New(spec)
	if err != nil {
		return err
	}
	defer sampler.Close()
	header := sampler.Series()
	recording, err := sample.NewRecording(header)
	if err != nil {
		return err
	}
	r := sampleRun{sampler, recording}
	if err := r.take(); err != nil {
		return err
	}
	ready := sample.Ready{CgroupVersion: header.CgroupVersion, Missing: recording.Last().Missing()}
	if err := WriteFrame(frames, FrameReady, ready); err != nil {
		return err
	}
	if err := r.until(ctx, spec.Interval, marks); err != nil {
		return err
	}
	return WriteFrame(frames, FrameSeries, recording)
}

type sampleRun struct {
	sampler   *sample.Sampler
	recording *sample.Recording
}

func (r sampleRun) take() error {
	next, err := r.sampler.Sample()
	if err != nil {
		return err
	}
	return r.recording.Add(next, r.sampler.Faults())
}

// until samples until ctx ends, and once more.
func (r sampleRun) until(ctx context.Context, interval time.Duration, marks <-chan struct{}) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for running := true; running; {
		// CPU times are no finer than this, so a sample right after another
		// would tell nothing.
		room := func() time.Duration { return sample.MinInterval - time.Since(r.recording.Last().At) }
		select {
		case <-ctx.Done():
			running = false
			time.Sleep(min(room(), sample.MinInterval))
		case <-marks:
			time.Sleep(min(room(), sample.MinInterval))
		case <-ticker.C:
			if room() > 0 {
				continue // the tick waited while a starved sampler took the last one, or a mark came
			}
		}
		if err := r.take(); err != nil {
			return err
		}
	}
	return nil
}

// readMarks sends on marks for every line that asks for it, until in ends. A
// mark that comes while another waits is the same sample.
func readMarks(in *bufio.Reader, marks chan<- struct{}) {
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) == markLine {
			select {
			case marks <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return // a read error means the same as the end
		}
	}
}
