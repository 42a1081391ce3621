package pace

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// connects is the wire of TCPCRR: a connection for each request.
type connects struct {
	sockets
	to            []address // taken in turn
	byFD          map[int]*attempt
	byNumber      map[uint64]*attempt
	request       []byte
	responseBytes int
}

// attempt is the connection of one request.
type attempt struct {
	n        uint64
	fd       int
	stands   bool
	written  int
	received int
}

func openConnects(spec Spec, to address, common sockets) *connects {
	c := &connects{
		sockets: common, to: []address{to}, byFD: map[int]*attempt{}, byNumber: map[uint64]*attempt{},
		request: make([]byte, spec.RequestBytes), responseBytes: spec.ResponseBytes,
	}
	for _, port := range spec.Further {
		c.to = append(c.to, to.at(port))
	}
	return c
}

func (c *connects) end() {
	for fd := range c.byFD {
		closeSocket(fd)
	}
}

func (c *connects) send(n uint64, _ int) error {
	to := c.to[n%uint64(len(c.to))]
	fd, err := newSocket(to.family, unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	a := &attempt{n: n, fd: fd}
	c.byFD[fd], c.byNumber[n] = a, a
	c.sink.sent(n, c.now())
	err = unix.Connect(fd, to.sock)
	if err != nil && !errors.Is(err, unix.EINPROGRESS) {
		if errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("connecting to %s: all local ports are in use: %w", c.target, err)
		}
		c.fail(a, err)
		return nil
	}
	return c.watch(fd, unix.EPOLLOUT)
}

// abandon closes the connection of a request that timed out.
func (c *connects) abandon(n uint64) {
	if a := c.byNumber[n]; a != nil {
		c.drop(a)
	}
}

func (c *connects) drop(a *attempt) {
	closeSocket(a.fd)
	delete(c.byFD, a.fd)
	delete(c.byNumber, a.n)
}

func (c *connects) fail(a *attempt, err error) {
	c.drop(a)
	c.sink.failed(a.n, failure(err))
}

// failure names what ended a connection.
func failure(err error) string {
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		return "refused"
	case errors.Is(err, unix.ECONNRESET), errors.Is(err, unix.EPIPE):
		return "reset"
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH):
		return "unreachable"
	case errors.Is(err, unix.ETIMEDOUT):
		return "timed out" // by the kernel, before us
	}
	return err.Error()
}

func (c *connects) wait(until time.Duration) error {
	return c.poll(until, func(fd int) error {
		a := c.byFD[fd]
		switch {
		case a == nil: // dropped meanwhile
			return nil
		case a.written < len(c.request):
			return c.write(a)
		}
		c.read(a)
		return nil
	})
}

// write sends the request on a connection that has just come to stand, or goes
// on with it.
func (c *connects) write(a *attempt) error {
	if !a.stands {
		at := c.now()
		if err := connectError(a.fd); err != nil {
			c.fail(a, err)
			return nil
		}
		a.stands = true
		c.sink.connected(a.n, at)
		if c.algo == "" {
			c.algo = congestionControl(a.fd)
		}
	}
	n, err := unix.Write(a.fd, c.request[a.written:])
	if blocked(err) {
		return nil
	}
	if err != nil {
		c.fail(a, err)
		return nil
	}
	if a.written += n; a.written < len(c.request) {
		return nil
	}
	return c.change(a.fd, unix.EPOLLIN)
}

// read takes the answer, then waits for the server to close.
func (c *connects) read(a *attempt) {
	for {
		n, err := unix.Read(a.fd, c.buf)
		if blocked(err) {
			return
		}
		answered := a.received >= c.responseBytes
		switch {
		case answered && (err != nil || n == 0):
			c.drop(a)
			return
		case err != nil:
			c.fail(a, err)
			return
		case n == 0:
			c.drop(a)
			c.sink.failed(a.n, "closed without an answer")
			return
		}
		at := c.now()
		if a.received += n; !answered && a.received >= c.responseBytes {
			delete(c.byNumber, a.n) // nothing to abandon any more
			c.sink.answered(a.n, at)
		}
	}
}
