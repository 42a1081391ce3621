package pace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// receive answers the datagrams that have come.
func (s *server) receive() error {
	for {
		n, from, err := unix.Recvfrom(s.fd, s.buf, 0)
		switch {
		case blocked(err):
			return nil
		case errors.Is(err, unix.ECONNREFUSED):
			continue // a client that has gone
		case err != nil:
			return fmt.Errorf("receiving: %w", err)
		case n != s.spec.RequestBytes || from == nil:
			continue // somebody else's
		}
		s.took()
		if s.spec.Delay == 0 {
			s.sendTo(from, s.buf[:MinDatagram])
			continue
		}
		d := delayed{due: s.now() + s.spec.Delay, from: from}
		copy(d.number[:], s.buf)
		s.delayed.push(d)
	}
}

// sendTo sends an answer. One that the kernel does not take is lost, and the
// client notices.
func (s *server) sendTo(to unix.Sockaddr, number []byte) {
	copy(s.answer, number)
	_ = unix.Sendto(s.fd, s.answer, 0, to)
}
