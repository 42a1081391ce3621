package capture

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// roomBytes for packets that wait in the kernel: bursts of a fast link
	// last longer than a scheduler's slice.
	roomBytes = 32 << 20
	// frameBytes is more than the largest packet that Linux hands from layer
	// to layer, BIG TCP's aside.
	frameBytes = 256 << 10
	// lookInterval is how soon the end of the capture is noticed.
	lookInterval = 20 * time.Millisecond
)

// Run watches the link that has spec's address until ctx ends or the time is
// up. It calls ready when nothing that passes from then on will be missed.
func Run(ctx context.Context, spec Spec, ready func(Ready) error) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, err
	}
	link, err := findUplink(spec.Address)
	if err != nil {
		return Report{}, err
	}
	fd, err := listen(link.index)
	if err != nil {
		return Report{}, fmt.Errorf("capturing on %s: %w", link.name, err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing is buffered in it
	if err := ready(Ready{Interface: link.name}); err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	tally := NewTally(spec)
	if err := drain(ctx, fd, tally); err != nil {
		return Report{}, fmt.Errorf("capturing on %s: %w", link.name, err)
	}
	report := tally.Report()
	report.Interface, report.Prefix = link.name, link.prefix
	stats, err := unix.GetsockoptTpacketStats(fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return Report{}, fmt.Errorf("reading what the capture on %s lost: %w", link.name, err)
	}
	report.Dropped = int64(stats.Drops)
	return report, nil
}

// listen opens a packet socket for every protocol of one interface (packet(7)).
// It is bound in a second step, so that it never gets another interface's
// frames.
func listen(index int) (int, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("opening a packet socket: %w", os.NewSyscallError("socket", err))
	}
	// Without CAP_NET_ADMIN the room is what everybody gets; losses are counted.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, roomBytes) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, roomBytes)
	}
	wait := unix.NsecToTimeval(lookInterval.Nanoseconds())
	err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: index})
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

func networkOrder(n uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, n))
}

// drain counts frames until ctx has ended and no frame is left.
func drain(ctx context.Context, fd int, tally *Tally) error {
	buf := make([]byte, frameBytes)
	// What passes after the end is not waited for: the link may be busy.
	var end time.Time
	for end.IsZero() || time.Now().Before(end) {
		n, from, err := unix.Recvfrom(fd, buf, unix.MSG_TRUNC)
		if end.IsZero() && ctx.Err() != nil {
			end = time.Now().Add(lookInterval)
		}
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			if !end.IsZero() {
				return nil
			}
			continue
		case err != nil:
			return os.NewSyscallError("recvfrom", err)
		}
		frame := Frame{Data: buf[:min(n, len(buf))], Length: n}
		if link, ok := from.(*unix.SockaddrLinklayer); ok {
			frame.Ethernet = link.Hatype == unix.ARPHRD_ETHER || link.Hatype == unix.ARPHRD_LOOPBACK
			frame.Leaving = link.Pkttype == unix.PACKET_OUTGOING
		}
		tally.Add(frame)
	}
	return nil
}
