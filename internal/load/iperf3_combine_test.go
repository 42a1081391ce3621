package load

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

func recorded(t *testing.T) (clients, servers probe.LoadReport) { return recordedAs(t, "two") }

func recordedAs(t *testing.T, what string) (clients, servers probe.LoadReport) {
	t.Helper()
	for name, report := range map[string]*probe.LoadReport{what + "-clients.json": &clients, what + "-servers.json": &servers} {
		if err := json.Unmarshal(fixture(t, name), report); err != nil {
			t.Fatal(err)
		}
	}
	return clients, servers
}

func TestCombineRecordedStreams(t *testing.T) {
	clients, servers := recorded(t)
	streams, err := Iperf3Streams(clients, servers)
	if err != nil {
		t.Fatal(err)
	}
	got, err := CombineIperf3(streams)
	if err != nil {
		t.Fatal(err)
	}
	if !got.FromReceiver || got.Retransmits == nil || got.MeanRTT == nil || len(got.PerStream) != 2 {
		t.Errorf("throughput is incomplete: %+v", got)
	}
	// Two seconds were measured, and the window is that less the slack.
	if d := got.Window.Duration(); d > 2*time.Second || d < 2*time.Second-3*got.Slack {
		t.Errorf("window %v is %v long with a slack of %v", got.Window, d, got.Slack)
	}
	var whole float64
	for _, s := range streams {
		whole += s.Client.Received.BitsPerSecond
	}
	if ratio := got.BitsPerSecond / whole; ratio < 0.95 || ratio > 1.05 {
		t.Errorf("%v bit/s in the window, but the streams' own rates make %v", got.BitsPerSecond, whole)
	}
	if cc, err := got.CongestionControl(); err != nil || cc != "bbr" {
		t.Errorf("congestion control = %q, %v", cc, err)
	}
	// Without the servers' intervals the result is nearly the same.
	streams, err = Iperf3Streams(clients, probe.LoadReport{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := CombineIperf3(streams)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := other.BitsPerSecond / got.BitsPerSecond; other.FromReceiver || ratio < 0.95 || ratio > 1.05 {
		t.Errorf("from the senders' intervals: %+v, ratio %v", other, ratio)
	}
}

// Two directions are streams of both kinds: 50 Mbit/s each way.
func TestCombineBothDirections(t *testing.T) {
	streams, err := Iperf3Streams(recordedAs(t, "tcp-both"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := CombineIperf3(streams)
	if err != nil {
		t.Fatal(err)
	}
	for name, rate := range map[string]float64{"forward": got.Forward, "reverse": got.Reverse, "half of all": got.BitsPerSecond / 2} {
		if math.Abs(rate/50e6-1) > 0.05 {
			t.Errorf("%s: %v bit/s, want 50 million", name, rate)
		}
	}
}

// epoch is a whole second, so that iperf3's own stamp bounds nothing.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(s float64) time.Time { return epoch.Add(seconds(s)) }

// ideal is a stream that receives rate bytes per second in n intervals of one
// second after a warm-up of one. Its process starts at start, needs setup
// seconds to connect, and teardown seconds to end.
func ideal(rate int64, n int, start, setup, teardown float64) Iperf3Stream {
	retransmits, rtt := int64(1), time.Millisecond
	total := Iperf3Sum{Bytes: rate * int64(n), Seconds: float64(n), BitsPerSecond: float64(rate) * 8}
	r := Iperf3Result{
		Cookie: "c", Client: true, Streams: 1, Started: epoch.Add(-time.Hour), Omit: time.Second,
		Sent: &total, Received: &total, Retransmits: &retransmits, MeanRTT: &rtt,
		SenderCongestion: "cubic", ReceiverCongestion: "cubic", Remote: &Iperf3CPU{},
	}
	for i := range n {
		r.Intervals = append(r.Intervals, Iperf3Interval{Start: float64(i), End: float64(i + 1), Bytes: rate})
	}
	life := probe.ProcessReport{Start: at(start), End: at(start + setup + 1 + float64(n) + teardown)}
	return Iperf3Stream{Client: r, ClientProcess: life}
}

func TestCombineWindow(t *testing.T) {
	// The origin of the first is between 1 and 1.5, of the second between 1.2
	// and 1.3; both measure for 4 s.
	streams := []Iperf3Stream{ideal(100, 4, 0, 0.3, 0.2), ideal(50, 4, 0.2, 0.05, 0.05)}
	got, err := CombineIperf3(streams)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample.Window{Start: at(1.5), End: at(5)}, got.Window); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	if want := 500 * time.Millisecond; got.Slack != want {
		t.Errorf("slack is %v, want %v", got.Slack, want)
	}
	if want := 150.0 * 8; math.Abs(got.BitsPerSecond-want) > 1e-6 {
		t.Errorf("throughput is %v, want %v", got.BitsPerSecond, want)
	}
	if *got.Retransmits != 2 || *got.MeanRTT != time.Millisecond {
		t.Errorf("retransmits %d, mean RTT %v", *got.Retransmits, *got.MeanRTT)
	}
}

func TestCombineUsesWhatIperf3Stamps(t *testing.T) {
	s := ideal(100, 4, 0.2, 1, 0.1) // connected in the second that begins at 1
	s.Client.Started = at(1)
	got, err := CombineIperf3([]Iperf3Stream{s})
	if err != nil {
		t.Fatal(err)
	}
	if want := 300 * time.Millisecond; got.Slack != want {
		t.Errorf("slack is %v, want %v", got.Slack, want)
	}
}

func TestCombineScalesSenderToReceiver(t *testing.T) {
	s := ideal(100, 4, 0, 0.1, 0.1)
	s.Client.Received = &Iperf3Sum{Bytes: 360, Seconds: 4, BitsPerSecond: 720}
	got, err := CombineIperf3([]Iperf3Stream{s})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.BitsPerSecond-720) > 1e-6 {
		t.Errorf("throughput is %v, want 720", got.BitsPerSecond)
	}
}

// Steady streams give the sum of their rates, however they overlap.
func TestCombineSteadyStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 20).Draw(t, "seconds")
		var streams []Iperf3Stream
		var want float64
		for range rapid.IntRange(1, 8).Draw(t, "streams") {
			rate := rapid.Int64Range(1, 1e11).Draw(t, "rate")
			want += float64(rate) * 8
			delay := rapid.Float64Range(0, 0.5)
			streams = append(streams, ideal(rate, n, delay.Draw(t, "start"), delay.Draw(t, "setup"), delay.Draw(t, "teardown")))
		}
		got, err := CombineIperf3(streams)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.BitsPerSecond/want-1) > 1e-6 {
			t.Fatalf("throughput is %v, want %v", got.BitsPerSecond, want)
		}
		for _, s := range streams {
			if got.Window.Start.Before(s.ClientProcess.Start.Add(time.Second)) || got.Window.End.After(s.ClientProcess.End) {
				t.Fatalf("window %v is not inside the life of %+v", got.Window, s.ClientProcess)
			}
		}
	})
}

