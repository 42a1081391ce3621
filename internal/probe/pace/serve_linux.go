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
	fd       int          // the first listener, or the socket of datagrams
	port     int          // of fd
	further  map[int]bool // listeners besides, by their descriptors
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
		poller: p, spec: spec, fd: -1, further: map[int]bool{}, conns: map[int]*served{}, pauses: newPauses(spec.Pause, spec.PauseEvery),
		answer: make([]byte, spec.ResponseBytes), buf: make([]byte, readBuffer),
	}
	defer s.end()
	if err := s.listenAll(); err != nil {
		return Served{}, fmt.Errorf("pace server: %w", err)
	}
	if err := ready(Ready{Port: s.port}); err != nil {
		return Served{}, err
	}
	err = s.loop()
	if errors.Is(err, errCanceled) {
		return Served{Requests: s.requests, Pauses: s.paused, Busy: s.busy.value(), CongestionControl: s.algo}, nil
	}
	return Served{}, fmt.Errorf("pace server: %w", err)
}

func (s *server) listenAll() (err error) {
	if s.fd, s.port, err = s.listen(s.spec.Port); err != nil {
		return err
	}
	for _, port := range s.spec.Further {
		fd, _, err := s.listen(port)
		if err != nil {
			return err
		}
		s.further[fd] = true
	}
	return nil
}

// listen returns the socket and the port that it has.
func (s *server) listen(port int) (fd, has int, err error) {
	host := netip.IPv6Unspecified()
	if s.spec.Address != "" {
		if host, err = netip.ParseAddr(s.spec.Address); err != nil {
			return -1, 0, fmt.Errorf("listening: %w", err)
		}
	}
	at := newAddress(netip.AddrPortFrom(host, uint16(port)))
	kind := unix.SOCK_STREAM
	if s.spec.Kind == UDPRR {
		kind = unix.SOCK_DGRAM
	}
	if fd, err = newSocket(at.family, kind); err != nil {
		return -1, 0, err
	}
	if has, err = s.bind(fd, at, kind); err != nil {
		closeSocket(fd)
		return -1, 0, fmt.Errorf("listening on %s port %d: %w", host, port, err)
	}
	return fd, has, nil
}

// backlog is more than the kernel allows (net.core.somaxconn): as much as it
// does.
const backlog = 1 << 16

func (s *server) bind(fd int, at address, kind int) (port int, err error) {
	// The port of a server that has just closed its connections is free.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, boolInt(kind == unix.SOCK_STREAM)); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, at.sock); err != nil {
		return 0, err
	}
	if kind == unix.SOCK_STREAM {
		if err := unix.Listen(fd, backlog); err != nil {
			return 0, err
		}
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		port = name.Port
	case *unix.SockaddrInet6:
		port = name.Port
	}
	return port, s.watch(fd, unix.EPOLLIN)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *server) end() {
	if s.fd >= 0 {
		closeSocket(s.fd)
	}
	for fd := range s.further {
		closeSocket(fd)
	}
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
		return s.accept(fd)
	}
	if s.further[fd] {
		return s.accept(fd)
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
