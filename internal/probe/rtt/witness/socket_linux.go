package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// keep is enough for the headers of a segment in a tunnel.
	keep      = 256
	roomBytes = 64 << 20
)

// Socket watches a device until it is closed.
type Socket struct {
	fd      int
	packets []Packet // complete when it has ended
	ended   chan error
	stop    func()
}

// Watch opens a packet socket on a device of the calling thread's network
// namespace.
func Watch(device string) (*Socket, error) {
	i, err := net.InterfaceByName(device)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening a packet socket: %w", err)
	}
	// A filter that takes every packet's beginning: fewer bytes wait.
	cut := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: keep}}
	all := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, roomBytes),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &cut[0]}),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: i.Index}),
	)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	stop := make(chan struct{})
	s := &Socket{fd: fd, ended: make(chan error, 1), stop: func() { close(stop) }}
	go func() { s.ended <- s.read(stop) }()
	return s, nil
}

// Packets ends it and returns what passed. Packets that the socket lost are an
// error.
func (s *Socket) Packets() ([]Packet, error) {
	s.stop()
	err := <-s.ended
	stats, lost := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err = errors.Join(err, lost, unix.Close(s.fd)); err != nil {
		return nil, err
	}
	if stats.Drops > 0 {
		return nil, fmt.Errorf("the packet socket lost %d of %d packets", stats.Drops, stats.Packets)
	}
	return s.packets, nil
}

// pause is how long packets wait in the socket. A reader that waited for them
// would be woken by each, between its timestamp and the programs: the witness
// would change what it is to see.
const pause = 20 * time.Millisecond

// read returns when it was told to stop and no packet is left.
func (s *Socket) read(stop <-chan struct{}) error {
	buf, control := make([]byte, keep), make([]byte, 256)
	for {
		n, oobn, _, from, err := unix.Recvmsg(s.fd, buf, control, unix.MSG_TRUNC|unix.MSG_DONTWAIT)
		if errors.Is(err, unix.EAGAIN) {
			select {
			case <-stop:
				return nil
			case <-time.After(pause):
				continue
			}
		}
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("recvmsg", err)
		}
		link, ok := from.(*unix.SockaddrLinklayer)
		if !ok {
			return fmt.Errorf("a packet came from %T", from)
		}
		at, err := stamp(control[:oobn])
		if err != nil {
			return err
		}
		s.packets = append(s.packets, Packet{at, link.Pkttype == unix.PACKET_OUTGOING, append([]byte{}, buf[:min(n, keep)]...), n})
	}
}

func stamp(control []byte) (time.Time, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			t := (*unix.Timespec)(unsafe.Pointer(&m.Data[0]))
			return time.Unix(t.Unix()), nil
		}
	}
	return time.Time{}, errors.Join(err, errors.New("a packet has no timestamp"))
}

// prequeue says whether packets are stamped before they wait for the softirq
// that hands them to programs and sockets.
const prequeue = "/proc/sys/net/core/netdev_tstamp_prequeue"

// StampAtHandover makes the machine stamp packets when they are handed over, as
// the programs do, until it is undone: the wait before is no part of what the
// two can agree about.
func StampAtHandover() (undo func() error, err error) {
	before, err := os.ReadFile(prequeue)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(prequeue, []byte("0"), 0o644); err != nil {
		return nil, err
	}
	return func() error { return os.WriteFile(prequeue, before, 0o644) }, nil
}
