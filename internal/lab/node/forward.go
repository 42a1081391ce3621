//go:build linux

package node

import (
	"io"
	"net"
	"net/netip"
	"time"
)

// dialTimeout is how long a client waits for an API server that is starting.
const dialTimeout = 5 * time.Second

// forward passes every connection that the listener accepts to the target.
// The listener belongs to the host's network namespace, where it was opened;
// the target is dialled from the switch's.
func forward(listener net.Listener, target netip.AddrPort) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // only when the listener is closed
		}
		go func() {
			defer func() { _ = client.Close() }() // nothing is buffered in it
			server, err := net.DialTimeout("tcp", target.String(), dialTimeout)
			if err != nil {
				return // the client sees its connection closed
			}
			defer func() { _ = server.Close() }() // nothing is buffered in it
			splice(client.(*net.TCPConn), server.(*net.TCPConn))
		}()
	}
}

// splice copies both ways and passes on half-closed connections.
func splice(a, b *net.TCPConn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		transfer(a, b)
	}()
	transfer(b, a)
	<-done
}

func transfer(dst, src *net.TCPConn) {
	// An error of either side ends the stream like an end of file would.
	_, _ = io.Copy(dst, src)
	_ = dst.CloseWrite()
}
