package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"
)

// greetCommand greets every target that comes on stdin, all at the same time,
// until stdin ends.
func greetCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("greet", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	var spec GreetSpec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if err := WriteFrame(stdout, FrameReady, struct{}{}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var writing sync.Mutex
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	for {
		var target GreetTarget
		err := decoder.Decode(&target)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
				return cause
			}
			return nil
		}
		if err == nil {
			err = target.validate()
		}
		if err != nil {
			return fmt.Errorf("reading a target: %w", err)
		}
		go func() {
			greeted := greet(ctx, spec, target)
			writing.Lock()
			defer writing.Unlock()
			if err := WriteFrame(stdout, FrameGreeted, greeted); err != nil {
				cancel(err)
			}
		}()
	}
}

// greet connects again and again until one connection had a reply.
func greet(ctx context.Context, spec GreetSpec, target GreetTarget) Greeted {
	ctx, cancel := context.WithTimeout(ctx, spec.Limit)
	defer cancel()
	begun := time.Now()
	greeted := Greeted{Name: target.Name}
	outcomes := make(chan Reach)
	again := time.NewTicker(spec.Interval)
	defer again.Stop()
	connect := func() {
		greeted.Attempts++
		go func() {
			reach := ReachTCP(ctx, target.Address, spec.Timeout)
			select {
			case outcomes <- reach:
			case <-ctx.Done():
			}
		}()
	}
	connect()
	for {
		select {
		case <-ctx.Done():
			greeted.Took = time.Since(begun).Seconds()
			return greeted
		case <-again.C:
			connect()
		case reach := <-outcomes:
			if !reach.Reached {
				greeted.Last = reach.Reason
				continue
			}
			greeted.Replied, greeted.Took = true, time.Since(begun).Seconds()
			return greeted
		}
	}
}
