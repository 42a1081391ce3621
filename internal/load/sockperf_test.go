package load

import (
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

func sockperfClient(tcp bool, rate int) SockperfClient {
	return SockperfClient{Host: "10.9.0.2", Port: 11111, TCP: tcp, MessageSize: 64, Duration: 2 * time.Second, Rate: rate}
}

func TestSockperfArgv(t *testing.T) {
	for name, c := range map[string]SockperfClient{
		"ping-pong-udp": sockperfClient(false, 0), "under-load-udp": sockperfClient(false, 1000),
		"ping-pong-tcp": sockperfClient(true, 0), "under-load-tcp": sockperfClient(true, 1000),
	} {
		argv, err := c.Argv()
		checkArgv(t, argv, err, "sockperf", name)
	}
	if argv, err := (SockperfServer{Host: "10.9.0.2", Port: 5201, TCP: true}).Argv(); err != nil || strings.Join(argv, " ") != "sockperf server -p 5201 -i 10.9.0.2 --tcp" {
		t.Errorf("server %q, %v", argv, err)
	}
}

func TestSockperfArgvRefuses(t *testing.T) {
	for name, change := range map[string]func(*SockperfClient){
		"no host":             func(c *SockperfClient) { c.Host = "" },
		"port":                func(c *SockperfClient) { c.Port = -1 },
		"shorter than header": func(c *SockperfClient) { c.MessageSize = 13 },
		"too long":            func(c *SockperfClient) { c.MessageSize = 65508 },
		"part of a second":    func(c *SockperfClient) { c.Duration = 500 * time.Millisecond },
		"negative rate":       func(c *SockperfClient) { c.Rate = -1 },
	} {
		c := sockperfClient(false, 0)
		change(&c)
		if argv, err := c.Argv(); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

func TestParseSockperf(t *testing.T) {
	for _, name := range []string{"ping-pong-udp", "ping-pong-tcp", "under-load-udp", "under-load-tcp", "overload-udp"} {
		t.Run(name, func(t *testing.T) {
			p := process(t, "sockperf", name)
			r, err := ParseSockperf(p)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, "sockperf", name, r)
			// The wait before the first message does not blur the window.
			w, err := r.Window(p)
			if err != nil || w.Start.Sub(p.Start) < sockperfWait || w.Duration() > r.Valid || w.Duration() < r.Valid/2 {
				t.Errorf("window %v (%v) of a process from %v to %v, %v", w, w.Duration(), p.Start, p.End, err)
			}
		})
	}
}

func TestParseSockperfFailures(t *testing.T) {
	checkFailures(t, "sockperf", ParseSockperf, []failure{
		{"refused-udp", "sockperf failed: No messages were received from the server. Is the server down?"},
		{"refused-tcp", "sockperf failed: Can`t connect socket (errno=111 Connection refused)"},
		{"no-route", "Network is unreachable"},
		{"no-route-tcp", "Can`t connect socket (errno=101 Network is unreachable)"},
		{"unknown-host", "'-i' Invalid address: nosuch.invalid"},
		{"server-killed-tcp", "A connection was forcibly closed by a peer"},
		{"server-killed-udp", "sockperf stood still for the last 1.148s of 3.001s"},
		{"client-killed", "sockperf was ended by SIGTERM"},
		{"client-timeout", "sockperf ran into its timeout"},
		{"version", "the total is missing"},
	})
	change := func(old, new string) probe.ProcessReport {
		p := process(t, "sockperf", "ping-pong-tcp")
		p.Stdout = strings.Replace(p.Stdout, old, new, 1)
		return p
	}
	for name, tt := range map[string]struct {
		p    probe.ProcessReport
		want string
	}{
		"halves of round trips": {change("avg-rtt", "avg-latency"), "halves of round trips"},
		"no loss":               {change("# dropped", "dropped"), "the loss is missing"},
		"no median":             {change("percentile 50.000", "percentile 51.000"), "missing or in disorder"},
		"nothing at all":        {probe.ProcessReport{}, "is missing"},
	} {
		if r, err := ParseSockperf(tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", name, r, err, tt.want)
		}
	}
}

// A busy machine may hold the end of a load up, and what came before is good.
func TestSockperfStalled(t *testing.T) {
	for _, tt := range []struct {
		run, valid time.Duration
		stalled    bool
	}{
		{3 * time.Second, 2550 * time.Millisecond, false},
		{3 * time.Second, 2100 * time.Millisecond, false},
		{3 * time.Second, 1900 * time.Millisecond, true},
		{60 * time.Second, 54 * time.Second, false},
		{60 * time.Second, 53 * time.Second, true},
	} {
		if err := (SockperfResult{Run: tt.run, Valid: tt.valid}).stalled(); (err != nil) != tt.stalled {
			t.Errorf("%v of %v: %v, want an error: %t", tt.valid, tt.run, err, tt.stalled)
		}
	}
}

// Whatever sockperf prints, a result has figures in order.
func FuzzParseSockperf(f *testing.F) {
	for _, name := range []string{"ping-pong-udp", "under-load-udp", "overload-udp", "refused-udp", "server-killed-udp"} {
		f.Add(process(f, "sockperf", name).Stdout)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		r, err := ParseSockperf(probe.ProcessReport{Stdout: stdout})
		if err != nil {
			return
		}
		if r.Mean <= 0 || r.P99 < r.P50 || !(r.Rate() > 0) || r.Loss() < 0 || r.Loss() > 1 {
			t.Errorf("result %+v", r)
		}
	})
}
