package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Listen echoes on all ports of spec until ctx ends, and writes a ready frame
// when it serves them.
func Listen(ctx context.Context, spec ListenSpec, frames io.Writer) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	served := &listeners{failed: make(chan error, 1)}
	defer served.close()
	for _, port := range spec.TCP {
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			return fmt.Errorf("listening on TCP port %d: %w", port, err)
		}
		served.streams(l)
	}
	for _, port := range spec.UDP {
		l, err := net.ListenPacket("udp", ":"+strconv.Itoa(port))
		if err != nil {
			return fmt.Errorf("listening on UDP port %d: %w", port, err)
		}
		served.datagrams(l)
	}
	var ready ListenReady
	for _, port := range spec.SCTP {
		l, err := listenSCTP(port)
		if errors.Is(err, unix.EPROTONOSUPPORT) {
			ready.NoSCTP = fmt.Sprintf("the kernel has no SCTP: %v", err)
			break
		}
		if err != nil {
			return fmt.Errorf("listening on SCTP port %d: %w", port, err)
		}
		served.streams(l)
	}
	if err := WriteFrame(frames, FrameReady, ready); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-served.failed:
		return err
	}
}

// listeners are the open ports.
type listeners struct {
	open   []io.Closer
	failed chan error // the first failure
}

func (l *listeners) streams(from net.Listener) {
	l.open = append(l.open, from)
	go l.note(func() error { return echoStreams(from) })
}

func (l *listeners) datagrams(from net.PacketConn) {
	l.open = append(l.open, from)
	go l.note(func() error { return echoDatagrams(from) })
}

func (l *listeners) note(serve func() error) {
	err := serve()
	select {
	case l.failed <- err:
	default: // one is enough
	}
}

func (l *listeners) close() {
	for _, one := range l.open {
		_ = one.Close() // ends its loop
	}
}

// listenSCTP makes a one-to-one style socket (RFC 6458, section 4), which
// behaves like one of TCP.
func listenSCTP(port int) (net.Listener, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_SCTP)
	if err != nil {
		return nil, err
	}
	socket := os.NewFile(uintptr(fd), "sctp")
	defer func() { _ = socket.Close() }() // the listener has a copy of it
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port}); err != nil {
		return nil, err
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return nil, err
	}
	return net.FileListener(socket)
}
