package pace

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// server answers requests of one kind.
type server struct {
	*poller
	spec     ServeSpec
	fd       int // the listener, or the socket of datagrams
	port     int
	conns    map[int]*served
	delayed  queue[delayed]
	pauses   pauses
	answer   []byte
	buf      []byte
	requests int64
	paused   int64
	busy     share
	algo     string
}

// served is a connection.
type served struct {
	fd       int
	closed   bool
	received int // bytes of a request that is not complete
	owed     int // bytes of answers to be written now
	written  int // bytes of the answers so far
	watching uint32
}

// delayed is an answer that is kept back: to a connection, or to a datagram
// from somewhere, whose first bytes it returns.
type delayed struct {
	due    time.Duration
	conn   *served
	from   unix.Sockaddr
	number [MinDatagram]byte
}

// Serve answers the requests of a client until ctx ends, and returns what it
// did. It calls ready once, when it can be asked.
func Serve(ctx context.Context, spec ServeSpec, ready func(Ready) error) (Served, error) {
	if err := spec.Validate(); err != nil {
		return Served{}, fmt.Errorf("pace server: %w", err)
	}
	runtime.LockOSThread() // its CPU time is counted
	defer runtime.UnlockOSThread()
	p, err := newPoller(ctx)
	if err != nil {
		return Served{}, fmt.Errorf("pace server: %w", err)
	}
	defer p.close()
	s := &server{
		poller: p, spec: spec, conns: map[int]*served{}, pauses: newPauses(spec.Pause, spec.PauseEvery),
		answer: make([]byte, spec.ResponseBytes), buf: make([]byte, readBuffer),
	}
	if err := s.listen(); err != nil {
		return Served{}, fmt.Errorf("pace server: %w", err)
	}
	defer s.end()
	if err := ready(Ready{Port: s.port}); err != nil {
		return Served{}, err
	}
	err = s.loop()
	if errors.Is(err, errCanceled) {
		return Served{Requests: s.requests, Pauses: s.paused, Busy: s.busy.value(), CongestionControl: s.algo}, nil
	}
	return Served{}, fmt.Errorf("pace server: %w", err)
}

func (s *server) listen() error {
	host := netip.IPv6Unspecified()
	if s.spec.Address != "" {
		var err error
		if host, err = netip.ParseAddr(s.spec.Address); err != nil {
			return fmt.Errorf("listening: %w", err)
		}
	}
	at := newAddress(netip.AddrPortFrom(host, uint16(s.spec.Port)))
	kind := unix.SOCK_STREAM
	if s.spec.Kind == UDPRR {
		kind = unix.SOCK_DGRAM
	}
	fd, err := newSocket(at.family, kind)
	if err != nil {
		return err
	}
	s.fd = fd
	if err := s.bind(at, kind); err != nil {
		closeSocket(fd)
		return fmt.Errorf("listening on %s port %d: %w", host, s.spec.Port, err)
	}
	return nil
}

// backlog is more than the kernel allows (net.core.somaxconn): as much as it
// does.
const backlog = 1 << 16

func (s *server) bind(at address, kind int) error {
	// The port of a server that has just closed its connections is free.
	if err := unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, boolInt(kind == unix.SOCK_STREAM)); err != nil {
		return err
	}
	if err := unix.Bind(s.fd, at.sock); err != nil {
		return err
	}
	if kind == unix.SOCK_STREAM {
		if err := unix.Listen(s.fd, backlog); err != nil {
			return err
		}
	}
	name, err := unix.Getsockname(s.fd)
	if err != nil {
		return err
	}
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		s.port = name.Port
	case *unix.SockaddrInet6:
		s.port = name.Port
	}
	return s.watch(s.fd, unix.EPOLLIN)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *server) end() {
	closeSocket(s.fd)
	for fd := range s.conns {
		closeSocket(fd)
	}
}

func (s *server) loop() error {
	for {
		if length := s.pauses.due(s.now()); length > 0 {
			s.paused++
			time.Sleep(length)
		}
		if err := s.release(s.now()); err != nil {
			return err
		}
		until := s.pauses.next
		if s.delayed.len() > 0 {
			until = min(until, s.delayed.at(0).due)
		}
		if err := s.poll(until, s.handle); err != nil {
			return err
		}
	}
}

// release gives the answers that are due.
func (s *server) release(now time.Duration) error {
	for s.delayed.len() > 0 && s.delayed.at(0).due <= now {
		d := s.delayed.pop()
		if d.conn == nil {
			s.sendTo(d.from, d.number[:])
			continue
		}
		if err := s.owe(d.conn); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) handle(fd int) error {
	if fd == s.fd {
		if s.spec.Kind == UDPRR {
			return s.receive()
		}
		return s.accept()
	}
	c := s.conns[fd]
	if c == nil { // closed meanwhile
		return nil
	}
	if c.owed > 0 {
		if err := s.write(c); err != nil || c.closed {
			return err
		}
	}
	return s.read(c)
}

// took notes that a request has come whole.
func (s *server) took() {
	s.requests++
	s.busy.note(s.now(), threadCPU)
}
