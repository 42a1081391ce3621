package rtt

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// talk sends one request of rtnetlink(7) and returns the kernel's answer.
func talk(kind, flags uint16, parts ...[]byte) error {
	_, err := exchange(kind, flags|unix.NLM_F_ACK, 0, join(parts...))
	return err
}

// count returns how many messages of a kind a listing has.
func count(kind, counted uint16, payload []byte) (int, error) {
	return exchange(kind, unix.NLM_F_DUMP, counted, payload)
}

// exchange sends a request and reads until the kernel acknowledges it or has
// listed all, counting messages of a kind.
func exchange(kind, flags, counted uint16, payload []byte) (n int, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return 0, fmt.Errorf("opening a netlink socket: %w", err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing is buffered in it
	native := binary.NativeEndian
	m := native.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(payload)))
	m = native.AppendUint16(m, kind)
	m = native.AppendUint16(m, flags|unix.NLM_F_REQUEST)
	m = append(append(m, make([]byte, 8)...), payload...) // sequence and sender: the only one
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, fmt.Errorf("sending to the kernel: %w", err)
	}
	answer := make([]byte, 64<<10)
	for {
		size, _, err := unix.Recvfrom(fd, answer, 0)
		if err != nil {
			return n, fmt.Errorf("waiting for the kernel: %w", err)
		}
		more, done, err := messages(answer[:size], counted)
		n += more
		if done || err != nil {
			return n, err
		}
	}
}

// messages counts those of a kind in a datagram. done tells that it ends the
// answer.
func messages(b []byte, counted uint16) (n int, done bool, err error) {
	native := binary.NativeEndian
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(native.Uint32(b))
		if size < unix.NLMSG_HDRLEN || size > len(b) {
			return n, true, fmt.Errorf("the kernel sent a message of %d bytes in %d", size, len(b))
		}
		switch kind := native.Uint16(b[4:]); {
		case kind == unix.NLMSG_ERROR && size >= unix.NLMSG_HDRLEN+4:
			if errno := -int32(native.Uint32(b[unix.NLMSG_HDRLEN:])); errno != 0 {
				return n, true, unix.Errno(errno)
			}
			return n, true, nil
		case kind == unix.NLMSG_DONE:
			return n, true, nil
		case kind == counted:
			n++
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return n, false, nil
}

func attribute(kind uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func text(s string) []byte { return append([]byte(s), 0) }
func word(n uint32) []byte { return binary.NativeEndian.AppendUint32(nil, n) }
