package stream

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is struct mmsghdr of recvmmsg(2) and sendmmsg(2).
type message struct {
	header unix.Msghdr
	length uint32 // bytes received or sent
}

// batch is messages with a buffer each for one system call.
type batch struct {
	messages []message
	vectors  []unix.Iovec
	buffers  [][]byte
	stamps   [][]byte // control messages; nil: not wanted
}

// stampRoom is enough for the one control message that we ask for.
var stampRoom = unix.CmsgSpace(int(unsafe.Sizeof(unix.Timespec{})))

// wantStamps makes room for when messages arrived.
func (b *batch) wantStamps() {
	b.stamps = make([][]byte, len(b.messages))
	for i := range b.stamps {
		b.stamps[i] = make([]byte, stampRoom)
		b.messages[i].header.Control = &b.stamps[i][0]
	}
}

// age returns how long ago message i arrived, at a time that has both clocks;
// 0 if its socket does not say.
func (b *batch) age(i int, now time.Time) time.Duration {
	room := b.stamps[i][:b.messages[i].header.Controllen]
	messages, err := unix.ParseSocketControlMessage(room)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		if m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			stamp := (*unix.Timespec)(unsafe.Pointer(&m.Data[0]))
			return max(0, time.Duration(now.UnixNano()-stamp.Nano()))
		}
	}
	return 0
}

func newBatch(count, size int) *batch {
	b := &batch{messages: make([]message, count), vectors: make([]unix.Iovec, count), buffers: make([][]byte, count)}
	for i := range b.messages {
		b.buffers[i] = make([]byte, size)
		b.vectors[i].Base = &b.buffers[i][0]
		b.vectors[i].SetLen(size)
		b.messages[i].header.Iov = &b.vectors[i]
		b.messages[i].header.SetIovlen(1)
	}
	return b
}

// send sends the first n messages and returns how many the kernel took, or an
// error when it took none.
func (b *batch) send(fd, n int) (int, error) {
	sent, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&b.messages[0])), uintptr(n), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sent), nil
}

// receive waits for a datagram and takes those that wait behind it, too.
// Datagrams longer than a buffer are cut.
func (b *batch) receive(fd int) (int, error) {
	for i := range b.stamps {
		b.messages[i].header.SetControllen(stampRoom)
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&b.messages[0])), uintptr(len(b.messages)), unix.MSG_WAITFORONE, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// received returns what message i got.
func (b *batch) received(i int) []byte {
	return b.buffers[i][:min(int(b.messages[i].length), len(b.buffers[i]))]
}
