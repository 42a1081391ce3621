package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/gap"
)

// finishPoll is how often a receiver looks whether all has arrived.
const finishPoll = 2 * time.Millisecond

// Receiver counts the datagrams of one search. Make it with [NewReceiver].
type Receiver struct {
	streams []*inlet
	gaps    *gap.Spec // nil: nobody asks
	trial   uint32
	begun   time.Time
	stop    context.CancelFunc
	ended   sync.WaitGroup
}

// inlet receives one stream.
type inlet struct {
	fd, tid int
	stamped bool          // the socket says when datagrams arrived
	dropped uint32        // by the socket until the trial began
	cpu     time.Duration // of the thread until the trial began
	mu      sync.Mutex    // of what follows
	tally
	first, last time.Time // arrivals of the trial
	begun       time.Time
	finder      *gap.Finder // of the trial; nil: nobody asks
	failed      error
}

// NewReceiver listens and counts from now on, until [Receiver.Close].
func NewReceiver(spec ReceiveSpec) (*Receiver, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Receiver{stop: stop, gaps: spec.Gaps}
	for i := range spec.Streams {
		fd, err := listen(spec.Port+i, spec.Buffer)
		if err == nil && r.gaps != nil {
			if err = stampArrivals(fd); err != nil {
				err = errors.Join(err, unix.Close(fd))
			}
		}
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		in := &inlet{fd: fd, tally: tally{key: spec.Key}, stamped: r.gaps != nil}
		r.streams = append(r.streams, in)
		thread := make(chan int)
		r.ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			thread <- unix.Gettid()
			in.run(ctx)
		})
		in.tid = <-thread
	}
	return r, nil
}

// Ready describes the receiver's sockets.
func (r *Receiver) Ready() (ReceiveReady, error) {
	buffer, err := unix.GetsockoptInt(r.streams[0].fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err != nil {
		return ReceiveReady{}, fmt.Errorf("reading the size of a receive buffer: %w", err)
	}
	return ReceiveReady{Buffer: buffer}, nil
}

// Close ends the receiver.
func (r *Receiver) Close() error {
	r.stop()
	r.ended.Wait()
	var failed error
	for _, in := range r.streams {
		failed = errors.Join(failed, unix.Close(in.fd))
	}
	r.streams = nil
	return failed
}

// Begin counts the datagrams of a trial from now on.
func (r *Receiver) Begin(b Begin) error {
	r.trial, r.begun = b.Trial, time.Now()
	for _, in := range r.streams {
		var dropErr, cpuErr error
		in.dropped, dropErr = drops(in.fd)
		in.cpu, cpuErr = threadTime(in.tid)
		if err := errors.Join(dropErr, cpuErr); err != nil {
			return err
		}
		in.mu.Lock()
		in.begin(b.Trial)
		in.first, in.last, in.begun = time.Time{}, time.Time{}, r.begun
		if r.gaps != nil {
			in.finder = gap.NewFinder(*r.gaps)
		}
		in.mu.Unlock()
	}
	return nil
}

// Mark parts the trial's stream in two.
func (r *Receiver) Mark() (Begun, error) {
	in := r.streams[0]
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.finder == nil {
		return Begun{}, errors.New("there is nothing to mark: no trial has begun that looks for gaps")
	}
	return Begun{Trial: r.trial}, in.finder.Mark(time.Since(in.begun))
}

// Finish waits for what is still under way and returns what arrived.
func (r *Receiver) Finish(ctx context.Context, f Finish) (Received, error) {
	got, err := r.finish(ctx, f)
	if in := r.streams[0]; err == nil && in.finder != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		found := in.finder.Finish(f.Sent, time.Since(in.begun))
		got.Gaps = &found
	}
	return got, err
}

func (r *Receiver) finish(ctx context.Context, f Finish) (Received, error) {
	asked := time.Now()
	poll := time.NewTicker(finishPoll)
	defer poll.Stop()
	for {
		got, last, err := r.sum()
		if err != nil {
			return Received{}, err
		}
		quiet := time.Since(asked)
		if since := time.Since(last); !last.IsZero() && since < quiet {
			quiet = since
		}
		if got.Received >= f.Sent || quiet >= f.Quiet || time.Since(asked) >= f.Timeout {
			return got, nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return Received{}, context.Cause(ctx)
		}
	}
}

// sum adds up what the streams have counted so far, and returns the time of
// the last arrival.
func (r *Receiver) sum() (Received, time.Time, error) {
	all := Received{Trial: r.trial}
	var first, last time.Time
	for _, in := range r.streams {
		dropped, dropErr := drops(in.fd)
		cpu, cpuErr := threadTime(in.tid)
		in.mu.Lock()
		counts, from, to, failed := in.counts, in.first, in.last, in.failed
		in.mu.Unlock()
		if err := errors.Join(failed, dropErr, cpuErr); err != nil {
			return all, last, err
		}
		all.add(counts)
		all.Dropped += uint64(dropped - in.dropped) // the counter may wrap
		all.Busy = max(all.Busy, float64(cpu-in.cpu)/float64(time.Since(r.begun)))
		if first.IsZero() || !from.IsZero() && from.Before(first) {
			first = from
		}
		if to.After(last) {
			last = to
		}
	}
	all.Span = last.Sub(first)
	return all, last, nil
}

// run counts datagrams until ctx ends.
func (in *inlet) run(ctx context.Context) {
	b := newBatch(batchSize, minPayload)
	if in.stamped {
		b.wantStamps()
	}
	for ctx.Err() == nil {
		n, err := b.receive(in.fd)
		waiting := errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
		now := time.Now()
		in.mu.Lock()
		for i := range n {
			if in.add(b.received(i), in.arrival(b, i, now)) {
				if in.first.IsZero() {
					in.first = now
				}
				in.last = now
			}
		}
		if err != nil && !waiting {
			in.failed = fmt.Errorf("receiving datagrams: %w", err)
		}
		in.mu.Unlock()
		if err != nil && !waiting {
			return
		}
	}
}

// arrival returns what notes when message i came, or nil if nobody asks.
func (in *inlet) arrival(b *batch, i int, now time.Time) func(number uint64) {
	if in.finder == nil {
		return nil
	}
	return func(number uint64) {
		in.finder.Add(number, now.Sub(in.begun)-b.age(i, now))
	}
}
