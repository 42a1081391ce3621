package pace

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func callSpec() Spec {
	return Spec{
		Kind: Calls, Target: "127.0.0.1:1", Connections: 3, Rate: 500, Gaps: Fixed,
		Duration: 200 * time.Millisecond, Omit: 50 * time.Millisecond, Timeout: 30 * time.Second,
	}
}

func TestRunCallsTakesConnectionsInTurn(t *testing.T) {
	var made [3]atomic.Int64
	r, err := RunCalls(t.Context(), callSpec(), func(_ context.Context, slot int) error { made[slot].Add(1); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Counts; c.Intended != 100 || c.Answered != 100 || c.Sent != 100 {
		t.Errorf("of 100 calls: %+v", c)
	}
	for slot := range made {
		if n := made[slot].Load(); n < 41 || n > 43 { // 125 and one each before
			t.Errorf("connection %d had %d calls", slot, n)
		}
	}
}

func TestRunCallsCountsFailuresByReason(t *testing.T) {
	var n atomic.Int64
	r, err := RunCalls(t.Context(), callSpec(), func(context.Context, int) error {
		if n.Add(1) > 3 && n.Load()%2 == 0 {
			return errors.New("odd")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Counts; c.Failed["odd"] == 0 || c.Answered == 0 || c.Answered+c.Failed["odd"] != c.Intended {
		t.Errorf("%+v", c)
	}
}

func TestRunCallsGivesUpWhatHangs(t *testing.T) {
	spec := callSpec()
	spec.Timeout = 50 * time.Millisecond
	var n atomic.Int64
	r, err := RunCalls(t.Context(), spec, func(ctx context.Context, _ int) error {
		if n.Add(1) <= int64(spec.Connections) {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Counts; c.Answered != 0 || c.Lost != c.Intended || len(c.Failed) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestRunCallsEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	_, err := RunCalls(ctx, callSpec(), func(ctx context.Context, _ int) error {
		cancel(gone)
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, gone) {
		t.Errorf("error %v, want that the caller is gone", err)
	}
}

func TestRunCallsNeedsAFirstAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("it is waited for")
	}
	_, err := RunCalls(t.Context(), callSpec(), func(context.Context, int) error { return errors.New("refused") })
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v, want why nobody answers", err)
	}
}
