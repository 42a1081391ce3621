package probe

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

// What goes in arrives at the first address that listens, and its answer comes
// back whole.
func TestRelay(t *testing.T) {
	closed := listenLoopback(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	open := listenLoopback(t)
	defer func() { _ = open.Close() }()
	go func() {
		conn, err := open.Accept()
		if err != nil {
			return // the test is over
		}
		asked, _ := io.ReadAll(conn)
		_, _ = conn.Write(bytes.ToUpper(asked))
		_ = conn.Close()
	}()
	var stdout, stderr bytes.Buffer
	args := []string{"relay", closed.Addr().String(), open.Addr().String()}
	if status := Main(args, strings.NewReader(strings.Repeat("abc", 100_000)), &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if stdout.String() != strings.Repeat("ABC", 100_000) {
		t.Errorf("%d bytes came back", stdout.Len())
	}
	if status := Main([]string{"relay", closed.Addr().String()}, strings.NewReader(""), &stdout, &stderr); status != 1 || !strings.Contains(stderr.String(), "refused") {
		t.Errorf("nobody listens: status %d, %s", status, stderr.String())
	}
	if status := Main([]string{"relay"}, strings.NewReader(""), &stdout, &stderr); status != 2 {
		t.Errorf("without an address: status %d", status)
	}
}

func listenLoopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
