package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const pollInterval = 50 * time.Millisecond

// Until asks again and again until check returns nil. When the time is up it
// returns check's last answer, as what was waited for; an answer that the end of
// the time cut short says nothing, unless it is the only one.
func Until(ctx context.Context, timeout time.Duration, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		answer := check(ctx)
		if last == nil || ctx.Err() == nil {
			last = answer
		}
		var fatal *fatalError
		if errors.As(answer, &fatal) {
			last = answer
			return false, answer
		}
		return answer == nil, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
	case last != nil:
		return fmt.Errorf("waiting for %s for %s: %w", what, timeout, last)
	}
	return fmt.Errorf("waiting for %s: %w", what, err)
}

// fatalError ends a wait at once: waiting longer cannot help.
type fatalError struct{ error }

func (f *fatalError) Unwrap() error { return f.error }
