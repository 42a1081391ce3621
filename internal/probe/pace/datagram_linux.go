package pace

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// datagrams is the wire of UDPRR and DNS: connected sockets, so that the kernel
// drops what comes from elsewhere.
type datagrams struct {
	sockets
	list  []int // by slot
	codec codec
}

func openDatagrams(spec Spec, to address, common sockets, c codec) (*datagrams, error) {
	d := &datagrams{sockets: common, codec: c}
	for range spec.Connections {
		fd, err := newSocket(to.family, unix.SOCK_DGRAM)
		if err != nil {
			d.end()
			return nil, err
		}
		d.list = append(d.list, fd)
		err = unix.Connect(fd, to.sock)
		if err == nil {
			err = d.watch(fd, unix.EPOLLIN)
		}
		if err != nil {
			d.end()
			return nil, fmt.Errorf("a socket to %s: %w", common.target, err)
		}
	}
	return d, nil
}

func (d *datagrams) end() {
	for _, fd := range d.list {
		closeSocket(fd)
	}
}

// send sends the datagram of request n. One that the kernel does not take is
// lost like one that the network drops: its request times out.
func (d *datagrams) send(n uint64, slot int) error {
	datagram, err := d.codec.request(n)
	if err != nil {
		return err
	}
	for range 2 {
		at := d.now()
		_, err = unix.Write(d.list[slot], datagram)
		if errors.Is(err, unix.ECONNREFUSED) {
			// What became of an earlier one; this one was not sent.
			d.sink.refused()
			continue
		}
		if err == nil {
			d.sink.sent(n, at)
		}
		break
	}
	switch {
	case err == nil, blocked(err), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.ECONNREFUSED), errors.Is(err, unix.EPERM):
		return nil
	}
	return fmt.Errorf("sending to %s: %w", d.target, err)
}

// abandon does nothing: what still comes is recognised.
func (d *datagrams) abandon(uint64) {}

func (d *datagrams) wait(until time.Duration) error { return d.poll(until, d.read) }

func (d *datagrams) read(fd int) error {
	for {
		size, err := unix.Read(fd, d.buf)
		switch {
		case blocked(err):
			return nil
		case errors.Is(err, unix.ECONNREFUSED):
			d.sink.refused()
			continue
		case err != nil:
			return fmt.Errorf("receiving from %s: %w", d.target, err)
		}
		d.take(d.buf[:size], d.now())
	}
}

func (d *datagrams) take(datagram []byte, at time.Duration) {
	n, says, expected, err := d.codec.answer(datagram)
	if err != nil {
		d.sink.stray()
		return
	}
	if says != "" {
		d.sink.said(n, says)
	}
	if expected {
		d.sink.answered(n, at)
	} else {
		d.sink.failed(n, says)
	}
}
