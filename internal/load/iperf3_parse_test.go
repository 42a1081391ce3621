package load

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "iperf3", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseIperf3(t *testing.T) {
	for _, name := range []string{
		"single-client", "single-server", "omit-client", "omit-server",
		"omit-fraction-client", "fine-client", "fine-server", "tcp-options-client",
		"udp-paced-client", "udp-paced-server", "udp-reverse-client", "udp-reverse-server",
		"udp-lossy-client", "udp-lossy-server", "udp-lossy-reverse-client", "udp-gap-server", "udp-nothing-server", "udp-unlimited-client",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ParseIperf3(fixture(t, name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "iperf3", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(fixture(t, name+".golden")), string(got)+"\n"); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// After repair the intervals behind the warm-up begin at its end and hold all
// the bytes of the total, each at a plausible rate.
func TestParseIperf3RepairsFirstInterval(t *testing.T) {
	for _, name := range []string{"omit-client", "omit-server", "fine-client", "fine-server"} {
		r, err := ParseIperf3(fixture(t, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		for _, i := range r.counted() {
			bytes += i.Bytes
			if rate := float64(i.Bytes) * 8 / (i.End - i.Start); math.Abs(rate/i.BitsPerSecond-1) > 1e-3 {
				t.Errorf("%s: interval from %v to %v has %v bit/s, its bytes make %v", name, i.Start, i.End, i.BitsPerSecond, rate)
			}
		}
		total := r.Received
		if r.Client {
			total = r.Sent
		}
		if bytes != total.Bytes || r.counted()[0].Start != 0 {
			t.Errorf("%s: intervals from %v s hold %d bytes, total is %d", name, r.counted()[0].Start, bytes, total.Bytes)
		}
	}
}

func TestParseIperf3Errors(t *testing.T) {
	edit := func(old, new string) []byte {
		text := string(fixture(t, "single-client.json"))
		if !strings.Contains(text, old) {
			t.Fatalf("fixture does not contain %q", old)
		}
		return []byte(strings.ReplaceAll(text, old, new))
	}
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", fixture(t, "empty.json"), "wrote nothing"},
		{"blank", []byte(" \n"), "wrote nothing"},
		{"cut short", fixture(t, "cut-client.json"), "not its complete JSON, but 14"},
		{"text before", append([]byte("warning: no\n"), fixture(t, "single-client.json")...), `"warning: no`},
		{"two results", append(fixture(t, "single-client.json"), fixture(t, "single-client.json")...), "not its complete JSON"},
		{"no sum_received", edit(`"sum_received"`, `"sum_other"`), "end.sum_received: no bytes"},
		{"no sum_sent", edit(`"sum_sent"`, `"sum_other"`), "end.sum_sent: no bytes"},
		{"no intervals", edit(`"intervals"`, `"others"`), "with 0 intervals: none of them is after the warm-up"},
		{"interval without sum", edit(`"sum"`, `"other"`), "interval 1: no start"},
		{"no CPU", edit(`"cpu_utilization_percent"`, `"other"`), "no end.cpu_utilization_percent"},
		{"no test", edit(`"test_start"`, `"other"`), "no start.test_start"},
		{"other protocol", edit(`"TCP"`, `"SCTP"`), `protocol is "SCTP"`},
		{"two directions", fixture(t, "tcp-bidir-client.json"), "bidirectional"},
		{"UDP without its counts", edit(`"TCP"`, `"UDP"`), "datagrams of 131072 bytes"},
		{"no object", []byte("null"), "no start.test_start"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseIperf3(test.data)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestParseIperf3FailedTest(t *testing.T) {
	tests := []struct {
		file string
		want Iperf3Error
	}{
		{"refused.json", Iperf3Error{"unable to connect to server: Connection refused", 0}},
		{"busy.json", Iperf3Error{"the server is busy running a test. try again later", 0}},
		{"server-killed-client.json", Iperf3Error{"unable to write to stream socket: Connection reset by peer", 6}},
		{"client-killed-server.json", Iperf3Error{"the client has unexpectedly closed the connection", 1}},
		{"udp-toolarge-client.json", Iperf3Error{"unable to write to stream socket: Message too long", 0}},
		{"udp-blocked-client.json", Iperf3Error{"unable to read from stream socket: Resource temporarily unavailable", 0}},
		{"udp-server-killed-client.json", Iperf3Error{"control socket has closed unexpectedly", 4}},
		{"udp-client-killed-server.json", Iperf3Error{"the client has unexpectedly closed the connection", 3}},
		{"udp-window-client.json", Iperf3Error{"socket buffer size not set correctly", 0}},
	}
	for _, test := range tests {
		_, err := ParseIperf3(fixture(t, test.file))
		var failed *Iperf3Error
		if !errors.As(err, &failed) {
			t.Errorf("%s: error is %v, want an Iperf3Error", test.file, err)
			continue
		}
		if diff := cmp.Diff(test.want, *failed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.file, diff)
		}
	}
}

// Whatever the input, a result is whole and combining it does not panic.
func FuzzParseIperf3(f *testing.F) {
	for _, name := range []string{
		"single-client.json", "single-server.json", "omit-client.json", "fine-client.json", "refused.json",
		"server-killed-client.json", "cut-client.json", "empty.json", "udp-lossy-server.json", "udp-lossy-client.json", "udp-nothing-server.json",
	} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseIperf3(data)
		if err != nil {
			return
		}
		if len(r.counted()) == 0 || r.Sent == nil && r.Received == nil {
			t.Fatalf("result without intervals or totals: %+v", r)
		}
		last := 0.0
		for _, i := range r.counted() {
			if i.Bytes < 0 || i.End < i.Start || i.Start < last-clockSlop || math.IsNaN(i.BitsPerSecond) {
				t.Fatalf("interval %+v", i)
			}
			last = i.End
		}
		_, _ = CombineIperf3([]Iperf3Stream{{Client: r}})
		if u := r.Datagrams; u != nil && (u.Size < 1 || u.Lost < 0 || u.Lost > u.Expected || u.OutOfOrder < 0) {
			t.Fatalf("datagrams %+v", u)
		}
		server, life := r, probe.ProcessReport{Start: r.Started, End: r.Started.Add(r.Omit + seconds(r.end()) + time.Second/10)}
		server.Client = false
		if d, err := CombineIperf3UDP([]Iperf3Stream{{Client: r, Server: &server, ClientProcess: life}}); err == nil && !(d.Loss() >= 0 && d.Loss() <= 1) {
			t.Fatalf("loss is %v of %+v", d.Loss(), d)
		}
	})
}
