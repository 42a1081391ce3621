package rendezvous

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// retry is how often a server that is not there yet is tried again.
const retry = 200 * time.Millisecond

// Join meets the server at an address "HOST:PORT", which may start later.
func Join(ctx context.Context, address string, c Config) (*Meeting, error) {
	limit, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	conn, err := dial(limit, address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &LateError{Waited: c.Wait, At: address, Client: true, Err: err}
	}
	m, err := greet(ctx, conn, c)
	if err != nil {
		_ = conn.Close()
		return nil, explain(ctx, err)
	}
	go m.listen()
	return m, nil
}

// dial tries until somebody listens. The error is that of the last try which
// ctx did not cut short.
func dial(ctx context.Context, address string) (net.Conn, error) {
	var last error
	for {
		dialer := net.Dialer{Timeout: stepTimeout}
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn, nil
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return nil, last
		case <-time.After(retry):
		}
	}
}

func greet(ctx context.Context, conn net.Conn, c Config) (*Meeting, error) {
	defer closeWith(ctx, conn)()
	m := newMeeting(conn, bufio.NewReaderSize(conn, maxMessage), "")
	what := message{Kind: hello}
	if !c.MadeUp {
		what.ID = c.ID
	}
	if err := m.step(what); err != nil {
		return nil, err
	}
	got, err := m.await(welcome, refuse)
	if errors.Is(err, errStranger) {
		return nil, fmt.Errorf("at %s listens something that is no cnibench record", m.Other)
	}
	if err != nil {
		return nil, err
	}
	if got.Kind == refuse {
		return nil, &identityError{ours: c.ID, theirs: got.ID}
	}
	m.ID = got.ID
	if err := m.follow(); err != nil {
		return nil, err
	}
	return m, nil
}

// follow answers the server until a start is agreed on.
func (m *Meeting) follow() error {
	begin, number := time.Time{}, -1
	for {
		got, err := m.await(ping, start, agreed)
		if err != nil {
			return err
		}
		switch got.Kind {
		case ping:
			err = m.step(message{Kind: pong, Number: got.Number})
		case start:
			begin, number = time.Now().Add(got.In), got.Number
			err = m.step(message{Kind: ready, Number: got.Number})
		case agreed:
			if begin.IsZero() || got.Number != number {
				return fmt.Errorf("agreeing with %s: it agreed on no start of its own", m.Other)
			}
			m.Start, m.Within = begin, got.Within
			return nil
		}
		if err != nil {
			return err
		}
	}
}
