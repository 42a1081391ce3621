package call

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go/http3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// server is one that listens.
type server struct {
	spec     ServerSpec
	requests atomic.Int64
	port     int
	// serve answers until stop.
	serve func() error
	stop  func()
}

// Serve answers calls until ctx ends, and returns how many. It calls ready when
// it listens.
func Serve(ctx context.Context, spec ServerSpec, ready func(Ready) error) (Served, error) {
	if err := spec.Validate(); err != nil {
		return Served{}, fmt.Errorf("serving calls: %w", err)
	}
	s := &server{spec: spec}
	r := Ready{}
	var config *tls.Config
	if spec.TLS {
		certificate, text, err := selfSigned(time.Now())
		if err != nil {
			return Served{}, err
		}
		config, r.Certificate = serving(certificate), text
	}
	if err := s.listen(ctx, config); err != nil {
		return Served{}, fmt.Errorf("serving calls: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.serve() }()
	r.Port = s.port
	err := ready(r)
	if err == nil {
		select {
		case err = <-ended:
			return Served{}, fmt.Errorf("serving calls: %w", err)
		case <-ctx.Done():
		}
	}
	s.stop()
	stopped := <-ended
	_ = stopped // says only that it was
	return Served{Requests: s.requests.Load()}, err
}

// listen takes the port and prepares serve and stop.
func (s *server) listen(ctx context.Context, config *tls.Config) error {
	address := net.JoinHostPort(s.spec.Address, strconv.Itoa(s.spec.Port))
	if s.spec.Protocol.UDP() {
		packets, err := new(net.ListenConfig).ListenPacket(ctx, "udp", address)
		if err != nil {
			return err
		}
		s.port = packets.LocalAddr().(*net.UDPAddr).Port
		h3 := &http3.Server{Handler: s.handler(), TLSConfig: http3.ConfigureTLSConfig(config)}
		s.serve = func() error { return h3.Serve(packets) }
		s.stop = func() {
			_ = h3.Close() // nothing is kept from a client that is gone
			_ = packets.Close()
		}
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	if s.spec.Protocol.HTTP() {
		s.overTLS(listener, config)
	} else {
		s.overGRPC(listener, config)
	}
	return nil
}

// overTLS speaks the one version of HTTP that is asked for, so that a client
// cannot fall back to another.
func (s *server) overTLS(listener net.Listener, config *tls.Config) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(s.spec.Protocol == H1)
	protocols.SetHTTP2(s.spec.Protocol == H2)
	// Clients are waited for as long as the program is: it ends with its caller.
	h := &http.Server{Handler: s.handler(), TLSConfig: config, Protocols: protocols, ReadHeaderTimeout: time.Minute}
	s.serve = func() error { return h.ServeTLS(listener, "", "") }
	s.stop = func() { _ = h.Close() }
}

func (s *server) overGRPC(listener net.Listener, config *tls.Config) {
	var options []grpc.ServerOption
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	g := grpc.NewServer(options...)
	g.RegisterService(&serviceDesc, grpcAnswers{wrapperspb.Bytes(make([]byte, s.spec.ResponseBytes)), &s.requests})
	s.serve = func() error { return g.Serve(listener) }
	s.stop = g.Stop
}

// handler takes a request to its end, and gives everybody the same answer.
func (s *server) handler() http.Handler {
	answer := make([]byte, s.spec.ResponseBytes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the client is gone
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		if _, err := w.Write(answer); err == nil {
			s.requests.Add(1)
		}
	})
}
