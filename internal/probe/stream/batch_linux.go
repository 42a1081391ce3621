package stream

import (
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
}

func newBatch(count, size int) *batch {
	b := &batch{make([]message, count), make([]unix.Iovec, count), make([][]byte, count)}
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
