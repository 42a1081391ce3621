package probe

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// connectProxy is a proxy that takes HTTP CONNECT on a socket.
func connectProxy(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, err := net.Dial("tcp", r.Host)
		if r.Method != http.MethodConnect || err != nil {
			http.Error(w, "no agent reaches it", http.StatusServiceUnavailable)
			return
		}
		near, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		// The first bytes of the connection follow the head at once.
		_, _ = io.WriteString(near, "HTTP/1.1 200 Connection Established\r\n\r\nhello ")
		go func() {
			_, _ = io.Copy(far, near)
			_ = far.(*net.TCPConn).CloseWrite()
		}()
		_, _ = io.Copy(near, far)
		_ = near.Close()
		_ = far.Close()
	})
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return socket
}

// What connects to a forwarded port talks to the host's through the proxy, and
// a port that the proxy does not reach is closed at once.
func TestForward(t *testing.T) {
	echo, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served, unserved := echo.Addr().(*net.TCPAddr).Port, closed.Addr().(*net.TCPAddr).Port
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Forward(ctx, ForwardSpec{Proxy: connectProxy(t), Host: "127.0.0.1", Ports: []int{served, unserved}}, in)
	}()
	var ready ForwardReady
	frames := bufio.NewReader(out)
	nextFrame(t, frames, FrameReady, &ready)
	for _, say := range []struct {
		port int
		want string
	}{{served, "hello there"}, {unserved, ""}} {
		if got := talk(t, ready.Ports[say.port], "there"); got != say.want {
			t.Errorf("port %d answered %q, want %q", say.port, got, say.want)
		}
	}
	cancel()
	var how ForwardEnded
	nextFrame(t, frames, FrameForwarded, &how)
	if want := "503 Service Unavailable\": no agent reaches it"; !strings.Contains(how.Refused, want) || !strings.Contains(how.Refused, strconv.Itoa(unserved)) {
		t.Errorf("it says %q, and not %q of port %d", how.Refused, want, unserved)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// talk says something and returns all that is answered.
func talk(t *testing.T, port int, words string) string {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, words) // it may be closed already
	_ = conn.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(conn)
	return string(answer)
}
