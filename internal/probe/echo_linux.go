package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Echo sends back whatever arrives on port over TCP and UDP until ctx ends. It
// writes a ready frame when it serves; port 0 takes a free one. Datagrams are
// answered with the don't-fragment bit, or not at all where they do not fit. One
// that asks for an answer of another size gets that.
func Echo(ctx context.Context, port int, frames io.Writer) error {
	// UDP first: whoever sees the TCP port listening may use both.
	config := net.ListenConfig{Control: forbidFragments}
	udp, err := config.ListenPacket(ctx, "udp", ":"+strconv.Itoa(port))
	if err != nil {
		return fmt.Errorf("listening on UDP port %d: %w", port, err)
	}
	if addr, ok := udp.LocalAddr().(*net.UDPAddr); ok {
		port = addr.Port
	}
	tcp, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return errors.Join(fmt.Errorf("listening on TCP port %d: %w", port, err), udp.Close())
	}
	ended := context.AfterFunc(ctx, func() {
		_ = udp.Close() // ends the loops below
		_ = tcp.Close()
	})
	defer ended()
	if err := WriteFrame(frames, FrameReady, EchoReady{Port: port}); err != nil {
		return errors.Join(err, udp.Close(), tcp.Close())
	}
	failed := make(chan error, 2)
	go func() { failed <- echoDatagrams(udp) }()
	go func() { failed <- echoStreams(tcp) }()
	err = <-failed
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(err, udp.Close(), tcp.Close())
}

func echoDatagrams(udp net.PacketConn) error {
	buf, sized := make([]byte, maxDatagram), make([]byte, maxDatagram)
	for {
		n, from, err := udp.ReadFrom(buf)
		if err != nil {
			return fmt.Errorf("receiving datagrams: %w", err)
		}
		// An answer that cannot be sent is an answer that does not come.
		_, _ = udp.WriteTo(answerTo(buf[:n], sized), from)
	}
}

func echoStreams(tcp net.Listener) error {
	for {
		conn, err := tcp.Accept()
		if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ECONNABORTED) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			return fmt.Errorf("accepting connections: %w", err)
		}
		go func() {
			_, _ = io.Copy(conn, conn) // the peer notices whatever goes wrong
			_ = conn.Close()
		}()
	}
}

// forbidFragments sets the don't-fragment bit on every packet of a socket and
// makes the kernel ignore the path MTU it may have cached (ip(7),
// IP_PMTUDISC_PROBE). A socket for IPv6 also serves IPv4, so it gets both.
func forbidFragments(network, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
		if failed == nil && network == "udp6" {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE)
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("setting the don't-fragment bit: %w", err)
	}
	return nil
}
