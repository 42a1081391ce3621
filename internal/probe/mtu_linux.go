package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// FindPathMTU searches the largest IP packet that reaches the echo server of p
// and comes back, both ways with the don't-fragment bit; or one way alone. It is an error when
// not even p.Min does.
func FindPathMTU(ctx context.Context, p MTUProbe) (PathMTU, error) {
	if err := p.Validate(); err != nil {
		return PathMTU{}, err
	}
	target := net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
	addr, err := net.ResolveUDPAddr("udp", target)
	if err != nil {
		return PathMTU{}, fmt.Errorf("resolving %s: %w", target, err)
	}
	// First, because a search makes the kernel learn.
	route, device, err := routeMTU(ctx, addr)
	if err != nil {
		return PathMTU{}, err
	}
	size, found, err := largestPassing(p.Min, p.Max, func(size int) (bool, error) {
		return packetPasses(ctx, addr, size, p)
	})
	if err != nil {
		return PathMTU{}, fmt.Errorf("searching the path MTU to %s: %w", target, err)
	}
	if !found {
		return PathMTU{}, fmt.Errorf("searching the path MTU to %s: not even packets of %d bytes came back", target, p.Min)
	}
	return PathMTU{
		Target: target, Address: addr.IP.String(), Bytes: size, AtLimit: size == p.Max,
		Route: route, Device: device.MTU, Interface: device.Name,
	}, nil
}

// packetPasses reports whether an IP packet of size bytes comes back.
func packetPasses(ctx context.Context, addr *net.UDPAddr, size int, p MTUProbe) (bool, error) {
	header := headerBytes6
	if addr.IP.To4() != nil {
		header = headerBytes4
	}
	datagram, answer, err := question(p.Way, size-header)
	if err != nil {
		return false, err
	}
	for range p.Tries {
		passed, err := echoDatagram(ctx, addr, datagram, answer, p.Wait)
		if passed || err != nil {
			return passed, err
		}
	}
	return false, nil
}

// echoDatagram sends one datagram and reports whether its answer came. Each has a
// socket of its own: an ICMP error about an earlier one would be reported for
// the next.
func echoDatagram(ctx context.Context, addr *net.UDPAddr, datagram, want []byte, wait time.Duration) (bool, error) {
	dialer := net.Dialer{Control: forbidFragments}
	conn, err := dialer.DialContext(ctx, "udp", addr.String())
	if err != nil {
		return false, fmt.Errorf("opening a socket: %w", err)
	}
	defer func() { _ = conn.Close() }() // nothing is buffered in it
	if err := conn.SetDeadline(time.Now().Add(wait)); err != nil {
		return false, fmt.Errorf("setting the deadline: %w", err)
	}
	if _, err := conn.Write(datagram); err != nil {
		return false, lossOrError(err)
	}
	answer := make([]byte, maxDatagram)
	for {
		n, err := conn.Read(answer)
		if err != nil {
			return false, lossOrError(err)
		}
		if bytes.Equal(answer[:n], want) {
			return true, nil
		}
	}
}

// lossOrError returns nil for what a packet that is too large causes: the
// kernel's or a router's "message too long", or silence.
func lossOrError(err error) error {
	if errors.Is(err, unix.EMSGSIZE) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}
