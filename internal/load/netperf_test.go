package load

import (
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

func netperfClient(test NetperfTest, size int) Netperf {
	return Netperf{Test: test, Host: "10.9.0.2", Port: 12865, DataPort: 12866, MessageSize: size, Duration: time.Second}
}

func TestNetperfArgv(t *testing.T) {
	crr := netperfClient(NetperfTCPCRR, 64)
	crr.Duration = 2 * time.Second
	for name, c := range map[string]Netperf{
		"tcp-stream": netperfClient(NetperfTCPStream, 16384), "tcp-rr": netperfClient(NetperfTCPRR, 64),
		"udp-rr": netperfClient(NetperfUDPRR, 64), "tcp-crr": crr,
	} {
		argv, err := c.Argv()
		checkArgv(t, argv, err, "netperf", name)
	}
	if argv, err := (Netserver{Port: 12865}).Argv(); err != nil || strings.Join(argv, " ") != "netserver -D -p 12865" {
		t.Errorf("server %q, %v", argv, err)
	}
}

func TestNetperfArgvRefuses(t *testing.T) {
	for name, change := range map[string]func(*Netperf){
		"another test":     func(c *Netperf) { c.Test = "SCTP_RR" },
		"no host":          func(c *Netperf) { c.Host = "" },
		"port":             func(c *Netperf) { c.Port = 0 },
		"data port":        func(c *Netperf) { c.DataPort = 0 },
		"too long":         func(c *Netperf) { c.MessageSize = 65508 },
		"part of a second": func(c *Netperf) { c.Duration = time.Millisecond },
	} {
		c := netperfClient(NetperfUDPRR, 64)
		change(&c)
		if argv, err := c.Argv(); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

func TestParseNetperf(t *testing.T) {
	for _, name := range []string{"tcp-stream", "tcp-rr", "udp-rr", "tcp-crr"} {
		t.Run(name, func(t *testing.T) {
			p := process(t, "netperf", name)
			r, err := ParseNetperf(p)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, "netperf", name, r)
			if name == "tcp-crr" {
				return // it waits for seconds before it ends: see below
			}
			w, err := r.Window(p)
			if err != nil || w.Start.Before(p.Start) || w.End.After(p.End) || w.Duration() < r.Elapsed*9/10 {
				t.Errorf("window %v (%v) of a process from %v to %v, %v", w, w.Duration(), p.Start, p.End, err)
			}
		})
	}
}

// After TCP_CRR of 2 s, netperf 2.7 lived for four more: nobody can tell when
// it measured.
func TestNetperfWindowIsUnknown(t *testing.T) {
	p := process(t, "netperf", "tcp-crr")
	r, err := ParseNetperf(p)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := r.Window(p); err == nil || !strings.Contains(err.Error(), "too little to know when") {
		t.Errorf("window %v, %v", w, err)
	}
}

func TestParseNetperfFailures(t *testing.T) {
	checkFailures(t, "netperf", ParseNetperf, []failure{
		{"refused", "netperf failed: establish control: are you sure there is a netserver listening on 10.9.0.2 at port 12865?"},
		{"unknown-host", "Temporary failure in name resolution"},
		{"udp-rr-too-long", "send_omni: send_data failed: Message too long"},
		{"unknown-keys", "Could not open output selection file 'NONSENSE'"},
		{"udp-rr-cut", "netperf ran into its timeout"},
		{"server-killed", "recv_response: partial response received: 0 bytes"},
		{"server-killed-udp", "recv_response: partial response received: 0 bytes"},
		{"client-killed", "netperf was ended by SIGTERM"},
		{"version", "no span of time"},
	})
	change := func(old, new string) probe.ProcessReport {
		p := process(t, "netperf", "tcp-rr")
		p.Stdout = strings.Replace(p.Stdout, old, new, 1)
		return p
	}
	for name, tt := range map[string]struct {
		p    probe.ProcessReport
		want string
	}{
		"other units":   {change("Trans/s", "Kbit/s"), `throughput is in "Kbit/s"`},
		"no latency":    {change("MEAN_LATENCY", "MODE_LATENCY"), "MEAN_LATENCY: "},
		"twice":         {change("MIN_LATENCY", "MAX_LATENCY"), "MAX_LATENCY is there twice"},
		"no throughput": {change("THROUGHPUT=", "THROUGHPUT=-"), "no measurement"},
	} {
		if r, err := ParseNetperf(tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", name, r, err, tt.want)
		}
	}
}

// Whatever netperf prints, a result has a rate.
func FuzzParseNetperf(f *testing.F) {
	for _, name := range []string{"tcp-stream", "tcp-rr", "udp-rr", "tcp-crr", "refused"} {
		f.Add(process(f, "netperf", name).Stdout)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		r, err := ParseNetperf(probe.ProcessReport{Stdout: stdout})
		if err != nil {
			return
		}
		if (r.BitsPerSecond > 0) == (r.TransactionsPerSecond > 0) || (r.Latency != nil) != (r.TransactionsPerSecond > 0) {
			t.Errorf("result %+v", r)
		}
	})
}
