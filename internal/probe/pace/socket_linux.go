package pace

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// receiveBuffer is what a socket for datagrams asks for in bytes, so that a
// pause of the program loses nothing; the kernel may give less
// (net.core.rmem_max).
const receiveBuffer = 4 << 20

// resolve returns the first address of HOST:PORT.
func resolve(ctx context.Context, target string) (netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(target)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %q: %w", target, err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}, fmt.Errorf("target %q: there is no port %q", target, portText)
	}
	ctx, cancel := context.WithTimeout(ctx, primeLimit)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("looking up %s: %w", host, err)
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), uint16(port)), nil
}

// address is a socket address as the kernel takes it.
type address struct {
	family int
	sock   unix.Sockaddr
}

func newAddress(a netip.AddrPort) address {
	if a.Addr().Is4() {
		return address{unix.AF_INET, &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}}
	}
	return address{unix.AF_INET6, &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}}
}

// at is another port of the same host.
func (a address) at(port int) address {
	switch sock := a.sock.(type) {
	case *unix.SockaddrInet4:
		return address{a.family, &unix.SockaddrInet4{Port: port, Addr: sock.Addr}}
	case *unix.SockaddrInet6:
		return address{a.family, &unix.SockaddrInet6{Port: port, ZoneId: sock.ZoneId, Addr: sock.Addr}}
	}
	return a
}

// newSocket returns a socket that does not block: SOCK_STREAM, sending at once
// (no Nagle), or SOCK_DGRAM.
func newSocket(family, kind int) (int, error) {
	fd, err := unix.Socket(family, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("creating a socket: %w", err)
	}
	if kind == unix.SOCK_STREAM {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	} else {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	}
	if err != nil {
		closeSocket(fd)
		return -1, fmt.Errorf("setting up a socket: %w", err)
	}
	return fd, nil
}

// closeSocket ends a socket. What matters of its data has been read or written
// by then.
func closeSocket(fd int) { _ = unix.Close(fd) }

// connectError returns what became of a connect that did not block: nil when
// the connection stands.
func connectError(fd int) error {
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if code != 0 {
		return unix.Errno(code)
	}
	return nil
}

// dialAgain is when a refused connection is tried again, before the clock
// starts.
const dialAgain = 50 * time.Millisecond

// dial connects a stream, and tries again while nobody listens.
func dial(ctx context.Context, to address, name string) (int, error) {
	deadline := time.Now().Add(primeLimit)
	for {
		fd, err := dialOnce(ctx, to, deadline)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, unix.ECONNREFUSED) || time.Now().After(deadline) {
			return -1, fmt.Errorf("connecting to %s: %w", name, err)
		}
		select {
		case <-ctx.Done():
			return -1, context.Cause(ctx)
		case <-time.After(dialAgain):
		}
	}
}

func dialOnce(ctx context.Context, to address, deadline time.Time) (int, error) {
	fd, err := newSocket(to.family, unix.SOCK_STREAM)
	if err != nil {
		return -1, err
	}
	err = unix.Connect(fd, to.sock)
	for errors.Is(err, unix.EINPROGRESS) || errors.Is(err, unix.EINTR) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
			break
		}
		if time.Now().After(deadline) {
			err = unix.ETIMEDOUT
			break
		}
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		if n, failed := unix.Poll(poll, 100); failed == nil && n > 0 {
			err = connectError(fd)
			break
		}
	}
	if err != nil {
		closeSocket(fd)
		return -1, err
	}
	return fd, nil
}

// congestionControl returns the algorithm of a TCP socket, empty if it does not
// say.
func congestionControl(fd int) string {
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return ""
	}
	return name
}
