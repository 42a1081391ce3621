package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestUntilAsksAgain(t *testing.T) {
	asked := 0
	err := Until(t.Context(), time.Hour, "the third time", func(context.Context) error {
		if asked++; asked < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

func TestUntilTellsTheLastAnswer(t *testing.T) {
	last := errors.New("1 of 2 nodes are ready")
	err := Until(t.Context(), time.Nanosecond, "nodes", func(context.Context) error { return last })
	if !errors.Is(err, last) || !strings.HasPrefix(err.Error(), "waiting for nodes ") {
		t.Errorf("error %v, want one that says what was waited for and the last answer", err)
	}
}

// What the end of the time did to the last attempt is not why it failed.
func TestUntilTellsNoAnswerThatWasCutShort(t *testing.T) {
	whole := errors.New("1 of 2 nodes are ready")
	asked := 0
	err := Until(t.Context(), 2*pollInterval, "nodes", func(ctx context.Context) error {
		if asked++; asked == 1 {
			return whole
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, whole) || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// An end that cannot be undone is not waited for, and an interrupt is one.
func TestUntilStopsEarly(t *testing.T) {
	asked, fatal := 0, &fatalError{errors.New("the pod has ended")}
	err := Until(t.Context(), time.Hour, "a pod", func(context.Context) error { asked++; return fatal })
	if !errors.Is(err, fatal.error) || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = Until(ctx, time.Hour, "a pod", func(context.Context) error { cancel(); return errors.New("not yet") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
