package scenario

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

func TestBulkSpecs(t *testing.T) {
	l := bulk{streams: 2, direction: "forward", duration: 10 * time.Second, omit: 2 * time.Second, messageSize: 128 << 10}
	server, client, err := l.specs(stage.Address{Host: "10.244.4.2"})
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
			{Argv: []string{"iperf3", "-c", "10.244.4.2", "-p", "5201", "-J", "-P", "1", "-t", "10", "-O", "2", "-i", "1", "-l", "131072"}},
			{Argv: []string{"iperf3", "-c", "10.244.4.2", "-p", "5202", "-J", "-P", "1", "-t", "10", "-O", "2", "-i", "1", "-l", "131072"}},
		},
	}
	if diff := cmp.Diff(wantClient, client); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

// What differs from a forward load over TCP, and where a client connects to
// when a Service has other ports outside.
func TestBulkClients(t *testing.T) {
	outside := stage.Address{Host: "192.0.2.1", Translated: map[int]int{5201: 30001, 5202: 30002, 5203: 30003, 5204: 30004}}
	for _, tt := range []struct {
		name string
		load bulk
		want []string // after host and port
	}{
		{"reverse", bulk{streams: 1, direction: "reverse"}, []string{"30001 -R"}},
		{"both ways", bulk{streams: 2, direction: "bidir"}, []string{"30001", "30002", "30003 -R", "30004 -R"}},
		{"UDP without a rate", bulk{streams: 1, direction: "forward", udp: true}, []string{"30001 -u -b 0"}},
		// The rate is that of all streams in one direction.
		{"UDP at a rate", bulk{streams: 2, direction: "forward", udp: true, rate: 1e9, messageSize: 1200}, []string{"30001 -u -b 500000000 -l 1200", "30002 -u -b 500000000 -l 1200"}},
		{"seed 001", bulk{streams: 1, direction: "forward", window: 1 << 20, messageSize: 128 << 10, zeroCopy: true}, []string{"30001 -l 131072 -w 1048576 -Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.load.duration = 5 * time.Second
			server, client, err := tt.load.specs(outside)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range client.Processes {
				line := strings.TrimPrefix(strings.Join(p.Argv, " "), "iperf3 -c 192.0.2.1 -p ")
				got = append(got, strings.Replace(line, " -J -P 1 -t 5 -O 0 -i 1", "", 1))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("clients (-want +got):\n%s", diff)
			}
			if ports := tt.load.ports(); len(server.Processes) != len(client.Processes) || ports.Count != len(server.Processes) || ports.UDP != tt.load.udp {
				t.Errorf("%d servers at %+v for %d clients", len(server.Processes), ports, len(client.Processes))
			}
		})
	}
}

func TestBulkSpecsRefuse(t *testing.T) {
	for name, tt := range map[string]struct {
		host string
		load bulk
	}{
		"no host":       {"", bulk{duration: time.Second}},
		"half a second": {"10.0.0.1", bulk{duration: 1500 * time.Millisecond}},
		"no duration":   {"10.0.0.1", bulk{}},
	} {
		tt.load.streams, tt.load.direction = 1, "forward"
		if server, client, err := tt.load.specs(stage.Address{Host: tt.host}); err == nil {
			t.Errorf("%s: %+v, %+v", name, server, client)
		}
	}
}

func TestNICSenders(t *testing.T) {
	pair := stage.Pair{Client: cluster.Pod{Name: "client"}, Server: cluster.Pod{Name: "server"}}
	for _, tt := range []struct {
		load bulk
		want []string
	}{
		{bulk{direction: "forward"}, nil},
		{bulk{direction: "forward", nicRTT: true}, []string{"client"}},
		{bulk{direction: "reverse", nicRTT: true}, []string{"server"}},
		{bulk{direction: "bidir", nicRTT: true}, []string{"client", "server"}},
	} {
		var got []string
		for _, p := range tt.load.nicSenders(pair) {
			got = append(got, p.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.load, got, tt.want)
		}
	}
}
