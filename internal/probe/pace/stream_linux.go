package pace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// streams is the wire of TCPRR: connections that stay.
type streams struct {
	sockets
	list          []*stream // by slot
	byFD          map[int]*stream
	request       []byte
	responseBytes int
}

// stream is one connection. Answers come in the order of requests.
type stream struct {
	fd       int
	asked    queue[uint64] // requests without an answer
	unsent   int           // of them, those not wholly written: the last ones
	written  int           // bytes of the first unsent one
	received int           // bytes of the answer to the first one
	watching uint32
}

func openStreams(ctx context.Context, spec Spec, to address, common sockets) (*streams, error) {
	s := &streams{sockets: common, byFD: map[int]*stream{}, request: make([]byte, spec.RequestBytes), responseBytes: spec.ResponseBytes}
	for range spec.Connections {
		fd, err := dial(ctx, to, common.target)
		if err != nil {
			s.end()
			return nil, err
		}
		c := &stream{fd: fd, watching: unix.EPOLLIN}
		s.list, s.byFD[fd] = append(s.list, c), c
		if err := s.watch(fd, c.watching); err != nil {
			s.end()
			return nil, err
		}
	}
	s.algo = congestionControl(s.list[0].fd)
	return s, nil
}

func (s *streams) end() {
	for _, c := range s.list {
		closeSocket(c.fd)
	}
}

func (s *streams) send(n uint64, slot int) error {
	c := s.list[slot]
	c.asked.push(n)
	c.unsent++
	if c.unsent > 1 {
		return nil // behind one that the socket does not take
	}
	return s.write(c)
}

// write sends what the socket takes.
func (s *streams) write(c *stream) error {
	events := uint32(unix.EPOLLIN)
	for c.unsent > 0 {
		at := s.now()
		n, err := unix.Write(c.fd, s.request[c.written:])
		if blocked(err) {
			events |= unix.EPOLLOUT
			break
		}
		if err != nil {
			return s.broken(c, err)
		}
		if c.written += n; c.written == len(s.request) {
			s.sink.sent(*c.asked.at(c.asked.len() - c.unsent), at)
			c.unsent--
			c.written = 0
		}
	}
	if events == c.watching {
		return nil
	}
	c.watching = events
	return s.change(c.fd, events)
}

// abandon does nothing: a stream still carries the answer.
func (s *streams) abandon(uint64) {}

func (s *streams) wait(until time.Duration) error {
	return s.poll(until, func(fd int) error {
		c := s.byFD[fd]
		if c.unsent > 0 {
			if err := s.write(c); err != nil {
				return err
			}
		}
		return s.read(c)
	})
}

func (s *streams) read(c *stream) error {
	for {
		n, err := unix.Read(c.fd, s.buf)
		if blocked(err) {
			return nil
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		if err != nil {
			return s.broken(c, err)
		}
		at := s.now()
		for c.received += n; c.received >= s.responseBytes; c.received -= s.responseBytes {
			if c.asked.len() == c.unsent {
				return s.broken(c, errUnasked)
			}
			s.sink.answered(c.asked.pop(), at)
		}
		if n < len(s.buf) {
			return nil
		}
	}
}

var errUnasked = errors.New("more came back than was asked for")

func (s *streams) broken(c *stream, err error) error {
	return fmt.Errorf("the connection to %s broke with %d requests open: %w", s.target, c.asked.len(), err)
}
