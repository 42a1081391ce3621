package load

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

func qperfClient(test QperfTest, size int) QperfClient {
	return QperfClient{Test: test, Host: "10.9.0.2", Port: 19765, DataPort: 19766, MessageSize: size, Duration: time.Second}
}

func TestQperfArgv(t *testing.T) {
	for name, c := range map[string]QperfClient{
		"tcp-bw": qperfClient(QperfTCPBandwidth, 1024), "tcp-lat": qperfClient(QperfTCPLatency, 1024),
		"udp-bw": qperfClient(QperfUDPBandwidth, 1024), "udp-lat": qperfClient(QperfUDPLatency, 1024),
		"udp-bw-65507": qperfClient(QperfUDPBandwidth, LargestDatagram),
	} {
		argv, err := c.Argv()
		checkArgv(t, argv, err, "qperf", name)
	}
	if argv, err := (QperfServer{Port: 19765}).Argv(); err != nil || strings.Join(argv, " ") != "qperf -lp 19765" {
		t.Errorf("server %q, %v", argv, err)
	}
}

func TestQperfArgvRefuses(t *testing.T) {
	for name, change := range map[string]func(*QperfClient){
		"another test":       func(c *QperfClient) { c.Test = "quit" },
		"host like a flag":   func(c *QperfClient) { c.Host = "-h" },
		"port":               func(c *QperfClient) { c.Port = 0 },
		"data port":          func(c *QperfClient) { c.DataPort = 65536 },
		"no message":         func(c *QperfClient) { c.MessageSize = 0 },
		"too long a message": func(c *QperfClient) { c.MessageSize = LargestDatagram + 1 },
		"half a second":      func(c *QperfClient) { c.Duration = 1500 * time.Millisecond },
		"no time":            func(c *QperfClient) { c.Duration = 0 },
	} {
		c := qperfClient(QperfUDPLatency, 64)
		change(&c)
		if argv, err := c.Argv(); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

func TestParseQperf(t *testing.T) {
	for _, name := range []string{"tcp-bw", "tcp-bw-1", "tcp-lat", "tcp-lat-64k", "udp-bw", "udp-bw-65507", "udp-lat"} {
		t.Run(name, func(t *testing.T) {
			p := process(t, "qperf", name)
			r, err := ParseQperf(p)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, "qperf", name, r)
			// Rates and latencies are of the counts and the time.
			if r.BitsPerSecond > 0 {
				if rate := float64(r.Received*int64(r.MessageSize)) * 8 / r.BitsPerSecond; math.Abs(rate-1) > 0.03 {
					t.Errorf("%d messages of %d bytes do not make %v bit/s", r.Received, r.MessageSize, r.BitsPerSecond)
				}
			} else if trip := r.Clocked / time.Duration(r.Received); math.Abs(float64(trip)/float64(2*r.Latency)-1) > 0.03 {
				t.Errorf("%d round trips in %v do not make a latency of %v", r.Received, r.Clocked, r.Latency)
			}
			w, err := r.Window(p)
			if err != nil || w.Start.Before(p.Start) || w.End.After(p.End) || w.Duration() > r.Duration || w.Duration() < r.Duration*9/10 {
				t.Errorf("window %v (%v) of a process from %v to %v, %v", w, w.Duration(), p.Start, p.End, err)
			}
		})
	}
}

func TestParseQperfFailures(t *testing.T) {
	checkFailures(t, "qperf", ParseQperf, []failure{
		{"refused", "qperf failed: 10.9.0.2: failed to connect"},
		{"no-route", "10.77.0.1: failed to connect"},
		{"unknown-host", "getaddrinfo failed: Temporary failure in name resolution"},
		{"udp-bw-too-long", "no message arrived: sending failed 1289562 times"},
		{"udp-lat-too-long", "no message arrived: sending failed 1392578 times"},
		{"udp-lat-cut", "failed to receive results: timed out"},
		{"server-killed-bw", "failed to receive results: server not responding"},
		{"server-killed-udp", "failed to receive results: server not responding"},
		{"client-killed", "qperf was ended by SIGTERM"},
		{"client-timeout", "qperf ran into its timeout"},
		{"version", "does not begin with the name of a test"},
	})
	change := func(old, new string) probe.ProcessReport {
		p := process(t, "qperf", "tcp-bw")
		p.Stdout = strings.Replace(p.Stdout, old, new, 1)
		return p
	}
	for name, tt := range map[string]struct {
		p    probe.ProcessReport
		want string
	}{
		"scaled units":   {change("bytes/sec", "MB/sec"), `bw is in "MB/sec", not in "bytes/sec"`},
		"no bandwidth":   {change("bw   ", "xx   "), "bw is missing"},
		"no number":      {change("207422464", "many"), `bw is "many", which is no number`},
		"twice":          {change("msg_rate", "msg_size"), "msg_size is there twice"},
		"no value":       {change("    port   ", "port\nport2"), `the line "port" is no value`},
		"another test":   {change("tcp_bw:", "rc_bw:"), `"rc_bw" is no test that is known here`},
		"nothing came":   {change("recv_msgs", "xecv_msgs"), "no message arrived"},
		"nothing at all": {probe.ProcessReport{}, "does not begin"},
		"without a word": {probe.ProcessReport{ExitCode: 1}, "without a word"},
	} {
		if r, err := ParseQperf(tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", name, r, err, tt.want)
		}
	}
}

// Whatever qperf prints, a result has figures.
func FuzzParseQperf(f *testing.F) {
	for _, name := range []string{"tcp-bw", "tcp-lat", "udp-bw", "udp-lat", "udp-bw-too-long", "refused"} {
		f.Add(process(f, "qperf", name).Stdout)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		r, err := ParseQperf(probe.ProcessReport{Stdout: stdout})
		if err != nil {
			return
		}
		if (r.BitsPerSecond > 0) == (r.Latency > 0) || r.Received < 1 || r.Duration <= 0 || r.Clocked <= 0 || math.IsInf(r.BitsPerSecond, 0) {
			t.Errorf("result %+v", r)
		}
	})
}
