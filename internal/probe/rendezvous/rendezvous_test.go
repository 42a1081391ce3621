package rendezvous

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is far more than anything takes, for machines that are starved.
const patience = time.Minute

func listenHere(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

type outcome struct {
	m   *Meeting
	err error
}

// serveHere starts a server and returns its address and its outcome to be.
func serveHere(t *testing.T, c Config) (string, <-chan outcome) {
	t.Helper()
	l := listenHere(t)
	result := make(chan outcome, 1)
	go func() {
		m, err := serve(t.Context(), l, c)
		if m != nil {
			t.Cleanup(m.Close)
		}
		result <- outcome{m, err}
	}()
	return l.Addr().String(), result
}

func join(t *testing.T, address string, c Config) (*Meeting, error) {
	t.Helper()
	m, err := Join(t.Context(), address, c)
	if m != nil {
		t.Cleanup(m.Close)
	}
	return m, err
}

// Both ends are one process here, with one clock, so that their starts can be
// compared: they differ by no more than the ends say they may.
func TestEndsAgree(t *testing.T) {
	address, server := serveHere(t, Config{ID: "made-up", MadeUp: true, Wait: patience})
	client, err := join(t, address, Config{ID: "mine", Wait: patience})
	if err != nil {
		t.Fatal(err)
	}
	s := <-server
	if s.err != nil {
		t.Fatal(s.err)
	}
	if client.ID != "mine" || s.m.ID != "mine" {
		t.Errorf("identifiers %q and %q, want what one end chose", client.ID, s.m.ID)
	}
	apart := client.Start.Sub(s.m.Start).Abs()
	if client.Within <= 0 || client.Within != s.m.Within || apart > client.Within {
		t.Errorf("starts are %v apart, within %v and %v", apart, client.Within, s.m.Within)
	}
	client.Done()
	if news := <-s.m.News(); !news.Done {
		t.Errorf("the server heard %+v, want done", news)
	}
	s.m.Abort("enough")
	if news := <-client.News(); !news.Aborted || news.Reason != "enough" {
		t.Errorf("the client heard %+v, want an abort", news)
	}
	client.Close()
	if news := <-s.m.News(); !news.Gone {
		t.Errorf("the server heard %+v, want the other end gone", news)
	}
}

// The client may start before the server does.
func TestClientWaits(t *testing.T) {
	l := listenHere(t)
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var clientErr error
	wg.Go(func() { _, clientErr = join(t, address, Config{MadeUp: true, Wait: patience}) })
	time.Sleep(retry) // it finds nobody at least once
	m, err := Serve(t.Context(), address, Config{ID: "x", Wait: patience})
	wg.Wait()
	if err != nil || clientErr != nil {
		t.Fatal(err, clientErr)
	}
	m.Close()
}

// Strangers can connect, and neither start nor stop anything.
func TestStrangersAreIgnored(t *testing.T) {
	var mu sync.Mutex
	var notes []string
	address, server := serveHere(t, Config{ID: "x", Wait: patience, Note: func(s string) {
		mu.Lock()
		defer mu.Unlock()
		notes = append(notes, s)
	}})
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	strangers := []string{
		"GET /start HTTP/1.1\r\n\r\n",
		strings.Repeat("x", 2*maxMessage) + "\n",
		`{"protocol":"other","version":1,"kind":"hello"}` + "\n",
		`{"protocol":"cnibench-record","version":1,"kind":"agreed"}` + "\n",
	}
	for _, s := range strangers {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		// The server may hang up before it has read all.
		_, _ = io.WriteString(conn, s)
		if answer, _ := io.ReadAll(conn); len(answer) > 0 {
			t.Errorf("%.20q was answered with %q", s, answer)
		}
		_ = conn.Close()
	}
	if _, err := join(t, address, Config{MadeUp: true, Wait: patience}); err != nil {
		t.Fatal(err)
	}
	if s := <-server; s.err != nil {
		t.Fatal(s.err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(notes) != len(strangers) {
		t.Errorf("%d strangers were noted, want %d: %q", len(notes), len(strangers), notes)
	}
}

func TestRefusals(t *testing.T) {
	address, server := serveHere(t, Config{ID: "a", Wait: patience})
	_, err := join(t, address, Config{ID: "b", Wait: patience})
	var identity *identityError
	if !errors.As(err, &identity) || identity.theirs != "a" {
		t.Errorf("the client of another measurement: %v", err)
	}
	if s := <-server; !errors.As(s.err, &identity) {
		t.Errorf("its server: %v", s.err)
	}

	address, server = serveHere(t, Config{ID: "a", Wait: patience})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, `{"protocol":"cnibench-record","version":%d,"kind":"hello"}`+"\n", Version+1)
	var version *versionError
	if s := <-server; !errors.As(s.err, &version) || version.theirs != Version+1 {
		t.Errorf("a client of the next version: %v", s.err)
	}
	if _, err := readMessage(bufio.NewReader(conn)); err != nil {
		t.Errorf("the answer to the next version: %v", err)
	}
}

// A client meets something that is no server, or of another version.
func TestWrongServer(t *testing.T) {
	for answer, want := range map[string]string{
		"SSH-2.0-OpenSSH_9.2\r\n": "no cnibench record",
		`{"protocol":"cnibench-record","version":9,"kind":"welcome"}` + "\n": "version 9",
		"": "closed the connection",
	} {
		l := listenHere(t)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}()
		_, err := join(t, l.Addr().String(), Config{MadeUp: true, Wait: patience})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %q: %v, want %q", answer, err, want)
		}
	}
}

func TestNobodyComes(t *testing.T) {
	var late *LateError
	if _, err := serve(t.Context(), listenHere(t), Config{ID: "x", Wait: time.Millisecond}); !errors.As(err, &late) || late.Client {
		t.Errorf("server alone: %v", err)
	}
	l := listenHere(t)
	_ = l.Close()
	if _, err := Join(t.Context(), l.Addr().String(), Config{Wait: 50 * time.Millisecond}); !errors.As(err, &late) || !late.Client {
		t.Errorf("client alone: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if _, err := serve(ctx, listenHere(t), Config{ID: "x", Wait: patience}); !errors.Is(err, interrupted) {
		t.Errorf("interrupted server: %v", err)
	}
	if _, err := Join(ctx, l.Addr().String(), Config{Wait: patience}); !errors.Is(err, interrupted) {
		t.Errorf("interrupted client: %v", err)
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"protocol":"cnibench-record","version":1,"kind":"hello","id":"a"}`))
	f.Add([]byte(`{"protocol":"cnibench-record","version":2}`))
	f.Add([]byte("GET / HTTP/1.1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := parseMessage(line)
		if err == nil && (m.Version != Version || m.In < 0 || len(m.ID) > maxID) {
			t.Errorf("accepted %+v", m)
		}
	})
}
