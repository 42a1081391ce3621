package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// server is a Spec at work.
type server struct {
	spec     Spec
	head     []byte // of every answer
	whole    []byte // head and body
	began    time.Time
	requests atomic.Int64

	mutex   sync.Mutex // guards the rest
	open    map[net.Conn]bool
	agents  map[string]int64
	refused map[string]int64
}

// Serve answers GET and HEAD until ctx ends, and then says what it saw. ready
// is called when the port takes connections.
func Serve(ctx context.Context, spec Spec, ready func(Ready) error) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", ":"+strconv.Itoa(spec.Port))
	if err != nil {
		return Report{}, fmt.Errorf("listening on TCP port %d: %w", spec.Port, err)
	}
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: " + strconv.Itoa(spec.BodyBytes) + "\r\n\r\n")
	s := &server{
		spec: spec, head: head, whole: append(head[:len(head):len(head)], strings.Repeat("x", spec.BodyBytes)...), began: time.Now(),
		open: map[net.Conn]bool{}, agents: map[string]int64{}, refused: map[string]int64{},
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() }) // ends the loop
	defer stop()
	port := spec.Port
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		port = address.Port
	}
	if err := ready(Ready{Port: port}); err != nil {
		return Report{}, errors.Join(err, listener.Close())
	}
	err = s.accept(listener)
	if ctx.Err() != nil {
		err = nil
	}
	return s.end(), errors.Join(err, ignoreClosed(listener.Close()))
}

// acceptPause is the rest after a connection that could not be taken, such as
// when there are too many.
const acceptPause = 10 * time.Millisecond

func (s *server) accept(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("accepting connections: %w", err)
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		s.mutex.Lock()
		s.open[conn] = true
		s.mutex.Unlock()
		go s.serve(conn)
	}
}

// serve answers the requests of one connection, in order.
func (s *server) serve(conn net.Conn) {
	defer s.close(conn)
	reader := bufio.NewReader(conn)
	for first := true; ; first = false {
		q, err := readRequest(reader)
		if err != nil {
			s.refuse(err)
			return
		}
		if first {
			s.mutex.Lock()
			s.agents[q.agent]++
			s.mutex.Unlock()
		}
		if wait := s.spec.hold(time.Since(s.began)); wait > 0 {
			time.Sleep(wait)
		}
		answer := s.whole
		if q.method == "HEAD" {
			answer = s.head
		}
		if _, err := conn.Write(answer); err != nil {
			return // the client has gone, and knows
		}
		s.requests.Add(1)
		if q.last {
			return
		}
	}
}

// refuse counts what was wrong on a connection, unless it only ended.
func (s *server) refuse(err error) {
	var network net.Error
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network) {
		return
	}
	s.mutex.Lock()
	s.refused[err.Error()]++
	s.mutex.Unlock()
}

func (s *server) close(conn net.Conn) {
	s.mutex.Lock()
	delete(s.open, conn)
	s.mutex.Unlock()
	_ = conn.Close() // there is nothing more to say to the client
}

// end closes what is open and reports.
func (s *server) end() Report {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for conn := range s.open {
		_ = conn.Close() // wakes its reader
	}
	return Report{Requests: s.requests.Load(), Connections: maps.Clone(s.agents), Refused: maps.Clone(s.refused)}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
