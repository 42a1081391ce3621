package load

import (
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Streams that ran one after the other have rates of their own, and no sum.
func TestSeparateIperf3(t *testing.T) {
	clients, servers := recorded(t)
	streams, err := Iperf3Streams(clients, servers)
	if err != nil {
		t.Fatal(err)
	}
	later := &streams[1].ClientProcess
	later.Start, later.End = later.Start.Add(time.Hour), later.End.Add(time.Hour)
	streams[1].Client.Started = streams[1].Client.Started.Add(time.Hour)
	if _, err := CombineIperf3(streams); err == nil {
		t.Fatal("streams an hour apart ran at once")
	}
	got, err := SeparateIperf3(streams)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range streams {
		if got.PerStream[i] != s.Client.Received.BitsPerSecond || got.PerStream[i] <= 0 {
			t.Errorf("stream %d: %v bit/s", i+1, got.PerStream[i])
		}
	}
	if want := (sample.Window{Start: streams[0].ClientProcess.Start, End: later.End}); got.Window != want || got.BitsPerSecond != 0 {
		t.Errorf("window %v, want %v; %v bit/s together", got.Window, want, got.BitsPerSecond)
	}
	if cc, err := got.CongestionControl(); err != nil || cc != "bbr" {
		t.Errorf("congestion control = %q, %v", cc, err)
	}
}

// What does not belong together is no result, at once or not.
func TestSeparateIperf3Refuses(t *testing.T) {
	clients, servers := recorded(t)
	streams, err := Iperf3Streams(clients, servers)
	if err != nil {
		t.Fatal(err)
	}
	streams[0].Server.Cookie = "another"
	if _, err := SeparateIperf3(streams); err == nil {
		t.Error("client and server of different tests are a result")
	}
	if _, err := SeparateIperf3(nil); err == nil {
		t.Error("nothing is a result")
	}
}
