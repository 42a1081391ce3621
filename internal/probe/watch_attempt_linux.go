package probe

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
	"golang.org/x/sys/unix"
)

// beginAttempt sends the first packet of an attempt and returns what waits for
// its outcome.
func beginAttempt(t WatchTarget, deadline time.Time) (wait func() error, err error) {
	address, err := netip.ParseAddrPort(t.Address)
	if err != nil {
		return nil, err
	}
	switch t.Network {
	case NetworkUDP:
		return beginDatagram(address, deadline)
	case NetworkSCTP:
		return beginConnect(address, unix.IPPROTO_SCTP, deadline, nothingMore)
	case NetworkHTTP:
		return beginConnect(address, unix.IPPROTO_TCP, deadline, func(socket *os.File) error { return request(socket, t, deadline) })
	}
	return beginConnect(address, unix.IPPROTO_TCP, deadline, nothingMore)
}

// nothingMore is what happens on a connection that only has to stand.
func nothingMore(*os.File) error { return nil }

// beginConnect starts the handshake of a connection that is reset as soon as
// it stood and was used: thousands of attempts are not to leave sockets in
// TIME_WAIT.
func beginConnect(address netip.AddrPort, protocol int, deadline time.Time, use func(*os.File) error) (func() error, error) {
	family, to := socketAddress(address)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	err = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	if err == nil {
		err = unix.Connect(fd, to)
	}
	if err == unix.EINPROGRESS {
		err = nil
	}
	if err != nil {
		_ = unix.Close(fd) // the error is the outcome
		return nil, fmt.Errorf("connecting: %w", err)
	}
	socket := os.NewFile(uintptr(fd), address.String())
	return func() error {
		defer func() { _ = socket.Close() }() // the outcome is known by then
		if err := awaitConnected(socket, deadline); err != nil {
			return err
		}
		return use(socket)
	}, nil
}

// request asks for a target's path and reads the status (RFC 9112, section 4).
func request(socket *os.File, t WatchTarget, deadline time.Time) error {
	if err := socket.SetDeadline(deadline); err != nil {
		return fmt.Errorf("setting the deadline: %w", err)
	}
	if _, err := fmt.Fprintf(socket, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", t.Path, t.Address); err != nil {
		return fmt.Errorf("sending a request: %w", err)
	}
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(socket, status); err != nil {
		return fmt.Errorf("waiting for the status: %w", err)
	}
	if string(status[len("HTTP/1.1 "):]) != "200" {
		return fmt.Errorf("%w: %s", errStatus, procfs.Quote(string(status)))
	}
	return nil
}

// awaitConnected waits until a handshake is over.
func awaitConnected(socket *os.File, deadline time.Time) error {
	if err := socket.SetWriteDeadline(deadline); err != nil {
		return fmt.Errorf("setting the deadline: %w", err)
	}
	conn, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Write(func(fd uintptr) bool {
		code, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
		switch {
		case err != nil:
			failed = err
		case code != 0:
			failed = unix.Errno(code)
		default:
			_, err := unix.Getpeername(int(fd))
			return err == nil // it has no peer yet: wait until it can be written to
		}
		return true
	})
	if failed != nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	return nil
}

func socketAddress(address netip.AddrPort) (family int, to unix.Sockaddr) {
	if ip := address.Addr().Unmap(); ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(address.Port()), Addr: ip.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(address.Port()), Addr: address.Addr().As16()}
}

// beginDatagram sends a nonce, which is to come back.
func beginDatagram(address netip.AddrPort, deadline time.Time) (func() error, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(address))
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	nonce := rand.Text()
	if _, err := io.WriteString(conn, nonce); err != nil {
		_ = conn.Close() // the error is the outcome
		return nil, fmt.Errorf("sending: %w", err)
	}
	return func() error {
		defer func() { _ = conn.Close() }() // the outcome is known by then
		if err := conn.SetReadDeadline(deadline); err != nil {
			return fmt.Errorf("setting the deadline: %w", err)
		}
		answer := make([]byte, len(nonce)+1)
		n, err := conn.Read(answer)
		if err != nil {
			return fmt.Errorf("waiting for the echo: %w", err)
		}
		if string(answer[:n]) != nonce {
			return fmt.Errorf("%w: %s", errNoEcho, procfs.Quote(string(answer[:n])))
		}
		return nil
	}, nil
}
