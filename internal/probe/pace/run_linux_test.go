package pace

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// These tests use real sockets on the loopback interface. They assert counts,
// and that nothing is faster than it can be; how slow a busy machine is, is its
// own business.

// startServer serves for the test. The function returned ends it.
func startServer(t *testing.T, spec ServeSpec) (port int, stop func() Served) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended, failed := make(chan Ready, 1), make(chan Served, 1), make(chan error, 1)
	spec.Address = "127.0.0.1"
	go func() {
		served, err := Serve(ctx, spec, func(r Ready) error { ready <- r; return nil })
		failed <- err
		ended <- served
	}()
	stop = func() Served {
		cancel()
		if err := <-failed; err != nil {
			t.Errorf("Serve() = %v", err)
		}
		return <-ended
	}
	select {
	case r := <-ready:
		return r.Port, stop
	case err := <-failed:
		t.Fatal(err)
	}
	return 0, nil
}

// brief is a load of 300 requests in 300 ms to a port of this host.
func brief(kind Kind, port int) Spec {
	return Spec{
		Kind: kind, Target: net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), Connections: 3, Rate: 1000, Gaps: Fixed,
		RequestBytes: 100, ResponseBytes: 300, Duration: 300 * time.Millisecond, Omit: 50 * time.Millisecond, Timeout: 30 * time.Second,
	}
}

func run(t *testing.T, spec Spec) Report {
	t.Helper()
	r, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Connections take several addresses in turn, each as often as the others.
func TestConnectsTakeTargetsInTurn(t *testing.T) {
	serve := ServeSpec{Kind: TCPCRR, RequestBytes: 100, ResponseBytes: 300}
	first, stopFirst := startServer(t, serve)
	second, stopSecond := startServer(t, serve)
	spec := brief(TCPCRR, first)
	spec.More = []string{net.JoinHostPort("127.0.0.1", fmt.Sprint(second))}
	r := run(t, spec)
	one, other := stopFirst().Requests, stopSecond().Requests
	if r.Counts.Answered != 300 || max(one, other)-min(one, other) > 1 {
		t.Errorf("%d answers; the servers had %d and %d requests", r.Counts.Answered, one, other)
	}
}

// The control experiment of the measurement: a known delay is found again.
func TestInjectedDelayShows(t *testing.T) {
	const delay = 20 * time.Millisecond
	for _, kind := range []Kind{TCPRR, UDPRR, TCPCRR} {
		t.Run(string(kind), func(t *testing.T) {
			port, stop := startServer(t, ServeSpec{Kind: kind, RequestBytes: 100, ResponseBytes: 300, Delay: delay})
			r := run(t, brief(kind, port))
			served := stop()
			if r.Counts.Intended != 300 || r.Counts.Answered != 300 || r.Counts.Sent != 300 || r.Counts.Strays != 0 {
				t.Errorf("counts: %+v", r.Counts)
			}
			if served.Requests < 350 {
				t.Errorf("served: %+v", served)
			}
			fastest, _ := r.Service.Percentile(0, 0)
			if response, _ := r.Response.Percentile(0, 0); response < fastest-fastest/500 || fastest < delay {
				t.Errorf("fastest answer after %v, since it was intended %v, injected %v", fastest, response, delay)
			}
			if got := r.End.Sub(r.Start); got != 300*time.Millisecond {
				t.Errorf("window of %v", got)
			}
			if kind == UDPRR {
				return
			}
			if r.CongestionControl == "" || r.CongestionControl != served.CongestionControl {
				t.Errorf("congestion control %q and %q", r.CongestionControl, served.CongestionControl)
			}
			if want := kind == TCPCRR; (r.Connect.Count() == 300) != want {
				t.Errorf("%d connections timed", r.Connect.Count())
			}
		})
	}
}

// In 800 ms a server that pauses for 200 ms in every 400 makes at least one
// whole pause: 200 requests wait, and 80, a tenth of all, for more than 120 ms.
func TestPauseShows(t *testing.T) {
	for _, kind := range []Kind{TCPRR, UDPRR} {
		t.Run(string(kind), func(t *testing.T) {
			port, stop := startServer(t, ServeSpec{Kind: kind, RequestBytes: 100, ResponseBytes: 300,
				Pause: 200 * time.Millisecond, PauseEvery: 400 * time.Millisecond})
			spec := brief(kind, port)
			spec.Duration = 800 * time.Millisecond
			r := run(t, spec)
			if served := stop(); served.Pauses < 2 || r.Counts.Answered != 800 {
				t.Errorf("served %+v, counts %+v", served, r.Counts)
			}
			for q, least := range map[float64]time.Duration{.9: 115 * time.Millisecond, .99: 180 * time.Millisecond} {
				if p := percentile(t, r.Response, q); p < least {
					t.Errorf("percentile %g is %v, want at least %v", q, p, least)
				}
			}
		})
	}
}

func TestClosedLoopOnSockets(t *testing.T) {
	for _, kind := range []Kind{TCPRR, UDPRR, TCPCRR} {
		t.Run(string(kind), func(t *testing.T) {
			port, stop := startServer(t, ServeSpec{Kind: kind, RequestBytes: 100, ResponseBytes: 300, Delay: time.Millisecond})
			spec := brief(kind, port)
			spec.Rate = 0
			r := run(t, spec)
			stop()
			// Three connections with a request per millisecond at most.
			if c := r.Counts; !r.Closed || c.Answered < 3 || c.Answered > 903 || c.Answered != c.Intended {
				t.Errorf("counts: %+v", c)
			}
		})
	}
}

func TestLargeMessages(t *testing.T) {
	const size = 3 << 20 // more than socket buffers take
	port, stop := startServer(t, ServeSpec{Kind: TCPRR, RequestBytes: size, ResponseBytes: size})
	spec := brief(TCPRR, port)
	spec.RequestBytes, spec.ResponseBytes, spec.Rate, spec.Connections = size, size, 30, 2
	r := run(t, spec)
	if stop(); r.Counts.Answered != 9 || r.Counts.Sent != 9 {
		t.Errorf("counts: %+v", r.Counts)
	}
}

func TestBrokenConnectionEndsTheLoad(t *testing.T) {
	port, stop := startServer(t, ServeSpec{Kind: TCPRR, RequestBytes: 100, ResponseBytes: 300})
	spec := brief(TCPRR, port)
	spec.Duration = time.Minute
	failed := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), spec)
		failed <- err
	}()
	time.Sleep(100 * time.Millisecond)
	stop()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "the connection to 127.0.0.1:") {
		t.Errorf("Run() = %v", err)
	}
}

