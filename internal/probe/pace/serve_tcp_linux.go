package pace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// accept takes all connections that wait at a listener.
func (s *server) accept(at int) error {
	for {
		fd, _, err := unix.Accept4(at, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case blocked(err):
			return nil
		case errors.Is(err, unix.ECONNABORTED):
			continue
		case err != nil:
			return fmt.Errorf("accepting connections: %w", err)
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			closeSocket(fd) // it is gone already
			continue
		}
		if s.algo == "" {
			s.algo = congestionControl(fd)
		}
		c := &served{fd: fd, watching: unix.EPOLLIN}
		s.conns[fd] = c
		if err := s.watch(fd, c.watching); err != nil {
			return err
		}
		// The request is often there already.
		if err := s.read(c); err != nil {
			return err
		}
	}
}

// read takes requests. The end of the connection and everything that goes
// wrong with it is for the client to notice.
func (s *server) read(c *served) error {
	for !c.closed {
		n, err := unix.Read(c.fd, s.buf)
		if blocked(err) {
			return nil
		}
		if err != nil || n == 0 {
			s.drop(c)
			return nil
		}
		for c.received += n; c.received >= s.spec.RequestBytes; c.received -= s.spec.RequestBytes {
			s.took()
			if s.spec.Delay > 0 {
				s.delayed.push(delayed{due: s.now() + s.spec.Delay, conn: c})
				continue
			}
			if err := s.owe(c); err != nil {
				return err
			}
			if c.closed {
				return nil
			}
		}
		if n < len(s.buf) {
			return nil
		}
	}
	return nil
}

// owe answers one request.
func (s *server) owe(c *served) error {
	if c.closed {
		return nil
	}
	c.owed += s.spec.ResponseBytes
	if c.owed > s.spec.ResponseBytes {
		return nil // behind answers that the socket does not take
	}
	return s.write(c)
}

func (s *server) write(c *served) error {
	events := uint32(unix.EPOLLIN)
	for c.owed > 0 {
		n, err := unix.Write(c.fd, s.answer[:min(len(s.answer), c.owed)])
		if blocked(err) {
			events |= unix.EPOLLOUT
			break
		}
		if err != nil {
			s.drop(c)
			return nil
		}
		c.owed -= n
		c.written += n
	}
	if s.spec.Kind == TCPCRR && c.written >= s.spec.ResponseBytes {
		s.drop(c)
		return nil
	}
	if events == c.watching {
		return nil
	}
	c.watching = events
	return s.change(c.fd, events)
}

func (s *server) drop(c *served) {
	closeSocket(c.fd)
	delete(s.conns, c.fd)
	c.closed = true
}