func TestCombineErrors(t *testing.T) {
	tests := []struct {
		name    string
		streams func() []Iperf3Stream
		want    string
	}{
		{"none", func() []Iperf3Stream { return nil }, "no iperf3 streams"},
		{"apart", func() []Iperf3Stream { return []Iperf3Stream{ideal(1, 3, 0, 0, 0), ideal(1, 3, 9, 0, 0)} }, "same time"},
		{"nothing arrived", func() []Iperf3Stream { return []Iperf3Stream{ideal(1, 3, 0, 0, 0), ideal(0, 3, 0, 0, 0)} }, "stream 2: nothing arrived"},
		{"shorter life", func() []Iperf3Stream { return []Iperf3Stream{ideal(1, 3, 0, -1, 0)} }, "a clock was set"},
		{"long setup", func() []Iperf3Stream { return []Iperf3Stream{ideal(1, 3, 0, 4, 0)} }, "too little to know when"},
		{"parallel", func() []Iperf3Stream {
			s := ideal(1, 3, 0, 0, 0)
			s.Client.Streams = 8
			return []Iperf3Stream{s}
		}, "8 streams in one process"},
		{"wrong server", func() []Iperf3Stream {
			s := ideal(1, 3, 0, 0, 0)
			server := s.Client
			server.Client, server.Cookie = false, "d"
			s.Server = &server
			return []Iperf3Stream{s}
		}, "different tests"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := CombineIperf3(test.streams())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("CombineIperf3() = %+v, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

func TestIperf3StreamsErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(clients, servers *probe.LoadReport)
		want   string
	}{
		{"cut output", func(c, _ *probe.LoadReport) { c.Processes[1].Stdout = c.Processes[1].Stdout[:2000] }, "client of stream 2: iperf3 output is not its complete JSON"},
		{"timeout", func(_, s *probe.LoadReport) { s.Processes[0].TimedOut = true }, "server of stream 1: iperf3 ran into its timeout"},
		{"killed", func(_, s *probe.LoadReport) { s.Processes[0].Signal, s.Processes[0].Stdout = "SIGKILL", "" }, "ended by SIGKILL"},
		{"status", func(c, _ *probe.LoadReport) { c.Processes[0].ExitCode = 1 }, "exited with status 1"},
		{"capped", func(c, _ *probe.LoadReport) { c.Processes[0].Truncated = true }, "more than is kept"},
		{"a server too few", func(_, s *probe.LoadReport) { s.Processes = s.Processes[:1] }, "2 iperf3 clients cannot have 1 servers"},
		{"refused", func(c, _ *probe.LoadReport) { c.Processes[0].Stdout = string(fixture(t, "refused.json")) }, "Connection refused"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clients, servers := recorded(t)
			test.change(&clients, &servers)
			_, err := Iperf3Streams(clients, servers)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}
