package probe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/cnibench/cnibench/internal/probe/stream"
)

// keptEnd is one end of a stream that takes orders from whoever comes.
type keptEnd interface {
	// Serve carries out an order and writes its answer.
	Serve(ctx context.Context, order KeptOrder, answer io.Writer) error
	Close() error
}

// openKept makes an end of a role.
func openKept(ctx context.Context, role string, spec json.RawMessage) (keptEnd, KeptReady, error) {
	if role == "send" {
		var s stream.SendSpec
		if err := json.Unmarshal(spec, &s); err != nil {
			return nil, KeptReady{}, err
		}
		sender, err := stream.NewSender(ctx, s)
		if err != nil {
			return nil, KeptReady{}, err
		}
		ready, err := json.Marshal(sender.Ready())
		return &keptSender{sender: sender}, KeptReady{End: ready}, err
	}
	var s stream.ReceiveSpec
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, KeptReady{}, err
	}
	receiver, err := stream.NewReceiver(s)
	if err != nil {
		return nil, KeptReady{}, err
	}
	described, err := receiver.Ready()
	if err != nil {
		return nil, KeptReady{}, errors.Join(err, receiver.Close())
	}
	ready, err := json.Marshal(described)
	return &keptReceiver{receiver: receiver}, KeptReady{End: ready}, err
}

// keptSender sends one trial at a time, and keeps what became of it.
type keptSender struct {
	sender *stream.Sender
	mu     sync.Mutex
	trial  *keptTrial // the latest
}

type keptTrial struct {
	done chan struct{} // closed when the fields below are set
	sent stream.Sent
	err  error
}

// Serve implements keptEnd.
func (k *keptSender) Serve(ctx context.Context, order KeptOrder, answer io.Writer) error {
	switch {
	case order.Start != nil:
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.trial != nil {
			select {
			case <-k.trial.done:
			default:
				return errors.New("a trial is under way")
			}
		}
		t := &keptTrial{done: make(chan struct{})}
		k.trial = t
		go func() {
			defer close(t.done)
			t.sent, t.err = k.sender.Trial(ctx, *order.Start)
		}()
		return WriteFrame(answer, FrameBegun, stream.Begun{Trial: order.Start.Trial})
	case order.Collect:
		k.mu.Lock()
		t := k.trial
		k.mu.Unlock()
		if t == nil {
			return errors.New("no trial was started")
		}
		<-t.done // it ends with ctx
		if t.err != nil {
			return t.err
		}
		return WriteFrame(answer, FrameSent, t.sent)
	}
	return errors.New("an order to a sender starts a trial or collects what became of it")
}

// Close implements keptEnd. A trial that is under way ends first.
func (k *keptSender) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.trial != nil {
		<-k.trial.done
	}
	return k.sender.Close()
}

// keptReceiver carries out one order at a time.
type keptReceiver struct {
	receiver *stream.Receiver
	mu       sync.Mutex
}

// Serve implements keptEnd.
func (k *keptReceiver) Serve(ctx context.Context, order KeptOrder, answer io.Writer) error {
	if order.Receive == nil {
		return errors.New("an order to a receiver is one of receiving")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return receiveOrder(ctx, k.receiver, *order.Receive, answer)
}

// Close implements keptEnd.
func (k *keptReceiver) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.receiver.Close()
}
