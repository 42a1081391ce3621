package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/stage"
)

// keptEnd is an end of a stream that runs in a pod by itself. Every order is a
// connection of its own.
type keptEnd struct {
	where string
	run   stage.Runner
	name  string // of its process
}

// keptEnds is a sender and a receiver that outlive the connections to them.
type keptEnds struct {
	sender, receiver keptEnd
	load             float64
	duration         time.Duration
}

// openKeptEnds starts both ends, the receiver first.
func openKeptEnds(ctx context.Context, b *stage.Bench, pair stage.Pair, specs pacedSpecs, life time.Duration) (*keptEnds, error) {
	receiver, err := openKept(ctx, b, pair.Server, "receive", specs.Receive, life)
	if err != nil {
		return nil, err
	}
	e := &keptEnds{receiver: receiver}
	if e.sender, err = openKept(ctx, b, pair.Client, "send", specs.Send, life); err != nil {
		return nil, errors.Join(err, e.receiver.quit(ctx))
	}
	return e, nil
}

func openKept(ctx context.Context, b *stage.Bench, pod cluster.Pod, role string, spec any, life time.Duration) (keptEnd, error) {
	e := keptEnd{where: fmt.Sprintf("paced stream (%s) in %s", role, pod.Name), run: stage.ProbeInPod(b.Cluster, pod)}
	end, err := json.Marshal(spec)
	if err != nil {
		return e, err
	}
	var ready probe.KeptReady
	err = e.connect(ctx, probe.KeptSpec{Life: life, End: end}, probe.FrameKept, &ready, "keep", role)
	e.name = ready.Name
	return e, err
}

// tell gives an order and waits for its answer.
func (e keptEnd) tell(ctx context.Context, order probe.KeptOrder, kind string, answer any) error {
	return e.connect(ctx, order, kind, answer, "tell", e.name)
}

// connect runs the probe once, with one line for it and one answer.
func (e keptEnd) connect(ctx context.Context, line any, kind string, answer any, words ...string) error {
	run := func(ctx context.Context, argv []string, stdin io.Reader, stdout, stderr io.Writer) error {
		return e.run(ctx, append(argv, words...), stdin, stdout, stderr)
	}
	s, err := stage.Open(ctx, e.where, run, "stream", line)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Read(kind, answer); err != nil {
		return err
	}
	_ = s.Send([]byte("\n")) // an end stays once this says that its name was heard; others need it not
	return nil
}

// quitTimeout bounds the end of an end, also of one whose trial was given up.
const quitTimeout = 15 * time.Second

func (e keptEnd) quit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitTimeout)
	defer cancel()
	return e.tell(ctx, probe.KeptOrder{Quit: true}, probe.FrameEnded, &struct{}{})
}

func (k *keptEnds) close(ctx context.Context) error {
	return errors.Join(k.sender.quit(ctx), k.receiver.quit(ctx))
}

// keptTrial is the number of the one trial that the ends make.
const keptTrial = 1

// start begins the stream.
func (k *keptEnds) start(ctx context.Context, load float64, d time.Duration) error {
	k.load, k.duration = load, d
	var begun stream.Begun
	order := probe.KeptOrder{Receive: &stream.ReceiveOrder{Begin: &stream.Begin{Trial: keptTrial}}}
	if err := k.receiver.tell(ctx, order, probe.FrameBegun, &begun); err != nil {
		return err
	}
	order = probe.KeptOrder{Start: &stream.SendOrder{Trial: keptTrial, PerSecond: load, Duration: d, Persist: true}}
	return k.sender.tell(ctx, order, probe.FrameBegun, &begun)
}

// mark parts the stream in two.
func (k *keptEnds) mark(ctx context.Context) error {
	order := probe.KeptOrder{Receive: &stream.ReceiveOrder{Mark: &stream.Mark{}}}
	return k.receiver.tell(ctx, order, probe.FrameBegun, &stream.Begun{})
}

// collect waits for the end of the stream and returns what both ends saw.
func (k *keptEnds) collect(ctx context.Context) (pacedTrial, error) {
	t := pacedTrial{Load: k.load, Duration: k.duration}
	if err := k.sender.tell(ctx, probe.KeptOrder{Collect: true}, probe.FrameSent, &t.Sent); err != nil {
		return t, err
	}
	finish := stream.Finish{Sent: t.Sent.Sent, Quiet: quietTime, Timeout: stragglerLimit}
	err := k.receiver.tell(ctx, probe.KeptOrder{Receive: &stream.ReceiveOrder{Finish: &finish}}, probe.FrameReceived, &t.Received)
	if err == nil && t.Received.Gaps == nil {
		err = fmt.Errorf("%s: it did not look for gaps", k.receiver.where)
	}
	return t, err
}
