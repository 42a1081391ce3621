package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/gap"
)

// outlet sends one stream of one trial. It belongs to one thread.
type outlet struct {
	fd         int
	key, trial uint32
	start      time.Time // of the trial
	batch      *batch
	pacer      pacer
	persist    bool // whatever the network refuses
	sent       Sent
	burst      uint64        // datagrams since the last pause
	last       time.Duration // when the latest datagram had been sent
	left       time.Duration // when it began to be
}

// run sends until all is sent, the time is up, or ctx ends.
func (o *outlet) run(ctx context.Context) (Sent, error) {
	// The default slack of timers, 50 µs, would double every sleep.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return Sent{}, fmt.Errorf("setting the timer's slack: %w", err)
	}
	cpu, err := threadTime(unix.Gettid())
	if err != nil {
		return Sent{}, err
	}
	for ctx.Err() == nil {
		now := time.Since(o.start)
		late := now - o.pacer.at(o.sent.Sent) // before the schedule moves
		if n := o.pacer.due(o.sent.Sent, now); n > 0 {
			if err := o.send(n, late); err != nil {
				return Sent{}, err
			}
			continue
		}
		if o.pacer.over(o.sent.Sent, now) {
			break
		}
		o.burst = 0
		sleep(o.pacer.wait(o.sent.Sent, now))
	}
	o.sent.Planned, o.sent.PutOff, o.sent.Took = o.pacer.total, o.pacer.shift, o.pacer.took(o.sent.Sent, o.last)
	if o.pacer.perSecond <= 0 {
		o.sent.Planned = o.sent.Sent
	}
	used, err := threadTime(unix.Gettid())
	o.sent.Busy = min(1, float64(used-cpu)/float64(time.Since(o.start)))
	return o.sent, errors.Join(err, context.Cause(ctx))
}

// send sends the next n datagrams, or as many of them as there is room for.
// The first one is late by so much.
func (o *outlet) send(n int, late time.Duration) error {
	for i := range n {
		header{o.key, o.trial, o.sent.Sent + uint64(i)}.put(o.batch.buffers[i])
	}
	leaves := time.Since(o.start)
	taken, err := o.batch.send(o.fd, n)
	switch {
	case errors.Is(err, unix.EINTR):
		return nil
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOBUFS):
		o.sent.Blocked++
		return awaitRoom(o.fd)
	case o.persist && refused(err):
		// It says so of the first one, and has sent none.
		taken, o.sent.Refused = 1, o.sent.Refused+1
	case err != nil:
		return err
	}
	o.pause(leaves)
	o.last = time.Since(o.start)
	o.sent.Sent += uint64(taken)
	o.burst += uint64(taken)
	o.sent.LongestBurst = max(o.sent.LongestBurst, o.burst)
	if o.pacer.perSecond > 0 {
		o.sent.Latest = max(o.sent.Latest, late)
		o.sent.Late += min(uint64(taken), o.pacer.lateOnes(late))
	}
	return nil
}

// pauseFrom is how long nothing must leave to be a pause, and mostPauses how
// many are kept.
const (
	pauseFrom  = 2 * time.Millisecond
	mostPauses = 100_000
)

// pause notes what lies between the latest datagrams and those that leave now.
// It counts from system call to system call: a thread that loses its CPU loses
// it on the way out of one, when the datagram has gone.
func (o *outlet) pause(leaves time.Duration) {
	if length := leaves - o.left; o.persist && o.sent.Sent > 0 && length >= pauseFrom && len(o.sent.Pauses) < mostPauses {
		o.sent.Pauses = append(o.sent.Pauses, gap.Pause{Before: o.sent.Sent, Length: length})
	}
	o.left = leaves
}

// refused tells that there is no way to the receiver just now: no route, or one
// that forbids it, a rule, a device that is down or gone, nobody who listens.
// Some of it is said of an earlier datagram (udp(7)).
func refused(err error) bool {
	for _, no := range []error{
		unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ECONNREFUSED, unix.ENETDOWN, unix.ENODEV, unix.EPERM, unix.EACCES, unix.EINVAL,
	} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

func sleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal only wakes it early
}

// awaitRoom waits until the socket's queue has room, or a millisecond: it may
// be a device's queue that has none.
func awaitRoom(fd int) error {
	_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 1)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("waiting for room to send: %w", err)
	}
	return nil
}
