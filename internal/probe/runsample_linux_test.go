package probe

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

func TestRunSample(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- RunSample(ctx, sample.Spec{Interval: 10 * time.Millisecond}, in) }()
	frames := bufio.NewReader(out)
	var ready sample.Ready
	nextFrame(t, frames, FrameReady, &ready)
	asked := time.Now()
	cancel()
	var series sample.Series
	nextFrame(t, frames, FrameSeries, &series)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	first, last := series.Samples[0], series.Samples[len(series.Samples)-1]
	if len(series.Samples) < 2 || last.At.Before(asked) || len(first.Cores) == 0 || first.Own <= 0 {
		t.Errorf("%d samples, the last one %v after it was asked for", len(series.Samples), last.At.Sub(asked))
	}
	if _, err := sample.Summarize(series, first.At, last.At); err != nil {
		t.Error(err)
	}
}

func TestMainSampleEndsWithStdin(t *testing.T) {
	var out, errs bytes.Buffer
	status := Main([]string{"sample"}, bytes.NewReader([]byte(`{"intervalNs":1000000000}`)), &out, &errs)
	if status != 0 || errs.Len() != 0 {
		t.Fatalf("status %d, stderr %q", status, errs.String())
	}
	frames := bufio.NewReader(&out)
	var ready sample.Ready
	var series sample.Series
	nextFrame(t, frames, FrameReady, &ready)
	nextFrame(t, frames, FrameSeries, &series)
	if len(series.Samples) != 2 {
		t.Errorf("%d samples", len(series.Samples))
	}
}
