package load

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCongestionControlDiffers(t *testing.T) {
	throughput := Iperf3Throughput{Congestion: []Iperf3Congestion{{"bbr", "bbr"}, {"bbr", "cubic"}}}
	_, err := throughput.CongestionControl()
	var differs *CongestionMismatchError
	if !errors.As(err, &differs) {
		t.Fatalf("error is %v", err)
	}
	want := "congestion control differs: the sender of stream 1 uses bbr, the receiver of stream 2 uses cubic"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	throughput.Congestion[1].Receiver = ""
	if _, err := throughput.CongestionControl(); err == nil || errors.As(err, &differs) {
		t.Errorf("an unknown congestion control gives %v", err)
	}
}

func TestGeneratorLimited(t *testing.T) {
	busy := ideal(1, 3, 0, 0, 0)
	busy.ClientProcess.BusiestThread = 0.97
	busy.Client.Remote.Total = 96.4
	idle := ideal(1, 3, 0, 0, 0)
	idle.ClientProcess.BusiestThread = 0.9
	got, err := CombineIperf3([]Iperf3Stream{idle, busy})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"the iperf3 client of stream 2 used 97 % of a core", "the iperf3 server of stream 2 used 96 % of a core"}
	if diff := cmp.Diff(want, got.Limited); diff != "" {
		t.Errorf("limited (-want +got):\n%s", diff)
	}
}
