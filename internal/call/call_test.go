package call

import (
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

// started serves until the test ends and returns its address, its certificate,
// and what ends it.
func started(t *testing.T, spec ServerSpec) (address, certificate string, end func() Served) {
	t.Helper()
	spec.Address = "127.0.0.1"
	ctx, cancel := context.WithCancel(t.Context())
	listens, ended := make(chan Ready, 1), make(chan Served, 1)
	go func() {
		served, err := Serve(ctx, spec, func(r Ready) error { listens <- r; return nil })
		if err != nil {
			t.Error(err)
			listens <- Ready{}
		}
		ended <- served
	}()
	r := <-listens
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.Port)), r.Certificate, func() Served { cancel(); return <-ended }
}

func load(target string, protocol Protocol, certificate string) ClientSpec {
	return ClientSpec{Protocol: protocol, Certificate: certificate, Pace: pace.Spec{
		Kind: pace.Calls, Target: target, Connections: 2, Rate: 100, Gaps: pace.Fixed, RequestBytes: 300, ResponseBytes: 5000,
		Duration: 300 * time.Millisecond, Timeout: 30 * time.Second,
	}}
}

// protocols are all, with and without TLS where both are possible.
var protocols = map[string]ServerSpec{
	"h1": {Protocol: H1, TLS: true}, "h2": {Protocol: H2, TLS: true}, "h3": {Protocol: H3, TLS: true},
	"unary": {Protocol: Unary}, "stream": {Protocol: Stream}, "unary TLS": {Protocol: Unary, TLS: true}, "stream TLS": {Protocol: Stream, TLS: true},
}

func TestEveryCallIsAnswered(t *testing.T) {
	for name, spec := range protocols {
		t.Run(name, func(t *testing.T) {
			spec.ResponseBytes = 5000
			address, certificate, end := started(t, spec)
			report, err := Run(t.Context(), load(address, spec.Protocol, certificate))
			served := end()
			if err != nil {
				t.Fatal(err)
			}
			if c := report.Counts; c.Intended != 30 || c.Answered != 30 || report.Response.Count() != 30 {
				t.Errorf("of 30 calls: %+v", c)
			}
			if served.Requests < 32 { // and one on each of two connections before the clock starts
				t.Errorf("the server answered %d", served.Requests)
			}
			if (report.Offload != nil) != (spec.Protocol == H3) {
				t.Errorf("offload of datagrams: %v", report.Offload)
			}
		})
	}
}

func TestOtherAnswersAreNone(t *testing.T) {
	for name, spec := range protocols {
		t.Run(name, func(t *testing.T) {
			spec.ResponseBytes = 4999
			address, certificate, end := started(t, spec)
			defer end()
			client := load(address, spec.Protocol, certificate)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			// Not even the first one, so that the load does not begin.
			if report, err := Run(ctx, client); err == nil {
				t.Errorf("an answer of another size was taken for one: %+v", report.Counts)
			}
		})
	}
}

func TestStrangersAreNotTrusted(t *testing.T) {
	for _, protocol := range []Protocol{H1, H2, H3, Unary} {
		address, _, end := started(t, ServerSpec{Protocol: protocol, TLS: true, ResponseBytes: 5000})
		_, other, err := selfSigned(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		call, stop, err := caller(load(address, protocol, other))
		if err != nil {
			t.Fatal(err)
		}
		if err := call(t.Context(), 0); err == nil {
			t.Errorf("%s: a server with another certificate was taken for the right one", protocol)
		}
		stop()
		end()
	}
}

func TestABrokenStreamIsOpenedAgain(t *testing.T) {
	address, _, end := started(t, ServerSpec{Protocol: Stream, ResponseBytes: 5000})
	c, err := newGRPCClient(load(address, Stream, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.streamed(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	end()
	if err := c.streamed(t.Context(), 0); err == nil {
		t.Fatal("a server that is gone answered")
	}
	port, err := strconv.Atoi(address[strings.LastIndex(address, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	_, _, end = started(t, ServerSpec{Protocol: Stream, ResponseBytes: 5000, Port: port})
	defer end()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if err = c.streamed(t.Context(), 0); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		t.Errorf("the server is back, and calls still fail: %v", err)
	}
}

// A server that reads nothing fills the window, and what is sent then waits.
func TestAStalledStreamKeepsNoCall(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	deaf := streamDesc
	deaf.Handler = func(_ any, s grpc.ServerStream) error { <-s.Context().Done(); return nil }
	g := grpc.NewServer()
	g.RegisterService(&grpc.ServiceDesc{ServiceName: serviceName, HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{deaf}}, nil)
	go func() { _ = g.Serve(listener) }()
	defer g.Stop()
	spec := load(listener.Addr().String(), Stream, "")
	spec.Pace.RequestBytes = 1 << 20
	client, err := newGRPCClient(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer client.close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	ended := make(chan error, 3)
	for range cap(ended) {
		go func() { ended <- client.streamed(ctx, 0) }()
	}
	for range cap(ended) {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("a call had an answer from a server that gives none")
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a call did not end with its context")
		}
	}
}

func TestReasonsHaveNoPorts(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, certificate, err := selfSigned(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for protocol, want := range map[Protocol]string{H1: "connection refused", H2: "connection refused", Unary: "unavailable", Stream: "unavailable"} {
		spec := load(address, protocol, certificate)
		call, stop, err := caller(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := inWords(call(t.Context(), 0)); got == nil || got.Error() != want {
			t.Errorf("%s: %v, want %s", protocol, got, want)
		}
		stop()
	}
}

func TestSpecsAreRefused(t *testing.T) {
	good := load("127.0.0.1:1", H2, "x")
	for name, spoil := range map[string]func(*ClientSpec){
		"protocol":    func(s *ClientSpec) { s.Protocol = "h4" },
		"kind":        func(s *ClientSpec) { s.Pace.Kind = pace.TCPRR },
		"certificate": func(s *ClientSpec) { s.Certificate = "" },
		"payload":     func(s *ClientSpec) { s.Pace.ResponseBytes = maxPayload + 1 },
		"rate":        func(s *ClientSpec) { s.Pace.Rate = -1 },
	} {
		spec := good
		spoil(&spec)
		if spec.Validate() == nil {
			t.Errorf("%s: %+v was taken", name, spec)
		}
	}
	if err := good.Validate(); err != nil {
		t.Errorf("%+v: %v", good, err)
	}
	for _, s := range []ServerSpec{{Protocol: H1}, {Protocol: Unary, Port: 70000}, {Protocol: "x", TLS: true}} {
		if s.Validate() == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}

func TestProgramsEndWithTheirCaller(t *testing.T) {
	var out, errs bytes.Buffer
	spec := `{"protocol":"h2","address":"127.0.0.1","port":0,"responseBytes":1,"tls":true}` + "\n"
	if status := Main([]string{"serve"}, strings.NewReader(spec), &out, &errs); status != 0 || !strings.Contains(out.String(), FrameServed) {
		t.Errorf("status %d: %s%s", status, out.String(), errs.String())
	}
	for args, want := range map[string]int{"": 2, "fly": 2, "run": 1, "--help": 0} {
		if status := Main(strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard); status != want {
			t.Errorf("%q: status %d, want %d", args, status, want)
		}
	}
}
