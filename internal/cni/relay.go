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
	return n, r.explain(err)
}

// Write says it, too: the probe may have ended before anything was asked.
func (r *relayConn) Write(b []byte) (int, error) {
	n, err := r.Conn.Write(b)
	return n, r.explain(err)
}

// explain turns the end of the probe into its reason.
func (r *relayConn) explain(err error) error {
	switch {
	case errors.Is(err, io.EOF): // only the probe's end gives one
		<-r.ended
	case errors.Is(err, io.ErrClosedPipe): // this end may have been closed, while the probe runs
		select {
		case <-r.ended:
		default:
			return err
		}
	default:
		return err
	}
	if r.err != nil {
		return r.err
	}
	return err
}
