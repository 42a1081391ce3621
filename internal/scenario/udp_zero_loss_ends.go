package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// socketBuffer is asked for on both ends; the machine's limits
	// (net.core.rmem_max, wmem_max) give less.
	socketBuffer = 32 << 20
	// quietTime without an arrival ends the wait for stragglers.
	quietTime = 100 * time.Millisecond
	// stragglerLimit ends it in any case.
	stragglerLimit = 3 * time.Second
)

// pacedEnd is where one end of a paced stream runs.
type pacedEnd struct {
	where string
	run   stage.Runner
}

// pacedSpecs are what both ends are told at their start.
type pacedSpecs struct {
	Send    stream.SendSpec    `json:"send"`
	Receive stream.ReceiveSpec `json:"receive"`
}

func zeroLossSpecs(a stage.Address, ports stage.Ports, size int) pacedSpecs {
	key := rand.Uint32() // two searches must not count each other's packets
	s := pacedSpecs{
		Send:    stream.SendSpec{Host: a.Host, Key: key, Size: size, Buffer: socketBuffer},
		Receive: stream.ReceiveSpec{Port: ports.First, Streams: ports.Count, Key: key, Buffer: socketBuffer},
	}
	for i := range ports.Count {
		s.Send.Ports = append(s.Send.Ports, a.Port(ports.First+i))
	}
	return s
}

// pacedEnds is a sender and a receiver that stay for a whole search.
type pacedEnds struct {
	specs            pacedSpecs
	sender, receiver *stage.Session
	sendReady        stream.SendReady
	receiveReady     stream.ReceiveReady
	trials           uint32
}

// pacedTrial is one trial as both ends saw it.
type pacedTrial struct {
	// Load is the rate that was asked for, in packets per second; 0 is
	// without pace.
	Load     float64         `json:"load"`
	Duration time.Duration   `json:"durationNs"`
	Sent     stream.Sent     `json:"sent"`
	Received stream.Received `json:"received"`
	// Elapsed is what the trial took with its orders and its stragglers.
	Elapsed time.Duration `json:"elapsedNs"`
}

// lost is never negative: repeated packets are counted apart.
func (t pacedTrial) lost() uint64 { return t.Sent.Sent - min(t.Sent.Sent, t.Received.Received) }

// openPacedEnds starts both ends, the receiver first. Frames that the path has
// no room for are an [*stage.UnsupportedError].
func openPacedEnds(ctx context.Context, client, server pacedEnd, specs pacedSpecs) (*pacedEnds, error) {
	e := &pacedEnds{specs: specs}
	var err error
	if e.receiver, err = openStream(ctx, server, "receive", specs.Receive, &e.receiveReady); err != nil {
		return nil, err
	}
	if e.sender, err = openStream(ctx, client, "send", specs.Send, &e.sendReady); err != nil {
		e.receiver.Close()
		return nil, err
	}
	if need := stream.PacketOf(specs.Send.Size); need > e.sendReady.MTU {
		e.close()
		return nil, &stage.UnsupportedError{Reason: fmt.Sprintf("frames of %d bytes hold IP packets of %d, and the MTU of the path to %s is %d: the largest frame is %d bytes",
			specs.Send.Size, need, specs.Send.Host, e.sendReady.MTU, specs.Send.Size-need+e.sendReady.MTU)}
	}
	return e, nil
}

// openStream starts an end and waits until it is ready.
func openStream(ctx context.Context, end pacedEnd, role string, spec, ready any) (*stage.Session, error) {
	run := func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return end.run(ctx, append(argv, role), stdin, stdout, stderr)
	}
	s, err := stage.Open(ctx, end.where, run, "stream", spec)
	if err != nil {
		return nil, err
	}
	if err := s.Read(probe.FrameReady, ready); err != nil {
		return nil, err
	}
	return s, nil
}

func (e *pacedEnds) close() {
	e.sender.Close()
	e.receiver.Close()
}

// offer makes one trial.
func (e *pacedEnds) offer(ctx context.Context, load float64, d time.Duration) (pacedTrial, error) {
	e.trials++
	start := time.Now()
	t := pacedTrial{Load: load, Duration: d}
	var begun stream.Begun
	err := ask(ctx, e.receiver, stream.ReceiveOrder{Begin: &stream.Begin{Trial: e.trials}}, probe.FrameBegun, &begun)
	if err != nil {
		return t, err
	}
	err = ask(ctx, e.sender, stream.SendOrder{Trial: e.trials, PerSecond: load, Duration: d}, probe.FrameSent, &t.Sent)
	if err != nil {
		return t, err
	}
	finish := stream.Finish{Sent: t.Sent.Sent, Quiet: quietTime, Timeout: stragglerLimit}
	err = ask(ctx, e.receiver, stream.ReceiveOrder{Finish: &finish}, probe.FrameReceived, &t.Received)
	if err != nil {
		return t, err
	}
	if t.Sent.Trial != e.trials || t.Received.Trial != e.trials {
		return t, fmt.Errorf("trial %d: the sender reports on %d and the receiver on %d", e.trials, t.Sent.Trial, t.Received.Trial)
	}
	t.Elapsed = max(time.Since(start), d)
	return t, nil
}

// ask sends an order to one end and waits for its answer.
func ask(ctx context.Context, s *stage.Session, order any, kind string, answer any) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	line, err := json.Marshal(order)
	if err != nil {
		return err
	}
	if err := s.Send(append(line, '\n')); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return s.Explain(err)
	}
	return s.Read(kind, answer) // tells why an end has gone
}
