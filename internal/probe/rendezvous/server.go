package rendezvous

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	// maxGuests is how many connections are heard at once; more wait.
	maxGuests = 16
	// pings are enough for one undisturbed among them.
	pings = 9
	// starts is how often a start is agreed on anew because its message was
	// slow.
	starts = 5
	// lead is the time from the agreement to the start, beyond what the
	// network needs: both ends set their timers in it.
	lead = time.Second
	// slack is what the message of a start may take longer than the fastest
	// ping before it is sent anew.
	slack = time.Millisecond
)

// guest is a connection that said hello properly, or the error that shows that
// it is the other end but cannot be met.
type guest struct {
	conn  net.Conn
	in    *bufio.Reader
	hello message
	err   error
}

// Serve waits for a client at an address "HOST:PORT", with an empty HOST at
// all of this machine's, and agrees with it on a start.
func Serve(ctx context.Context, address string, c Config) (*Meeting, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("waiting for the other end: %w", err)
	}
	return serve(ctx, l, c)
}

func serve(ctx context.Context, l net.Listener, c Config) (*Meeting, error) {
	limit, cancel := context.WithTimeoutCause(ctx, c.Wait, &LateError{Waited: c.Wait, At: l.Addr().String()})
	defer cancel()
	defer closeWith(limit, l)()
	guests := make(chan guest)
	go receive(limit, l, c, guests)
	var first guest
	select {
	case first = <-guests:
	case <-limit.Done():
		return nil, context.Cause(limit)
	}
	cancel() // nobody else is needed
	_ = l.Close()
	if first.err != nil {
		return nil, first.err
	}
	m, err := welcomeGuest(ctx, first, c)
	if err != nil {
		_ = first.conn.Close()
		return nil, err
	}
	go m.listen()
	return m, nil
}

// receive hears everybody who connects until one is the other end.
func receive(ctx context.Context, l net.Listener, c Config, guests chan<- guest) {
	places := make(chan struct{}, maxGuests)
	for {
		places <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			return // closed: the other end came, or time is over
		}
		go func() {
			defer func() { <-places }()
			hear(ctx, conn, c, guests)
		}()
	}
}

// hear passes a connection on that says hello.
func hear(ctx context.Context, conn net.Conn, c Config, guests chan<- guest) {
	stop := closeWith(ctx, conn)
	_ = conn.SetDeadline(time.Now().Add(stepTimeout))
	g := guest{conn: conn, in: bufio.NewReaderSize(conn, maxMessage)}
	var version *versionError
	g.hello, g.err = readMessage(g.in)
	switch {
	case errors.As(g.err, &version):
		_ = writeMessage(conn, message{Kind: refuse}) // it reads our version
	case g.err != nil || g.hello.Kind != hello:
		if ctx.Err() == nil {
			c.note("a connection from %s was ignored: %v", conn.RemoteAddr(), errStranger)
		}
		_ = conn.Close()
		return
	}
	if !stop() {
		return // another was first
	}
	select {
	case guests <- g:
		if g.err != nil {
			_ = conn.Close()
		}
	case <-ctx.Done():
		_ = conn.Close()
	}
}

// welcomeGuest agrees with the other end on an identifier and a start.
func welcomeGuest(ctx context.Context, g guest, c Config) (*Meeting, error) {
	defer closeWith(ctx, g.conn)()
	id := c.ID
	switch {
	case g.hello.ID == "" || g.hello.ID == c.ID:
	case c.MadeUp:
		id = g.hello.ID
	default:
		err := &identityError{ours: c.ID, theirs: g.hello.ID}
		_ = writeMessage(g.conn, message{Kind: refuse, ID: c.ID, Reason: "identifier"})
		return nil, err
	}
	m := newMeeting(g.conn, g.in, id)
	if err := m.step(message{Kind: welcome, ID: id}); err != nil {
		return nil, explain(ctx, err)
	}
	fastest, err := m.measure()
	if err != nil {
		return nil, explain(ctx, err)
	}
	if err := m.propose(fastest); err != nil {
		return nil, explain(ctx, err)
	}
	return m, nil
}

// measure returns the shortest round trip of some.
func (m *Meeting) measure() (time.Duration, error) {
	fastest := stepTimeout
	for i := range pings {
		trip, err := m.exchange(message{Kind: ping, Number: i}, pong)
		if err != nil {
			return 0, err
		}
		fastest = min(fastest, trip)
	}
	return fastest, nil
}

// propose agrees on a start with a message that was about as fast as the
// fastest, so that half of that tells when it arrived.
func (m *Meeting) propose(fastest time.Duration) error {
	ahead := lead + 4*fastest
	for i := range starts {
		begin := time.Now().Add(ahead)
		trip, err := m.exchange(message{Kind: start, Number: i, In: ahead - fastest/2}, ready)
		if err != nil {
			return err
		}
		// The message took between nothing and the whole trip; half of the
		// fastest trip was taken off.
		m.Start, m.Within = begin, max(trip-fastest/2, fastest/2)
		if trip <= fastest+slack || i == starts-1 {
			return m.step(message{Kind: agreed, Number: i, Within: m.Within})
		}
	}
	return nil
}

// exchange sends a message and returns how long its answer took.
func (m *Meeting) exchange(what message, want kind) (time.Duration, error) {
	sent := time.Now()
	if err := m.step(what); err != nil {
		return 0, err
	}
	got, err := m.await(want)
	if err != nil {
		return 0, err
	}
	if got.Number != what.Number {
		return 0, fmt.Errorf("agreeing with %s: it answered another question", m.Other)
	}
	return time.Since(sent), nil
}

func (m *Meeting) step(what message) error {
	_ = m.conn.SetDeadline(time.Now().Add(stepTimeout))
	if err := writeMessage(m.conn, what); err != nil {
		return fmt.Errorf("agreeing with %s: %w", m.Other, err)
	}
	return nil
}

// await reads a message of one of some kinds.
func (m *Meeting) await(want ...kind) (message, error) {
	_ = m.conn.SetDeadline(time.Now().Add(stepTimeout))
	got, err := readMessage(m.in)
	switch {
	case errors.Is(err, io.EOF):
		return message{}, fmt.Errorf("agreeing with %s: it closed the connection", m.Other)
	case err != nil:
		return message{}, fmt.Errorf("agreeing with %s: %w", m.Other, err)
	case got.Kind == abort:
		return message{}, fmt.Errorf("agreeing with %s: it gave up: %s", m.Other, got.Reason)
	}
	for _, k := range want {
		if got.Kind == k {
			return got, nil
		}
	}
	return got, fmt.Errorf("agreeing with %s: it said %q", m.Other, got.Kind)
}
