package load

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestIperf3Argv(t *testing.T) {
	client := Iperf3Client{Host: "192.0.2.1", Port: 5201, Duration: 10 * time.Second, Omit: time.Second, Interval: 100 * time.Millisecond}
	argv, err := client.Argv()
	if err != nil {
		t.Fatal(err)
	}
	want := "iperf3 -c 192.0.2.1 -p 5201 -J -P 1 -t 10 -O 1 -i 0.1"
	if diff := cmp.Diff(want, strings.Join(argv, " ")); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
	client.Reverse = true
	if argv, err = client.Argv(); err != nil || argv[len(argv)-1] != "-R" {
		t.Errorf("reverse client = %q, %v", argv, err)
	}
	argv, err = Iperf3Server{Port: 5202, Interval: time.Second}.Argv()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("iperf3 -s -1 -J -p 5202 -i 1", strings.Join(argv, " ")); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
}

func TestIperf3ArgvOptions(t *testing.T) {
	base := Iperf3Client{Host: "a", Port: 5201, Duration: time.Second, Interval: time.Second}
	for _, tt := range []struct {
		change func(*Iperf3Client)
		want   string
	}{
		{func(c *Iperf3Client) { c.UDP = true }, "-u -b 0"},
		{func(c *Iperf3Client) { c.UDP, c.BitsPerSecond, c.MessageSize, c.DontFragment = true, 1e8, 1200, true }, "-u -b 100000000 -l 1200 --dont-fragment"},
		{func(c *Iperf3Client) { c.Window, c.MessageSize, c.ZeroCopy = 1<<20, 128<<10, true }, "-l 131072 -w 1048576 -Z"},
		{func(c *Iperf3Client) { c.Reverse, c.BitsPerSecond = true, 5e7 }, "-R -b 50000000"},
	} {
		c := base
		tt.change(&c)
		argv, err := c.Argv()
		if got := strings.Join(argv, " "); err != nil || !strings.HasSuffix(got, " -i 1 "+tt.want) {
			t.Errorf("%s, %v; want an end of %s", got, err, tt.want)
		}
	}
}

func TestIperf3ArgvRefuses(t *testing.T) {
	good := Iperf3Client{Host: "a", Port: 1, Duration: time.Second, Interval: time.Second}
	tests := []struct {
		name   string
		change func(*Iperf3Client)
		want   string
	}{
		{"fraction of duration", func(c *Iperf3Client) { c.Duration = 1500 * time.Millisecond }, "whole seconds, and its duration is 1.5s"},
		{"fraction of omit", func(c *Iperf3Client) { c.Omit = 500 * time.Millisecond }, "whole seconds, and its omitted warm-up is 500ms"},
		{"no duration", func(c *Iperf3Client) { c.Duration = 0 }, "duration from 1s"},
		{"long omit", func(c *Iperf3Client) { c.Omit = time.Hour }, "not 1h0m0s"},
		{"short interval", func(c *Iperf3Client) { c.Interval = time.Millisecond }, "not every 1ms"},
		{"odd interval", func(c *Iperf3Client) { c.Interval = time.Second + time.Microsecond }, "whole milliseconds"},
		{"host like a flag", func(c *Iperf3Client) { c.Host = "-s" }, `host "-s"`},
		{"small datagram", func(c *Iperf3Client) { c.UDP, c.MessageSize = true, 15 }, "messages of 16 to 65507 bytes, not of 15"},
		{"large message", func(c *Iperf3Client) { c.MessageSize = 2 << 20 }, "not of 2097152"},
		{"large window", func(c *Iperf3Client) { c.Window = 1 << 30 }, "a window of at most 536870912 bytes"},
		{"negative rate", func(c *Iperf3Client) { c.BitsPerSecond = -1 }, "-1 bit/s"},
		{"zero copy of datagrams", func(c *Iperf3Client) { c.UDP, c.ZeroCopy = true, true }, "over TCP only"},
		{"whole segments", func(c *Iperf3Client) { c.DontFragment = true }, "over UDP only"},
		{"port", func(c *Iperf3Client) { c.Port = 70000 }, "port 70000"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := good
			test.change(&c)
			argv, err := c.Argv()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Argv() = %q, %v; want an error with %q", argv, err, test.want)
			}
		})
	}
}
