package stage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	passive "github.com/cnibench/cnibench/internal/probe/rtt"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// nicReport is what a card saw: so many round trips of 1 ms in each of ten
// seconds, of which the window has nine, and one much longer before it.
func nicReport(t *testing.T, start time.Time, each int) NICSeen {
	t.Helper()
	flow := passive.FlowReport{Label: "server", Counts: passive.Counts{Segments: 5000, Matched: uint64(10 * each)}}
	for i := range 10 {
		from := start.Add(time.Duration(i-1) * time.Second)
		interval := passive.Interval{Start: from, End: from.Add(time.Second)}
		for n := range each {
			interval.Egress.Add(time.Millisecond + time.Duration(n))
			interval.Ingress.Add(time.Nanosecond) // what came in is not asked for
		}
		if i == 0 {
			interval.Egress.Add(time.Minute)
		}
		flow.Intervals = append(flow.Intervals, interval)
	}
	// As it comes from the probe.
	data, err := json.Marshal(passive.Observed{Place: passive.Place{Interface: "eth0", Hook: "tcx"}, Flows: []passive.FlowReport{flow}})
	if err != nil {
		t.Fatal(err)
	}
	var device passive.Observed
	if err := json.Unmarshal(data, &device); err != nil {
		t.Fatal(err)
	}
	return NICSeen{asked: true, devices: []nicDevice{{"node1", device}}}
}

func TestNICFigures(t *testing.T) {
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	window := sample.Window{Start: start, End: start.Add(9*time.Second + time.Millisecond)}
	all := []string{"nic-rtt-p50", "nic-rtt-p99", "nic-rtt-p999"}
	for _, tt := range []struct {
		name    string
		seen    NICSeen
		values  []string
		missing []string
		why     string
	}{
		{"nobody asked", NICSeen{}, nil, nil, ""},
		{"cannot be", NICSeen{asked: true, why: "the kernel is 4.19.0"}, nil, all, "4.19.0"},
		{"all", nicReport(t, window.Start, 1200), all, nil, ""},
		{"too few for one", nicReport(t, window.Start, 150), all[:2], all[2:], "needs 10000 round trips, and 1350 were"},
		{"nothing", nicReport(t, window.Start, 0), nil, all, "5000 segments of the load"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &Bench{Raw: t.TempDir()}
			f, _, err := b.NICFigures("", tt.seen, window)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, v := range f.Values {
				names = append(names, v.Name)
				if v.Value < .99e-3 || v.Value > 1.01e-3 {
					t.Errorf("%s is %g s, and all took a millisecond", v.Name, v.Value)
				}
			}
			if diff := cmp.Diff(tt.values, names); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			lacks(t, f, tt.missing, tt.why)
			log, err := os.ReadFile(filepath.Join(b.Raw, "nic-rtt.hlog"))
			if (err == nil) != (len(names) > 0) || err == nil && !strings.Contains(string(log), "Tag=nic-rtt,") {
				t.Errorf("the log is %q, %v", log, err)
			}
		})
	}
}

// A card sees the server's address whatever path leads there, but a node's
// port is translated by the server's node.
func TestNICFlows(t *testing.T) {
	pair := Pair{Client: cluster.Pod{IP: "10.244.0.7"}, Server: cluster.Pod{IP: "10.244.4.9"}}
	server := passive.Flow{Label: "server", There: passive.End{Addresses: "10.244.4.9", FirstPort: 5201, LastPort: 5203}}
	ports := Ports{First: 5201, Count: 3}
	for _, tt := range []struct {
		name    string
		address Address
		want    []passive.Flow
	}{
		{"pod", Address{Host: "10.244.4.9"}, []passive.Flow{server}},
		{"service", Address{Host: "10.96.3.4"}, []passive.Flow{server}},
		{"name", Address{Host: "server.cnibench.svc"}, []passive.Flow{server}},
		{"node port", Address{Host: "198.18.0.2", Translated: map[int]int{5201: 31000, 5202: 30500, 5203: 30900}}, []passive.Flow{server,
			{Label: "node-port", There: passive.End{Addresses: "198.18.0.2", FirstPort: 30500, LastPort: 31000}}}},
	} {
		got := nicFlows(NICLoad{Pair: pair, Address: tt.address, Ports: ports})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		spec := passive.Spec{Taps: []passive.Tap{{Interface: "eth0"}}, Flows: got, Interval: time.Second}
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Where both ends share a node, no card is asked.
func TestNICOfOneNode(t *testing.T) {
	pair := Pair{Client: cluster.Pod{Node: "node1"}, Server: cluster.Pod{Node: "node1"}}
	w, err := (&Bench{}).WatchNIC(t.Context(), NICLoad{Pair: pair, Senders: []cluster.Pod{pair.Client}})
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := (&Bench{}).NICFigures("", w.Stop(""), sample.Window{})
	if err != nil {
		t.Fatal(err)
	}
	lacks(t, f, []string{"nic-rtt-p50", "nic-rtt-p99", "nic-rtt-p999"}, "both ends are on node1")
}