// A server that goes away is no error where every request stands alone: the
// counts say so.
func TestVanishedServerCounts(t *testing.T) {
	for _, kind := range []Kind{UDPRR, TCPCRR} {
		t.Run(string(kind), func(t *testing.T) {
			port, stop := startServer(t, ServeSpec{Kind: kind, RequestBytes: 100, ResponseBytes: 300})
			spec := brief(kind, port)
			spec.Duration, spec.Timeout = time.Second, 100*time.Millisecond
			time.AfterFunc(300*time.Millisecond, func() { stop() })
			c := run(t, spec).Counts
			if c.Answered == 0 || c.Missing() == 0 || c.Intended != 1000 {
				t.Errorf("counts: %+v", c)
			}
			if kind == UDPRR && (c.Refused == 0 || c.TimedOut == 0) || kind == TCPCRR && c.Failed["refused"] == 0 {
				t.Errorf("counts: %+v", c)
			}
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	port, stop := startServer(t, ServeSpec{Kind: UDPRR, RequestBytes: 100, ResponseBytes: 300})
	defer stop()
	spec := brief(UDPRR, port)
	spec.Duration = time.Hour
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(gone) })
	if _, err := Run(ctx, spec); !errors.Is(err, gone) {
		t.Errorf("Run() = %v", err)
	}
}

// nameServer answers what begins with "known" with an address, "broken" with a
// failure, and nothing at all every tenth time after the first; there are no
// other names.
func nameServer(t *testing.T) int {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	var asked atomic.Int64
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || asked.Add(1)%10 == 0 {
				continue
			}
			name := m.Questions[0].Name.String()
			m.Response = true
			switch {
			case strings.HasPrefix(name, "known"):
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET},
					Body: &dnsmessage.AResource{}}}
			case strings.HasPrefix(name, "broken"):
				m.RCode = dnsmessage.RCodeServerFailure
			default:
				m.RCode = dnsmessage.RCodeNameError
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return conn.LocalAddr().(*net.UDPAddr).Port
}

func TestDNSCountsWhatAnswersSay(t *testing.T) {
	spec := brief(DNS, nameServer(t))
	spec.Timeout = 300 * time.Millisecond
	spec.Questions = []Question{{"known.example.org.", NoError}, {"*.example.org.", NXDomain}, {"broken.example.org.", NoError}}
	c := run(t, spec).Counts
	lost := c.TimedOut
	// The schedule is in turn, so a third of the 300 is each kind, less the lost.
	if c.Intended != 300 || lost < 29 || lost > 31 || c.Failed["SERVFAIL"] < 85 || c.Failed["SERVFAIL"] != c.Answers["SERVFAIL"] ||
		c.Answers[NoError]+c.Answers[NXDomain] != c.Answered || c.Answered+c.Failed["SERVFAIL"]+lost != 300 {
		t.Errorf("counts: %+v", c)
	}
}

// Connections take the ports in turn: where nobody listens on one of three, a
// third of them are refused.
func TestConnectionsTakePortsInTurn(t *testing.T) {
	nobody, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSocket(nobody)
	if err := unix.Bind(nobody, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(nobody)
	if err != nil {
		t.Fatal(err)
	}
	second := freePort(t)
	port, stop := startServer(t, ServeSpec{Kind: TCPCRR, Further: []int{second}, RequestBytes: 100, ResponseBytes: 300})
	spec := brief(TCPCRR, port)
	spec.Connections = 1
	for _, other := range []int{second, name.(*unix.SockaddrInet4).Port} {
		spec.More = append(spec.More, net.JoinHostPort("127.0.0.1", fmt.Sprint(other)))
	}
	r := run(t, spec)
	stop()
	if r.Counts.Intended != 300 || r.Counts.Answered != 200 || r.Counts.Failed["refused"] != 100 {
		t.Errorf("counts: %+v", r.Counts)
	}
}

// freePort is one that nobody had a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
