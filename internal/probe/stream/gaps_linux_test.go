package stream

import (
	"errors"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/gap"
)

// A pause between two trials of one number is a gap, as long as the pause that
// was made, whenever the receiver's thread looked.
func TestReceiverFindsGaps(t *testing.T) {
	port := freePorts(t, 1)
	r, err := NewReceiver(ReceiveSpec{Port: port, Streams: 1, Key: 7, Buffer: 1 << 20, Gaps: &gap.Spec{Interval: time.Millisecond, Threshold: 10 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := r.Mark(); err == nil {
		t.Error("a mark without a trial was taken")
	}
	s, err := NewSender(t.Context(), SendSpec{Host: "127.0.0.1", Ports: []int{port}, Key: 7, Size: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := r.Begin(Begin{Trial: 1}); err != nil {
		t.Fatal(err)
	}
	send := func(d time.Duration) Sent {
		sent, err := s.Trial(t.Context(), SendOrder{Trial: 1, PerSecond: 1000, Duration: d})
		if err != nil {
			t.Fatal(err)
		}
		return sent
	}
	first := send(20 * time.Millisecond)
	begun := time.Now()
	for got := uint64(0); got < first.Sent; { // until all of them are read
		all, _, err := r.sum()
		if err != nil || time.Since(begun) > 10*time.Second {
			t.Fatal(errors.Join(err, errors.New("the first part did not arrive")))
		}
		got = all.Received
	}
	if _, err := r.Mark(); err != nil {
		t.Fatal(err)
	}
	const pause = 300 * time.Millisecond
	time.Sleep(pause)
	// Its numbers begin again at 0: those that were there are repeated, and only
	// the others end the silence.
	second := send(60 * time.Millisecond)
	got, err := r.Finish(t.Context(), Finish{Sent: second.Sent, Quiet: time.Second, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	g := got.Gaps
	if g == nil || g.After.Longest < pause || g.After.Count < 1 || g.After.Lost != 0 || g.Before.Lost != 0 || g.Open {
		t.Errorf("%+v", g)
	}
}

// What the network refuses is lost; it does not end a stream that persists.
func TestPersist(t *testing.T) {
	port := freePorts(t, 1)
	s, err := NewSender(t.Context(), SendSpec{Host: "127.0.0.1", Ports: []int{port}, Key: 7, Size: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	order := SendOrder{Trial: 1, PerSecond: 1000, Duration: 50 * time.Millisecond}
	if _, err := s.Trial(t.Context(), order); err == nil {
		t.Error("nobody listens, and a trial that gives up went on")
	}
	order.Persist = true
	sent, err := s.Trial(t.Context(), order)
	if err != nil || sent.Sent == 0 || sent.Refused == 0 || sent.Refused > sent.Sent {
		t.Errorf("%+v, %v", sent, err)
	}
}

func TestReceiveSpecOfGaps(t *testing.T) {
	for _, spec := range []ReceiveSpec{
		{Port: 1, Streams: 2, Gaps: &gap.Spec{Interval: time.Millisecond, Threshold: time.Millisecond}},
		{Port: 1, Streams: 1, Gaps: &gap.Spec{Threshold: time.Millisecond}},
		{Port: 1, Streams: 1, Gaps: &gap.Spec{Interval: time.Millisecond}},
	} {
		if spec.Validate() == nil {
			t.Errorf("%+v is taken", spec)
		}
	}
}
