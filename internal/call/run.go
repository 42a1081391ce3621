package call

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/status"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

// Run makes the calls of spec and returns what became of them. It fails when
// nothing answers before the clock starts, and with ctx.
func Run(ctx context.Context, spec ClientSpec) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, fmt.Errorf("calling: %w", err)
	}
	call, stop, err := caller(spec)
	if err != nil {
		return Report{}, fmt.Errorf("calling: %w", err)
	}
	defer stop()
	paced, err := pace.RunCalls(ctx, spec.Pace, func(ctx context.Context, slot int) error { return inWords(call(ctx, slot)) })
	if err != nil {
		return Report{}, fmt.Errorf("calling: %w", err)
	}
	r := Report{Report: paced}
	if spec.Protocol == H3 {
		r.Offload = segmentation()
	}
	return r, nil
}

// caller returns what makes one call, and what ends the connections.
func caller(spec ClientSpec) (call pace.Call, stop func(), err error) {
	if spec.Protocol.HTTP() {
		c, err := newHTTPClient(spec)
		if err != nil {
			return nil, nil, err
		}
		return c.call, c.close, nil
	}
	c, err := newGRPCClient(spec)
	if err != nil {
		return nil, nil, err
	}
	if spec.Protocol == Stream {
		return c.streamed, c.close, nil
	}
	return c.unary, c.close, nil
}

// maxReason bounds the words of a failure in bytes.
const maxReason = 120

// inWords keeps of an error what many calls have in common: gRPC's own code, or
// its innermost cause, which has no ports in it.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errors.New("given up")
	}
	if s, ok := status.FromError(err); ok {
		return errors.New(strings.ToLower(s.Code().String()))
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	words := strings.ReplaceAll(err.Error(), "\n", "; ")
	return errors.New(words[:min(len(words), maxReason)])
}
