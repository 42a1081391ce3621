package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
	"golang.org/x/sys/unix"
)

// ReachTCP connects to target (HOST:PORT), sends a nonce and expects it back,
// all within timeout. The result is complete either way.
func ReachTCP(ctx context.Context, target string, timeout time.Duration) Reach {
	result := Reach{Target: target}
	if err := reachTCP(ctx, &result, timeout); err != nil {
		result.Reason, result.Error = reachReason(err), err.Error()
		result.ConnectSeconds, result.EchoSeconds = 0, 0
		return result
	}
	result.Reached = true
	return result
}

func reachTCP(ctx context.Context, result *Reach, timeout time.Duration) error {
	start := time.Now()
	dialer := net.Dialer{Deadline: start.Add(timeout)}
	conn, err := dialer.DialContext(ctx, "tcp", result.Target)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close() }() // what counts has been read by then
	connected := time.Now()
	result.Local, result.Remote = conn.LocalAddr().String(), conn.RemoteAddr().String()
	result.MSS = segmentSize(conn)
	result.ConnectSeconds = connected.Sub(start).Seconds()
	if err := conn.SetDeadline(start.Add(timeout)); err != nil {
		return fmt.Errorf("setting the deadline: %w", err)
	}
	nonce := rand.Text()
	if _, err := io.WriteString(conn, nonce); err != nil {
		return fmt.Errorf("sending to %s: %w", result.Remote, err)
	}
	answer := make([]byte, len(nonce))
	if n, err := io.ReadFull(conn, answer); err != nil {
		return fmt.Errorf("%d of %d bytes came back from %s: %w", n, len(nonce), result.Remote, err)
	}
	if string(answer) != nonce {
		return fmt.Errorf("%s: %w: %s", result.Remote, errNoEcho, procfs.Quote(string(answer)))
	}
	result.EchoSeconds = time.Since(connected).Seconds()
	return nil
}

// segmentSize is a connection's TCP_MAXSEG, or 0 where the kernel does not say.
func segmentSize(conn net.Conn) (size int) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return 0
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0
	}
	var failed error
	err = raw.Control(func(fd uintptr) { size, failed = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG) })
	if errors.Join(err, failed) != nil {
		return 0
	}
	return size
}

var (
	errNoEcho = errors.New("what came back is not what was sent")
	errStatus = errors.New("the status is not 200")
)

func reachReason(err error) string {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return ReachTimeout
	case errors.Is(err, unix.ECONNREFUSED):
		return ReachRefused
	case errors.Is(err, unix.ECONNRESET), errors.Is(err, unix.EPIPE):
		return ReachReset
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH), errors.Is(err, unix.EACCES),
		errors.Is(err, unix.EPERM):
		return ReachUnreachable
	case errors.Is(err, errStatus):
		return ReachStatus
	case errors.Is(err, errNoEcho), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ReachEcho
	}
	return ReachOther
}
