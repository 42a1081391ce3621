package cni

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
)

// relayConn is a connection that a cnibench-probe makes elsewhere.
type relayConn struct {
	net.Conn
	ended chan struct{}
	err   error // of the probe, once ended
}

// relay connects to the first of some addresses that takes the connection, from
// where run starts cnibench-probe: no packet of it crosses the network of pods
// on the way there. A connection that cannot be made shows when it is read.
func relay(ctx context.Context, run runner, addresses ...string) net.Conn {
	near, far := net.Pipe()
	r := &relayConn{Conn: near, ended: make(chan struct{})}
	go func() {
		var stderr bytes.Buffer
		r.err = run(ctx, append([]string{"relay"}, addresses...), far, far, &stderr)
		if text := bytes.TrimSpace(stderr.Bytes()); r.err != nil && len(text) > 0 {
			r.err = errors.New(string(bytes.TrimPrefix(text, []byte("cnibench-probe: error: "))))
		}
		close(r.ended)
		_ = far.Close() // never fails
	}()
	return r
}

// Read says why there is no connection, rather than that it ended.
func (r *relayConn) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		<-r.ended
		if r.err != nil {
			err = r.err
		}
	}
	return n, err
}
