package probe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// echoServer runs an echo server for the test and returns its port.
func echoServer(t *testing.T) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Echo(ctx, 0, in) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Echo() = %v", err)
		}
	})
	var ready EchoReady
	nextFrame(t, bufio.NewReader(out), FrameReady, &ready)
	return ready.Port
}

func TestReachTCP(t *testing.T) {
	port := itoa(echoServer(t))
	got := ReachTCP(t.Context(), net.JoinHostPort("127.0.0.1", port), time.Minute)
	if !got.Reached || got.Reason != "" || got.Remote != "127.0.0.1:"+port || got.ConnectSeconds <= 0 || got.EchoSeconds <= 0 {
		t.Errorf("ReachTCP() = %+v", got)
	}
}

// serve accepts one connection and hands it to f.
func serve(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		if conn, err := l.Accept(); err == nil {
			f(conn)
		}
	}()
	return l.Addr().String()
}

func TestReachTCPFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, target, want string
		timeout            time.Duration
	}{
		{"nobody listens", closed, ReachRefused, time.Minute},
		{"no answer", serve(t, func(net.Conn) {}), ReachTimeout, 100 * time.Millisecond},
		{"another service", serve(t, func(c net.Conn) {
			_, _ = io.WriteString(c, strings.Repeat("HTTP/1.1 400\r\n", 9))
		}), ReachEcho, time.Minute},
		{"resets", serve(t, func(c net.Conn) {
			_, _ = io.ReadFull(c, make([]byte, 26))
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}), ReachReset, time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ReachTCP(t.Context(), test.target, test.timeout)
			if got.Reached || got.Reason != test.want || got.Error == "" || got.ConnectSeconds != 0 {
				t.Errorf("ReachTCP() = %+v, want %s", got, test.want)
			}
		})
	}
}

func TestFindPathMTU(t *testing.T) {
	p := MTUProbe{Host: "127.0.0.1", Port: echoServer(t), Min: 576, Max: 9000, Tries: 3, Wait: 2 * time.Second}
	got, err := FindPathMTU(t.Context(), p)
	if err != nil || got.Bytes != 9000 || !got.AtLimit {
		t.Errorf("FindPathMTU() = %+v, %v", got, err)
	}
	p.Port++ // nobody there, in all likelihood
	if got, err := FindPathMTU(t.Context(), p); err == nil {
		t.Errorf("without a server: %+v", got)
	} else if errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
