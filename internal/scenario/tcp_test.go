package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
)

func cellOf(duration, omit, streams string) plan.Cell {
	return plan.Cell{Parameters: parameter.Values{"duration": duration, "omit": omit, "streams": streams}}
}

func TestIperf3Specs(t *testing.T) {
	cell := cellOf("10s", "2s", "2")
	server, client, err := iperf3Specs("10.244.4.2", cell)
	if err != nil {
		t.Fatal(err)
	}
	wantServer := probe.LoadSpec{
		Timeout: 27 * time.Second, Listen: []int{5201, 5202},
		Processes: []probe.Process{
			{Argv: []string{"iperf3", "-s", "-1", "-J", "-p", "5201", "-i", "1"}},
			{Argv: []string{"iperf3", "-s", "-1", "-J", "-p", "5202", "-i", "1"}},
		},
	}
	if diff := cmp.Diff(wantServer, server); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	wantClient := probe.LoadSpec{
		Timeout: 27 * time.Second,
		Processes: []probe.Process{
			{Argv: []string{"iperf3", "-c", "10.244.4.2", "-p", "5201", "-J", "-P", "1", "-t", "10", "-O", "2", "-i", "1"}},
			{Argv: []string{"iperf3", "-c", "10.244.4.2", "-p", "5202", "-J", "-P", "1", "-t", "10", "-O", "2", "-i", "1"}},
		},
	}
	if diff := cmp.Diff(wantClient, client); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

func TestIperf3SpecsRefuse(t *testing.T) {
	for name, tt := range map[string]struct {
		host string
		cell plan.Cell
	}{
		"no host":       {"", cellOf("1s", "0s", "1")},
		"half a second": {"10.0.0.1", cellOf("1500ms", "0s", "1")},
		"no duration":   {"10.0.0.1", cellOf("0s", "0s", "1")},
	} {
		if server, client, err := iperf3Specs(tt.host, tt.cell); err == nil {
			t.Errorf("%s: %+v, %+v", name, server, client)
		}
	}
}

// Short trials are sampled at 10 Hz, see the methodology.
func TestInterval(t *testing.T) {
	for duration, want := range map[time.Duration]time.Duration{
		time.Second: 100 * time.Millisecond, 4999 * time.Millisecond: 100 * time.Millisecond, 5 * time.Second: time.Second, time.Hour: time.Second,
	} {
		if got := interval(duration); got != want {
			t.Errorf("a trial of %s is sampled every %s, want %s", duration, got, want)
		}
	}
}

// A Service has a port for every stream of the load.
func TestServicePortsFitTheLoad(t *testing.T) {
	for _, streams := range []int{1, 8} {
		server, _, err := iperf3Specs("10.0.0.1", cellOf("1s", "0s", fmt.Sprint(streams)))
		if err != nil {
			t.Fatal(err)
		}
		want := map[int32]bool{EchoPort: true}
		for _, port := range server.Listen {
			want[int32(port)] = true
		}
		got, names := map[int32]bool{}, map[string]bool{}
		for _, p := range service("s", "server", streams).Spec.Ports {
			if p.TargetPort.IntValue() != int(p.Port) {
				t.Errorf("port %d leads to %s", p.Port, p.TargetPort.String())
			}
			got[p.Port], names[p.Name] = true, true
		}
		if diff := cmp.Diff(want, got); diff != "" || len(names) != len(got) {
			t.Errorf("ports for %d streams (-want +got):\n%s%s", streams, diff, fmt.Sprint(names))
		}
	}
}
