package kernel

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// native is the byte order of netlink headers; attributes that are written
// with be are in network order.
var native = binary.NativeEndian

// message is a netlink message without its sequence number.
type message struct {
	kind, flags uint16
	payload     []byte
}

// netlinkTimeout bounds the wait for the kernel's answer, which may load a
// module first.
const netlinkTimeout = 30 // seconds

// talk sends messages in one datagram and waits for as many acknowledgements as
// they ask for. The first error of the kernel ends it; other answers are read
// and forgotten.
func talk(protocol int, messages ...message) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return fmt.Errorf("opening a netlink socket: %w", err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing was buffered
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: netlinkTimeout}); err != nil {
		return fmt.Errorf("preparing a netlink socket: %w", err)
	}
	// Without these the kernel answers with a number only; it is enough.
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_EXT_ACK, 1)
	var out []byte
	waiting := 0
	for i, m := range messages {
		out = append(out, m.encode(uint32(i+1))...)
		if m.flags&unix.NLM_F_ACK != 0 {
			waiting++
		}
	}
	if err := unix.Sendto(fd, out, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("sending to the kernel: %w", err)
	}
	in := make([]byte, 64<<10)
	for waiting > 0 {
		n, _, err := unix.Recvfrom(fd, in, 0)
		if err != nil {
			return fmt.Errorf("waiting for the kernel: %w", err)
		}
		acks, err := countAcks(in[:n])
		if err != nil {
			return err
		}
		waiting -= acks
	}
	return nil
}

func (m message) encode(sequence uint32) []byte {
	b := make([]byte, unix.NLMSG_HDRLEN, unix.NLMSG_HDRLEN+len(m.payload)+3)
	native.PutUint32(b[0:], uint32(unix.NLMSG_HDRLEN+len(m.payload)))
	native.PutUint16(b[4:], m.kind)
	native.PutUint16(b[6:], m.flags|unix.NLM_F_REQUEST)
	native.PutUint32(b[8:], sequence)
	return pad(append(b, m.payload...))
}

// countAcks counts the acknowledgements in a datagram, or returns the kernel's
// error in it.
func countAcks(b []byte) (acks int, err error) {
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(native.Uint32(b))
		if size < unix.NLMSG_HDRLEN || size > len(b) {
			return 0, fmt.Errorf("the kernel sent a message of %d bytes in %d", size, len(b))
		}
		body := b[unix.NLMSG_HDRLEN:size]
		if native.Uint16(b[4:]) == unix.NLMSG_ERROR {
			if len(body) < 4 {
				return 0, fmt.Errorf("the kernel sent an error of %d bytes", len(body))
			}
			if errno := -int32(native.Uint32(body)); errno != 0 {
				return 0, &kernelError{unix.Errno(errno), explanation(b[6:8], body)}
			}
			acks++
		}
		b = b[min(align(size), len(b)):]
	}
	return acks, nil
}

// explanation finds the kernel's own words (NLMSGERR_ATTR_MSG) in an error.
func explanation(flags, body []byte) string {
	const fixed = 4 + unix.NLMSG_HDRLEN
	if native.Uint16(flags)&unix.NLM_F_ACK_TLVS == 0 || len(body) < fixed {
		return ""
	}
	for b := body[fixed:]; len(b) >= 4; {
		size := int(native.Uint16(b))
		if size < 4 || size > len(b) {
			break
		}
		if native.Uint16(b[2:]) == 1 && size > 5 {
			return string(b[4 : size-1]) // without the NUL
		}
		b = b[min(align(size), len(b)):]
	}
	return ""
}

// kernelError is a refusal with the kernel's own explanation, if it gave one.
type kernelError struct {
	errno unix.Errno
	words string
}

func (e *kernelError) Error() string {
	name := e.errno.Error()
	if e.errno >= 4096 { // ipset numbers its own errors so
		name = fmt.Sprintf("ipset error %d", e.errno)
	}
	if e.words != "" {
		return name + ": " + e.words
	}
	return name
}

func (e *kernelError) Unwrap() error { return e.errno }

func align(n int) int { return (n + 3) &^ 3 }

func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func attribute(kind uint16, value []byte) []byte {
	b := make([]byte, 4, 4+len(value)+3)
	native.PutUint16(b, uint16(4+len(value)))
	native.PutUint16(b[2:], kind)
	return pad(append(b, value...))
}

func nested(kind uint16, parts ...[]byte) []byte {
	return attribute(kind|unix.NLA_F_NESTED, join(parts...))
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func text(s string) []byte    { return append([]byte(s), 0) }
func word(n uint32) []byte    { return native.AppendUint32(nil, n) }
func beWord(n uint32) []byte  { return binary.BigEndian.AppendUint32(nil, n) }
func beShort(n uint16) []byte { return binary.BigEndian.AppendUint16(nil, n) }
