package stage

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// Two nodes: the client's has two NUMA nodes and its card at the second one,
// the server's has one.
func homes() [2]home {
	return [2]home{
		{"node1", "eth0", probe.Topology{Online: "0-7", NUMA: []probe.NUMANode{{ID: 0, CPUs: "0-3"}, {ID: 1, CPUs: "4-7"}}, Card: 1}},
		{"node2", "eth0", probe.Topology{Online: "0-1", NUMA: []probe.NUMANode{{ID: 0, CPUs: "0-1"}}, Card: -1}},
	}
}

func TestChooseCPUs(t *testing.T) {
	card := func(node int) [2]home {
		two := homes()
		two[0].topology.Card = node
		two[1] = two[0]
		return two
	}
	all := "all of node2, which has one NUMA node"
	for _, tt := range []struct {
		name, list, near string
		ends             [2]home
		want             map[string]string
		unsupported      string
	}{
		{"one list", "0-1", numaFree, homes(), map[string]string{"client CPUs": "0-1", "server CPUs": "0-1"}, ""},
		{"a list for each", "4,6-7:1", numaFree, homes(), map[string]string{"client CPUs": "4,6-7", "server CPUs": "1"}, ""},
		{"a CPU that is not there", "0-3", numaFree, homes(), nil, "node2 has no CPU 2; its CPUs are 0-1"},
		{"near", "free", numaNear, homes(), map[string]string{"numa": "near", "client CPUs": "4-7", "server CPUs": all}, ""},
		{"far", "free", numaFar, card(1), map[string]string{"numa": "far", "client CPUs": "0-3", "server CPUs": "0-3"}, ""},
		{"nothing is far", "free", numaFar, homes(), nil, "node2 has one NUMA node: no CPU is far from its network card"},
		{"a virtual card", "free", numaNear, card(-1), nil, `the interface "eth0" of node1 does not say which of 2 NUMA nodes it is attached to`},
		{"a card at memory alone", "free", numaNear, card(2), nil, "no CPU of node1 is near to NUMA node 2, where eth0 is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := choose(tt.list, tt.near, tt.ends)
			var unsupported *UnsupportedError
			switch {
			case tt.unsupported != "":
				if !errors.As(err, &unsupported) || unsupported.Reason != tt.unsupported {
					t.Errorf("error %v, want unsupported: %s", err, tt.unsupported)
				}
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(tt.want, got.facts(tt.near)); diff != "" {
					t.Errorf("facts (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Whatever runs in a server's pod runs on the server's CPUs.
func TestCPUsOfPods(t *testing.T) {
	c, err := choose("4:1", numaFree, homes())
	if err != nil {
		t.Fatal(err)
	}
	client, server := Ends{Client: InPod, Server: OnHost, Placement: CrossNode}.podNames()
	for name, want := range map[string]int{client: 4, server: 1} {
		if got := c.of(cluster.Pod{Name: name}); len(got) != 1 || got[0] != want {
			t.Errorf("%s runs on %v, want %d", name, got, want)
		}
	}
}
