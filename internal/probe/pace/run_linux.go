package pace

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// sockets is what the wires have in common. Their sink is set before they are
// used.
type sockets struct {
	*poller
	sink   sink
	buf    []byte
	algo   string // congestion control of the first connection
	target string
}

func (s *sockets) cpu() time.Duration { return threadCPU() }

func (s *sockets) congestionControl() string { return s.algo }

// readBuffer is how much of an answer is read at once, in bytes.
const readBuffer = 1 << 18

// linuxWire is a wire with what a report says of it.
type linuxWire interface {
	wire
	congestionControl() string
	end()
}

// Run sends the requests of spec and returns what became of them, when all
// are answered or given up. It fails when the target answers nothing before
// the clock starts, when a connection that is to stay breaks, and with ctx.
func Run(ctx context.Context, spec Spec) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	peers, err := resolveAll(ctx, spec.targets())
	if err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	peer := peers[0]
	// The CPU time of a thread is only ours when nothing else runs on it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := newPoller(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	defer p.close()
	p.spin = spinFor(spec.Rate)
	c := newClient(spec)
	common := sockets{poller: p, sink: c, buf: make([]byte, readBuffer), target: peer.String()}
	w, err := openWire(ctx, spec, newAddresses(peers), common)
	if err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	defer w.end()
	if err := c.run(w); err != nil {
		if errors.Is(err, errCanceled) {
			err = context.Cause(ctx)
		}
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	report := c.report(p.began)
	report.Address, report.CongestionControl = peer.String(), w.congestionControl()
	return report, nil
}

func openWire(ctx context.Context, spec Spec, all []address, common sockets) (linuxWire, error) {
	to := all[0]
	switch spec.Kind {
	case TCPRR:
		return openStreams(ctx, spec, to, common)
	case TCPCRR:
		return openConnects(spec, all, common), nil
	case DNS:
		list, err := complete(spec.Questions, func() ([]byte, error) { return os.ReadFile("/etc/resolv.conf") })
		if err != nil {
			return nil, err
		}
		return openDatagrams(spec, to, common, &questions{list: list, run: rand.Uint32()})
	}
	payload := make([]byte, spec.RequestBytes)
	return openDatagrams(spec, to, common, &echoes{payload: payload, responseBytes: spec.ResponseBytes})
}

// blocked tells whether a socket cannot take or give anything now.
func blocked(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
}
