package node

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// forwardTo starts a forwarder and connects to it.
func forwardTo(t *testing.T, target net.Listener) *net.TCPConn {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = front.Close() })
	go forward(front, netip.MustParseAddrPort(target.Addr().String()))
	client, err := net.Dial("tcp", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client.(*net.TCPConn)
}

// A client that has said all it has to say still gets the whole answer.
func TestForwardPassesOnHalfClosedConnections(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		c, err := server.Accept()
		if err != nil {
			return
		}
		question, _ := io.ReadAll(c) // ends only when the client's end is passed on
		_, _ = io.WriteString(c, strings.ToUpper(string(question)))
		_ = c.Close()
	}()
	client := forwardTo(t, server)
	if _, err := io.WriteString(client, strings.Repeat("question ", 1<<15)); err != nil {
		t.Fatal(err)
	}
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(client)
	if err != nil || string(answer) != strings.Repeat("QUESTION ", 1<<15) {
		t.Errorf("the answer has %d bytes, %v", len(answer), err)
	}
}

func TestForwardClosesWhenNobodyListens(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	client := forwardTo(t, server)
	if n, err := client.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d bytes, %v; want a closed connection", n, err)
	}
}
