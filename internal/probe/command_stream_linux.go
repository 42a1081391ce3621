package probe

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/stream"
)

// streamCommand serves one end of a paced stream: a specification on stdin's
// first line, an order on every further one, and a frame for each.
func streamCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	end, args := shift(args)
	switch end {
	case "keep":
		return keepCommand(ctx, args, stdin, stdout)
	case "kept":
		return keptCommand(ctx, args, stdin, stdout)
	case "tell":
		return tellCommand(ctx, args, stdin, stdout)
	}
	if err := parseFlags("stream", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	switch end {
	case "send":
		return streamSend(ctx, in, stdout)
	case "receive":
		return streamReceive(ctx, in, stdout)
	case "-h", "-help", "--help":
		return flag.ErrHelp
	}
	return &usageError{"stream does not know " + strconv.Quote(end), "give stream send, receive, keep or tell"}
}

func streamSend(ctx context.Context, in *bufio.Reader, stdout io.Writer) error {
	var spec stream.SendSpec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	sender, err := stream.NewSender(ctx, spec)
	if err != nil {
		return err
	}
	if err = WriteFrame(stdout, FrameReady, sender.Ready()); err == nil {
		err = serveOrders(ctx, in, func(ctx context.Context, order stream.SendOrder) error {
			sent, err := sender.Trial(ctx, order)
			if err != nil {
				return err
			}
			return WriteFrame(stdout, FrameSent, sent)
		})
	}
	return errors.Join(err, sender.Close())
}

func streamReceive(ctx context.Context, in *bufio.Reader, stdout io.Writer) error {
	var spec stream.ReceiveSpec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	receiver, err := stream.NewReceiver(spec)
	if err != nil {
		return err
	}
	ready, err := receiver.Ready()
	if err == nil {
		err = WriteFrame(stdout, FrameReady, ready)
	}
	if err == nil {
		err = serveOrders(ctx, in, func(ctx context.Context, order stream.ReceiveOrder) error {
			return receiveOrder(ctx, receiver, order, stdout)
		})
	}
	return errors.Join(err, receiver.Close())
}

func receiveOrder(ctx context.Context, receiver *stream.Receiver, order stream.ReceiveOrder, stdout io.Writer) error {
	given := 0
	for _, one := range []bool{order.Begin != nil, order.Mark != nil, order.Finish != nil} {
		if one {
			given++
		}
	}
	switch {
	case given != 1:
	case order.Begin != nil:
		if err := receiver.Begin(*order.Begin); err != nil {
			return err
		}
		return WriteFrame(stdout, FrameBegun, stream.Begun{Trial: order.Begin.Trial})
	case order.Mark != nil:
		begun, err := receiver.Mark()
		if err != nil {
			return err
		}
		return WriteFrame(stdout, FrameBegun, begun)
	default:
		received, err := receiver.Finish(ctx, *order.Finish)
		if err != nil {
			return err
		}
		return WriteFrame(stdout, FrameReceived, received)
	}
	return errors.New("an order to a receiver begins, marks or finishes a trial")
}

// serveOrders decodes one order per line and carries them out one by one. It
// returns nil when stdin ends between orders; its end during one stops that.
func serveOrders[Order any](ctx context.Context, in *bufio.Reader, carryOut func(context.Context, Order) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	orders, failed := make(chan Order), make(chan error, 1)
	go func() {
		defer close(orders)
		for {
			if _, err := in.Peek(1); err != nil {
				cancel(errCallerGone) // a read error means the same as the end
				return
			}
			var order Order
			if err := ReadSpec(in, &order); err != nil {
				failed <- err
				return
			}
			select {
			case orders <- order:
			case <-ctx.Done():
				return
			}
		}
	}()
	for order := range orders {
		if err := carryOut(ctx, order); err != nil {
			return err
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}
