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

// Config is what an end brings.
type Config struct {
	// ID names what both ends do. The server's holds, unless it was made up
	// and the client's was not.
	ID string
	// MadeUp tells that nobody chose ID.
	MadeUp bool
	// Wait is how long the other end is awaited.
	Wait time.Duration
	// Note is told of what happens meanwhile, such as strangers; may be nil.
	Note func(string)
}

func (c Config) note(format string, args ...any) {
	if c.Note != nil {
		c.Note(fmt.Sprintf(format, args...))
	}
}

// Meeting is an agreement with the other end, and the way to tell it how
// things go.
type Meeting struct {
	// ID is the same at both ends.
	ID string
	// Start is when both ends begin, on this machine's monotonic clock.
	Start time.Time
	// Within bounds the difference between both ends' starts: what is known of
	// the delay of the message that agreed on it.
	Within time.Duration
	// Other is the other end's address.
	Other string

	conn net.Conn
	in   *bufio.Reader
	news chan News
}

// News is what became of the other end.
type News struct {
	Done    bool   // its command has ended
	Aborted bool   // it gives up, for this reason
	Reason  string // as far as is known
	Gone    bool   // it is not heard of any more
}

// steps of the handshake take no longer than this each.
const stepTimeout = 5 * time.Second

func newMeeting(conn net.Conn, in *bufio.Reader, id string) *Meeting {
	return &Meeting{ID: id, Other: conn.RemoteAddr().String(), conn: conn, in: in, news: make(chan News, 2)}
}

// Done tells the other end that this one's command has ended.
func (m *Meeting) Done() { m.say(message{Kind: done}) }

// Abort tells the other end not to go on.
func (m *Meeting) Abort(reason string) {
	m.say(message{Kind: abort, Reason: reason[:min(len(reason), maxMessage/4)]})
}

// say sends without waiting long. An end that cannot be reached learns from
// the connection's end.
func (m *Meeting) say(what message) {
	_ = m.conn.SetWriteDeadline(time.Now().Add(stepTimeout)) // fails on a closed connection only
	_ = writeMessage(m.conn, what)
}

// News delivers what becomes of the other end; the last piece is its being
// gone.
func (m *Meeting) News() <-chan News { return m.news }

// Close ends the connection.
func (m *Meeting) Close() { _ = m.conn.Close() }

// listen passes on what the other end says, until it is gone.
func (m *Meeting) listen() {
	_ = m.conn.SetDeadline(time.Time{})
	for {
		what, err := readMessage(m.in)
		switch {
		case err != nil:
			news := News{Gone: true}
			if !errors.Is(err, io.EOF) {
				news.Reason = err.Error()
			}
			m.tell(news)
			return
		case what.Kind == done:
			m.tell(News{Done: true})
		case what.Kind == abort:
			m.tell(News{Aborted: true, Reason: what.Reason})
		}
	}
}

// tell never blocks: whoever sends more than anybody awaits is not heard.
func (m *Meeting) tell(n News) {
	select {
	case m.news <- n:
	default:
	}
}

// closeWith closes conn when ctx ends, which ends what waits for it.
func closeWith(ctx context.Context, conn io.Closer) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = conn.Close() })
}

// explain prefers the context's reason to that of a connection it closed.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
