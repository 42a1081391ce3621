package pace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// poller waits for sockets and for the clock. A timerfd is exact where the
// timeout of epoll_wait is counted in milliseconds.
type poller struct {
	began  time.Time // what its clock counts from
	epoll  int
	timer  int
	wake   int           // an eventfd that ends all waiting
	armed  time.Duration // the time that the timer was set for; 0 is none
	spin   time.Duration // before a time, it does not sleep any more
	events [128]unix.EpollEvent
	forget func() bool
}

var errCanceled = errors.New("canceled")

// newPoller returns a poller whose waiting ends with ctx.
func newPoller(ctx context.Context) (*poller, error) {
	p := &poller{began: time.Now(), epoll: -1, timer: -1, wake: -1}
	var err error
	if p.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("creating an epoll: %w", err)
	}
	if p.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK); err != nil {
		p.close()
		return nil, fmt.Errorf("creating a timer: %w", err)
	}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		p.close()
		return nil, fmt.Errorf("creating an event: %w", err)
	}
	// Edge-triggered, the timer need not be read to be quiet.
	if err := errors.Join(p.watch(p.timer, unix.EPOLLIN|unix.EPOLLET), p.watch(p.wake, unix.EPOLLIN)); err != nil {
		p.close()
		return nil, err
	}
	wake := p.wake
	p.forget = context.AfterFunc(ctx, func() {
		_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // fails only where it has been woken
	})
	return p, nil
}

func (p *poller) close() {
	if p.forget != nil {
		p.forget()
	}
	for _, fd := range []int{p.epoll, p.timer, p.wake} {
		if fd >= 0 {
			_ = unix.Close(fd) // nothing is written to them
		}
	}
}

// watch adds a socket, to be told of the given events.
func (p *poller) watch(fd int, events uint32) error {
	return p.control(unix.EPOLL_CTL_ADD, fd, events)
}

// change sets other events. Closing a socket takes it out.
func (p *poller) change(fd int, events uint32) error {
	return p.control(unix.EPOLL_CTL_MOD, fd, events)
}

func (p *poller) control(what, fd int, events uint32) error {
	if err := unix.EpollCtl(p.epoll, what, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("watching a socket: %w", err)
	}
	return nil
}

func (p *poller) now() time.Duration { return time.Since(p.began) }

const (
	// longestSpin is how long before a sending the client stops sleeping. A
	// timer wakes a thread late: by 40 µs in the middle on a virtual machine
	// with two cores, where a request and its answer take 90. Looking at the
	// clock for the last 50 µs left 1 µs, at 2000 requests per second for 4 %
	// of a core more; 20 µs left 16, and 100 µs took 10 % of a core.
	longestSpin = 50 * time.Microsecond
	// spinShare bounds that part of a core at any rate: what spins is lost to
	// what is measured.
	spinShare = 0.1
)

// spinFor returns how long to spin before each request of a rate; 0 in a
// closed loop, which waits for no time.
func spinFor(rate float64) time.Duration {
	if rate == 0 {
		return 0
	}
	return min(longestSpin, time.Duration(spinShare*1e9/rate))
}

// poll calls handle for each socket where something happened, after waiting
// for the first until the given time.
func (p *poller) poll(until time.Duration, handle func(fd int) error) error {
	timeout, err := p.arm(until)
	if err != nil {
		return err
	}
	n, err := unix.EpollWait(p.epoll, p.events[:], timeout)
	if errors.Is(err, unix.EINTR) {
		return nil // the caller comes again
	}
	if err != nil {
		return fmt.Errorf("waiting for sockets: %w", err)
	}
	for _, event := range p.events[:n] {
		switch fd := int(event.Fd); fd {
		case p.timer:
			p.armed = 0
		case p.wake:
			return errCanceled
		default:
			if err := handle(fd); err != nil {
				return err
			}
		}
	}
	return nil
}

// arm sets the timer and returns the timeout for epoll_wait: none, or not to
// wait at all.
func (p *poller) arm(until time.Duration) (timeout int, err error) {
	if until == never || until == p.armed {
		return -1, nil
	}
	left := until - p.spin - p.now()
	if left <= 0 {
		return 0, nil
	}
	err = unix.TimerfdSettime(p.timer, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(left))}, nil)
	if err != nil {
		return 0, fmt.Errorf("setting a timer: %w", err)
	}
	p.armed = until
	return -1, nil
}

// threadCPU returns the CPU time of the calling thread.
func threadCPU() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		return 0 // only a wrong argument is an error
	}
	return time.Duration(unix.TimevalToNsec(usage.Utime) + unix.TimevalToNsec(usage.Stime))
}
