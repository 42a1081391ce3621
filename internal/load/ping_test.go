package load

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

var pingMeans = regexp.MustCompile(`rtt min/avg/max/mdev = [0-9.]+/([0-9.]+)/`)

func TestPingArgv(t *testing.T) {
	argv, err := Ping{Host: "10.9.0.2", Count: 20, Interval: 2 * time.Millisecond, Size: 56, Wait: time.Second}.Argv()
	checkArgv(t, argv, err, "ping", "plain")
	argv, err = Ping{Host: "10.9.0.2", Count: 5, Interval: 10 * time.Millisecond, Size: 1400, Unfragmented: true, Wait: time.Second}.Argv()
	checkArgv(t, argv, err, "ping", "unfragmented")
}

func TestPingArgvRefuses(t *testing.T) {
	for name, change := range map[string]func(*Ping){
		"no host":               func(c *Ping) { c.Host = "" },
		"no packet":             func(c *Ping) { c.Count = 0 },
		"sequence numbers wrap": func(c *Ping) { c.Count = 65536 },
		"a flood":               func(c *Ping) { c.Interval = time.Millisecond },
		"part of a millisecond": func(c *Ping) { c.Interval = 2500 * time.Microsecond },
		"no room for a stamp":   func(c *Ping) { c.Size = 15 },
		"too large":             func(c *Ping) { c.Size = 65508 },
		"part of a second":      func(c *Ping) { c.Wait = 1500 * time.Millisecond },
	} {
		c := Ping{Host: "10.9.0.2", Count: 20, Interval: 2 * time.Millisecond, Size: 56, Wait: time.Second}
		change(&c)
		if argv, err := c.Argv(); err == nil {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

func TestParsePing(t *testing.T) {
	for _, name := range []string{"plain", "unfragmented", "mixed", "ipv6", "client-interrupted"} {
		t.Run(name, func(t *testing.T) {
			p := process(t, "ping", name)
			r, err := ParsePing(p)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, "ping", name, r)
			w, err := r.Window()
			if err != nil || w.Start.Before(p.Start) || w.End.After(p.End) {
				t.Errorf("window %v of a process from %v to %v, %v", w, p.Start, p.End, err)
			}
			// Ping's own mean is of the same round trips, duplicates among them.
			own, err := decimalDuration(pingMeans.FindStringSubmatch(p.Stdout)[1], time.Millisecond)
			if mean := SortedLatencies(r.RTTs()).Mean(); err != nil || r.Duplicates == 0 && (mean-own).Abs() > time.Microsecond {
				t.Errorf("mean %v, ping's own is %v, %v", mean, own, err)
			}
		})
	}
}

func TestParsePingCounts(t *testing.T) {
	r, err := ParsePing(process(t, "ping", "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Duplicates != 2 || math.Abs(r.Loss()-0.1) > 1e-9 || r.Replies[6].Sequence != 7 {
		t.Errorf("%d duplicates, loss %v, seventh reply %+v", r.Duplicates, r.Loss(), r.Replies[6])
	}
	if r, err = ParsePing(process(t, "ping", "client-interrupted")); err != nil || r.Errors != 9 || len(r.Problems) != 1 {
		t.Errorf("%d errors, problems %q, %v", r.Errors, r.Problems, err)
	}
}

func TestParsePingFailures(t *testing.T) {
	checkFailures(t, "ping", ParsePing, []failure{
		{"too-long", "packets with 1473 bytes do not fit unfragmented: local error: message too long, mtu=1500"},
		{"unreachable", "none of 3 pings was answered: Destination Host Unreachable"},
		{"silent", "none of 3 pings was answered"},
		{"unknown-host", "ping failed: nosuch.invalid: Temporary failure in name resolution"},
		{"no-route", "ping failed: connect: Network is unreachable"},
		{"no-time", "no answer that can be read"},
		{"client-killed", "ping was ended by SIGTERM"},
		{"missing", "ping did not run"},
		{"version", "not what ping of iputils prints"},
		{"busybox", "not what ping of iputils prints"},
	})
	var tooLong *PingTooLongError
	if _, err := ParsePing(process(t, "ping", "too-long")); !errors.As(err, &tooLong) {
		t.Errorf("error %v, want a *PingTooLongError", err)
	}
	p := process(t, "ping", "plain")
	p.Stdout = strings.Replace(p.Stdout, "20 received", "19 received", 1)
	if r, err := ParsePing(p); err == nil || !strings.Contains(err.Error(), "20 answers are listed, and the summary counts 19 of 20") {
		t.Errorf("result %+v, error %v", r, err)
	}
}

// Whatever ping prints, the replies are those that the summary counts.
func FuzzParsePing(f *testing.F) {
	for _, name := range []string{"plain", "mixed", "ipv6", "client-interrupted", "unreachable", "silent"} {
		f.Add(process(f, "ping", name).Stdout)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		r, err := ParsePing(probe.ProcessReport{Stdout: stdout})
		if err != nil {
			return
		}
		if len(r.Replies) != r.Received || r.Received < 1 || r.Loss() < 0 || r.Loss() > 1 {
			t.Errorf("result %+v", r)
		}
		_, _ = r.Window()
	})
}
