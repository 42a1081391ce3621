package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
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

// refusedWords bounds what is kept of a proxy's words, in bytes, and
// refusedTimeout the wait for them.
const (
	refusedWords   = 512
	refusedTimeout = time.Second
)

// refusal is why the latest connection was not made; empty once one was.
type refusal struct {
	mu   sync.Mutex
	text string
}

func (r *refusal) note(port int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = ""
	if err != nil {
		r.text = fmt.Sprintf("port %d: %v", port, err)
	}
}

func (r *refusal) ended() ForwardEnded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ForwardEnded{Refused: r.text}
}

// Forward serves spec until ctx ends. It writes a ready frame when it listens,
// and one of its end.
func Forward(ctx context.Context, spec ForwardSpec, frames io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	ready := ForwardReady{Ports: map[int]int{}}
	failed := make(chan error, len(spec.Ports))
	var refused refusal
	for _, port := range spec.Ports {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("listening for port %d: %w", port, err)
		}
		defer func() { _ = l.Close() }() // ends the loop below
		ready.Ports[port] = l.Addr().(*net.TCPAddr).Port
		go func() { failed <- forwardPort(ctx, l, spec, port, &refused) }()
	}
	if err := WriteFrame(frames, FrameReady, ready); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case err := <-failed:
		if ctx.Err() == nil {
			return err
		}
	}
	return WriteFrame(frames, FrameForwarded, refused.ended())
}

func forwardPort(ctx context.Context, l net.Listener, spec ForwardSpec, port int, refused *refusal) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return fmt.Errorf("accepting connections: %w", err)
		}
		go func() {
			// Whoever connected notices that there is nobody.
			defer func() { _ = conn.Close() }()
			through, err := connectThrough(ctx, spec, port)
			refused.note(port, err)
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
		if words := wordsAfter(head.String(), conn); words != "" {
			return fmt.Errorf("%w: %s", err, words)
		}
		return err
	}
	return conn.SetDeadline(time.Time{})
}

// wordsAfter is what a proxy says after the head of a refusal, as far as it
// comes soon.
func wordsAfter(head string, conn net.Conn) string {
	if err := conn.SetReadDeadline(time.Now().Add(refusedTimeout)); err != nil {
		return ""
	}
	all := bufio.NewReader(io.MultiReader(strings.NewReader(head), conn))
	answer, err := http.ReadResponse(all, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return ""
	}
	words, _ := io.ReadAll(io.LimitReader(answer.Body, refusedWords)) // half of them are better than none
	return strings.Join(strings.Fields(string(words)), " ")
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
