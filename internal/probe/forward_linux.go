package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const (
	// maxConnectHead bounds the head of a proxy's answer, in bytes.
	maxConnectHead = 4 << 10
	// connectTimeout bounds how long a proxy may take to connect.
	connectTimeout = 10 * time.Second
	// closeLinger is how long the far end may take to end by itself once the
	// near one has: a proxy knows no half-closed connection, and may drop what
	// is under way when it is told of the end.
	closeLinger = time.Second
)

// Forward serves spec until ctx ends and writes a ready frame when it listens.
func Forward(ctx context.Context, spec ForwardSpec, frames io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	ready := ForwardReady{Ports: map[int]int{}}
	failed := make(chan error, len(spec.Ports))
	for _, port := range spec.Ports {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("listening for port %d: %w", port, err)
		}
		defer func() { _ = l.Close() }() // ends the loop below
		ready.Ports[port] = l.Addr().(*net.TCPAddr).Port
		go func() { failed <- forwardPort(ctx, l, spec, port) }()
	}
	if err := WriteFrame(frames, FrameReady, ready); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

func forwardPort(ctx context.Context, l net.Listener, spec ForwardSpec, port int) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accepting connections: %w", err)
		}
		go func() {
			// Whoever connected notices that there is nobody.
			defer func() { _ = conn.Close() }()
			through, err := connectThrough(ctx, spec, port)
			if err != nil {
				return
			}
			join(conn.(*net.TCPConn), through)
		}()
	}
}

// connectThrough asks the proxy for a connection.
func connectThrough(ctx context.Context, spec ForwardSpec, port int) (*net.UnixConn, error) {
	dialer := net.Dialer{Timeout: connectTimeout}
	conn, err := dialer.DialContext(ctx, "unix", spec.Proxy)
	if err != nil {
		return nil, fmt.Errorf("connecting to the proxy: %w", err)
	}
	if err := askProxy(conn, spec.Host, port); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn.(*net.UnixConn), nil
}

// askProxy reads no further than the answer's head: what follows belongs to
// the connection.
func askProxy(conn net.Conn, host string, port int) error {
	if err := conn.SetDeadline(time.Now().Add(connectTimeout)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, connectRequest(host, port)); err != nil {
		return fmt.Errorf("asking the proxy: %w", err)
	}
	var head strings.Builder
	one := make([]byte, 1)
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		if head.Len() >= maxConnectHead {
			return fmt.Errorf("the proxy's answer has a head of more than %d bytes", maxConnectHead)
		}
		if _, err := io.ReadFull(conn, one); err != nil {
			return fmt.Errorf("reading the proxy's answer: %w", err)
		}
		head.WriteByte(one[0])
	}
	if err := connectRefused(head.String()); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
}

// join copies both ways until both have ended. Copying between sockets is the
// kernel's work: splice(2), which io.Copy uses.
func join(near *net.TCPConn, far *net.UnixConn) {
	defer func() { _ = far.Close() }() // everything has been copied by then
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(near, far) // both ends see how it ended
		_ = near.CloseWrite()
	}()
	_, _ = io.Copy(far, near)
	select {
	case <-back: // the far end has ended by itself
	case <-time.After(closeLinger):
	}
	_ = far.CloseWrite()
	<-back
}
