package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// self is the program that a process which stays is made from.
const self = "/proc/self/exe"

// keepCommand starts an end that stays, and returns when it is ready. A
// process that hung on its caller's connection would end with it, and a kubelet
// that restarts ends every connection into its pods.
func keepCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	role, err := roleOf("keep", args)
	if err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	var spec json.RawMessage
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	var said bytes.Buffer
	// It lives on when this program ends, and with it ctx.
	child := exec.CommandContext(context.WithoutCancel(ctx), self, "stream", "kept", role)
	child.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	child.Stdin = bytes.NewReader(append(spec, '\n'))
	child.Stderr = &said
	frames, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		return fmt.Errorf("starting a process that stays: %w", err)
	}
	kind, payload, err := ReadFrame(bufio.NewReader(frames))
	if err == nil && kind == FrameKept {
		err := handOver(in, stdout, payload)
		if err != nil {
			_ = child.Process.Kill() // nobody knows its name, and it has a port
			_ = child.Wait()
		}
		return err
	}
	return fmt.Errorf("the process that was to stay ended: %w: %s", errors.Join(err, child.Wait()), bytes.TrimSpace(said.Bytes()))
}

// handOver tells the caller of a process that stays, and returns when it has
// been heard: the caller answers with an empty line. One that has gone closes
// stdin instead.
func handOver(in *bufio.Reader, stdout io.Writer, ready json.RawMessage) error {
	if err := WriteFrame(stdout, FrameKept, ready); err != nil {
		return err
	}
	if _, err := in.ReadByte(); err != nil {
		return fmt.Errorf("handing over a process that stays: %w", errCallerGone)
	}
	return nil
}

func roleOf(command string, args []string) (string, error) {
	role, args := shift(args)
	if err := parseFlags("stream "+command, args, func(*flag.FlagSet) {}); err != nil {
		return "", err
	}
	if role != "send" && role != "receive" {
		return "", &usageError{"stream " + command + " does not know " + strconv.Quote(role), "give send or receive"}
	}
	return role, nil
}

// keptCommand is the process that stays. It serves one order per connection to
// a socket that has a name and no file, and belongs to the network namespace.
func keptCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	role, err := roleOf("kept", args)
	if err != nil {
		return err
	}
	var spec KeptSpec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, spec.Life)
	defer cancel()
	end, ready, err := openKept(ctx, role, spec.End)
	if err != nil {
		return err
	}
	ready.Name = fmt.Sprintf("cnibench-stream-%s-%x", role, rand.Uint64())
	listener, err := net.Listen("unix", "@"+ready.Name)
	if err != nil {
		return errors.Join(fmt.Errorf("listening for orders: %w", err), end.Close())
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() }) // ends Accept
	if err = WriteFrame(stdout, FrameKept, ready); err == nil {
		err = serveKept(ctx, listener, end)
	}
	cancel()
	return errors.Join(err, end.Close())
}

// serveKept answers orders, several at once, until one says quit.
func serveKept(ctx context.Context, listener net.Listener, end keptEnd) error {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for an order: %w", err)
		}
		go func() {
			defer func() { _ = conn.Close() }() // whoever asked has gone, or has his answer
			var order KeptOrder
			err := ReadSpec(bufio.NewReader(conn), &order)
			if err == nil && order.Quit {
				_ = WriteFrame(conn, FrameEnded, struct{}{})
				_ = listener.Close() // ends Accept
				return
			}
			if err == nil {
				err = end.Serve(ctx, order, conn)
			}
			if err != nil {
				_ = WriteFrame(conn, FrameFailed, LoadReport{Reason: err.Error()})
			}
		}()
	}
}

// tellCommand gives one order to a process that stays.
func tellCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	name, args := shift(args)
	if err := parseFlags("stream tell", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var order json.RawMessage
	if err := ReadSpec(bufio.NewReader(stdin), &order); err != nil {
		return err
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", "@"+name)
	if err != nil {
		return fmt.Errorf("looking for %s: %w", name, err)
	}
	defer func() { _ = conn.Close() }() // the answer is all that is wanted
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	if _, err := conn.Write(append(order, '\n')); err != nil {
		return fmt.Errorf("telling %s: %w", name, err)
	}
	if _, err := io.Copy(stdout, conn); err != nil {
		return fmt.Errorf("waiting for the answer of %s: %w", name, err)
	}
	return nil
}
