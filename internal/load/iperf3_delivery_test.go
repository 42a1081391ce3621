package load

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

// udpStream is a stream that was recorded, with a client process that lived as
// long as its test and a little.
func udpStream(t *testing.T, name string) Iperf3Stream {
	t.Helper()
	var ends [2]Iperf3Result
	for i, end := range []string{"client", "server"} {
		var err error
		if ends[i], err = ParseIperf3(fixture(t, name+"-"+end+".json")); err != nil {
			t.Fatal(err)
		}
	}
	client := ends[0]
	life := probe.ProcessReport{Start: client.Started, End: client.Started.Add(client.Omit + seconds(client.end()) + 50*time.Millisecond)}
	return Iperf3Stream{Client: client, ClientProcess: life, Server: &ends[1]}
}

// What iperf3 prints at the client of these is wrong: 63.7 % lost instead of
// 42.5, 0 instead of 100, and 0.2 that were all of the warm-up.
func TestCombineUDP(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		offered, goodput, loss float64 // bit/s, bit/s, percent
		datagrams, outOfOrder  int64
	}{
		{"udp-paced", 100e6, 100e6, 0, 20834, 0},
		{"udp-reverse", 100e6, 100e6, 0, 20833, 0},
		{"udp-lossy", 100e6, 57.4e6, 100 * 8864.0 / 20845, 20845, 0},
		{"udp-lossy-reverse", 101.5e6, 28.5e6, 100 * 15119.0 / 21006, 21006, 1},
		{"udp-gap", 5e6, 2.98e6, 100 * 630.0 / 1562, 1562, 0},
		{"udp-unlimited", 2820e6, 277e6, 100 * 218728.0 / 242667, 242667, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := CombineIperf3UDP([]Iperf3Stream{udpStream(t, tt.name)})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Offered/tt.offered-1) > 0.03 || math.Abs(got.Goodput/tt.goodput-1) > 0.03 {
				t.Errorf("offered %v, goodput %v bit/s; want about %v and %v", got.Offered, got.Goodput, tt.offered, tt.goodput)
			}
			if math.Abs(100*got.Loss()-tt.loss) > 1e-9 || got.Datagrams != tt.datagrams || got.OutOfOrder != tt.outOfOrder {
				t.Errorf("loss of %v %% of %d, %d out of order; want %v of %d, %d",
					100*got.Loss(), got.Datagrams, got.OutOfOrder, tt.loss, tt.datagrams, tt.outOfOrder)
			}
			if got.Jitter == nil || *got.Jitter <= 0 || *got.Jitter > 10*time.Millisecond {
				t.Errorf("jitter is %v", got.Jitter)
			}
		})
	}
}

// iperf3 reports a test of which nothing arrived after the warm-up as one
// without loss.
func TestCombineUDPWhenNothingArrived(t *testing.T) {
	lost, whole := udpStream(t, "udp-nothing"), udpStream(t, "udp-paced")
	_, err := CombineIperf3UDP([]Iperf3Stream{lost})
	if err == nil || !strings.Contains(err.Error(), "none of 521 UDP datagrams arrived") {
		t.Errorf("error is %v", err)
	}
	whole.ClientProcess.Start, whole.ClientProcess.End = lost.ClientProcess.Start, lost.ClientProcess.Start.Add(3050*time.Millisecond)
	whole.Client.Started = lost.Client.Started
	got, err := CombineIperf3UDP([]Iperf3Stream{lost, whole})
	if err != nil {
		t.Fatal(err)
	}
	if got.PerStream[0] != 0 || got.Lost != 521 || got.Datagrams != 521+20834 {
		t.Errorf("one stream of two was lost, and the result is %+v", got)
	}
}

// A receiver that got nothing at the end does not know what it missed.
func TestUnseenDatagrams(t *testing.T) {
	sender := Iperf3Result{Datagrams: &Iperf3Datagrams{Size: 1000}, Sent: &Iperf3Sum{Bytes: 1_000_000}}
	for _, tt := range []struct {
		name     string
		bytes    []int64
		last     float64 // length of the last interval
		expected int64
		want     int64
	}{
		{"steady", []int64{100, 100, 100}, 1, 998, 0},
		{"silent at the end", []int64{100, 100, 0}, 1, 700, 300},
		{"an empty sliver at the end", []int64{100, 100, 0}, 0.1, 998, 0},
		{"silent in the middle", []int64{100, 0, 100}, 1, 999, 0},
		{"silent throughout", []int64{0, 0, 0}, 1, 0, 1000},
		{"more expected than sent", []int64{100, 100, 0}, 1, 1002, 0},
	} {
		receiver := Iperf3Result{Datagrams: &Iperf3Datagrams{Size: 1000, Expected: tt.expected}}
		for i, bytes := range tt.bytes {
			end := float64(i + 1)
			if i == len(tt.bytes)-1 {
				end = float64(i) + tt.last
			}
			receiver.Intervals = append(receiver.Intervals, Iperf3Interval{Start: float64(i), End: end, Bytes: bytes})
		}
		if got := unseenDatagrams(sender, receiver); got != tt.want {
			t.Errorf("%s: %d datagrams, want %d", tt.name, got, tt.want)
		}
	}
}

func TestCombineUDPStreams(t *testing.T) {
	for what, want := range map[string][2]float64{"udp-two": {20e6, 0}, "udp-both": {10e6, 10e6}} {
		streams, err := Iperf3Streams(recordedAs(t, what))
		if err != nil {
			t.Fatal(err)
		}
		got, err := CombineIperf3UDP(streams)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Forward-want[0]) > 1e6 || math.Abs(got.Reverse-want[1]) > 1e6 || len(got.PerStream) != 2 {
			t.Errorf("%s: %v and %v bit/s, want %v", what, got.Forward, got.Reverse, want)
		}
	}
}

func TestCombineUDPErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Iperf3Stream)
		want   string
	}{
		{"no server", func(s *Iperf3Stream) { s.Server = nil }, "the server's result is not known"},
		{"TCP", func(s *Iperf3Stream) { s.Client.Datagrams = nil }, "over UDP: false"},
		{"server of TCP", func(s *Iperf3Stream) { s.Server.Datagrams = nil }, "different protocols"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := udpStream(t, "udp-paced")
			tt.change(&s)
			_, err := CombineIperf3UDP([]Iperf3Stream{s})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := CombineIperf3([]Iperf3Stream{udpStream(t, "udp-paced")}); err == nil {
		t.Error("UDP was combined as TCP")
	}
}

// A client that iperf3 refuses to start prints its usage where its JSON should
// be.
func TestIperf3StreamsUsage(t *testing.T) {
	report := probe.LoadReport{Processes: []probe.ProcessReport{{
		ExitCode: 1, Stdout: "Usage: iperf3 [-s|-c host] [options]\n", Stderr: string(fixture(t, "udp-small.stderr")),
	}}}
	_, err := Iperf3Streams(report, probe.LoadReport{})
	if err == nil || !strings.Contains(err.Error(), "block size invalid (minimum = 16 bytes") {
		t.Errorf("error is %v", err)
	}
}
