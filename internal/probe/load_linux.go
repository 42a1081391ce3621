package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"
)

// errCallerGone is the cause of a context that ended because stdin did.
var errCallerGone = errors.New("stdin has ended, so the caller is gone")

// listenPoll is how often the socket tables are read while waiting for ports.
const listenPoll = 10 * time.Millisecond

// RunLoad runs the processes of spec to their end and writes frames: ready
// when spec.Listen is set and served, then report. When a process cannot be
// started, or ends before the ports are served, the others are killed, the
// last frame is of kind failed and the error says why. When ctx ends, all are
// killed, and no further frame is written unless spec.Resident asks for it.
func RunLoad(ctx context.Context, spec LoadSpec, frames io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	// Children die with the thread that started them (PR_SET_PDEATHSIG), so
	// that thread has to live as long as the load.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	kill, stop := context.WithCancel(ctx)
	defer stop()
	first, err := runFirst(kill, spec)
	var children []*child
	if err == nil {
		children, err = startAll(kill, spec)
	}
	if err == nil && len(spec.Listen)+len(spec.ListenUDP) > 0 {
		if err = awaitListening(ctx, spec, children); err == nil {
			err = WriteFrame(frames, FrameReady, LoadReady{Listen: spec.Listen, ListenUDP: spec.ListenUDP})
		}
	}
	if err != nil {
		stop()
	}
	report := LoadReport{First: first, Processes: make([]ProcessReport, len(children)), Netns: readNetns()}
	for i, c := range children {
		<-c.done
		report.Processes[i] = c.report
	}
	served := spec.Resident && err == nil && errors.Is(context.Cause(ctx), errCallerGone)
	if ctx.Err() != nil && !served {
		return context.Cause(ctx)
	}
	if err != nil {
		report.Reason = err.Error()
		return errors.Join(err, WriteFrame(frames, FrameFailed, report))
	}
	return WriteFrame(frames, FrameReport, report)
}

// runFirst runs what comes before the load. How it ended is for the caller to
// judge; only what could not be started is an error.
func runFirst(ctx context.Context, spec LoadSpec) ([]ProcessReport, error) {
	var reports []ProcessReport
	for _, p := range spec.First {
		c, err := startChild(ctx, p, spec.Timeout)
		<-c.done
		reports = append(reports, c.report)
		if err != nil {
			return reports, fmt.Errorf("starting %s: %w", p.Argv[0], err)
		}
	}
	return reports, nil
}

// startAll starts every process of spec. On an error it returns the ones
// started so far and the one that was not.
func startAll(ctx context.Context, spec LoadSpec) ([]*child, error) {
	var children []*child
	for _, p := range spec.Processes {
		c, err := startChild(ctx, p, spec.Timeout)
		children = append(children, c)
		if err != nil {
			return children, fmt.Errorf("starting %s: %w", p.Argv[0], err)
		}
	}
	return children, nil
}

// awaitListening returns nil when all ports are served, and an error when a
// child has ended before or ctx has.
func awaitListening(ctx context.Context, spec LoadSpec, children []*child) error {
	ended := make(chan *child, len(children))
	var waiters sync.WaitGroup
	defer waiters.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for _, c := range children {
		waiters.Go(func() {
			select {
			case <-c.gone:
				ended <- c
			case <-stop:
			}
		})
	}
	poll := time.NewTicker(listenPoll)
	defer poll.Stop()
	for {
		missing, err := notServed("/proc", spec)
		if err != nil {
			return err
		}
		if missing == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case c := <-ended:
			<-c.done
			return fmt.Errorf("%s before %s was listening", c.describeEnd(), missing)
		case <-poll.C:
		}
	}
}
