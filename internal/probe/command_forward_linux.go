package probe

import (
	"context"
	"io"
)

func forwardCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec ForwardSpec
	ctx, cancel, err := untilStdinEnds(ctx, "forward", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	return Forward(ctx, spec, stdout)
}
