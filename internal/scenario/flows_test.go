package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// onNodes are members one on each of n nodes, none of which exists.
func onNodes(n int) []stage.FleetPod {
	members := make([]stage.FleetPod, n)
	for i := range members {
		members[i].Pod = cluster.Pod{Name: fmt.Sprintf("fleet-%d", i+1), Node: fmt.Sprintf("node%d", i+1), IP: fmt.Sprintf("192.0.2.%d", i+1)}
	}
	return members
}

// wordsOf says who sends to whom.
func wordsOf(list []flow) string {
	var words []string
	for _, f := range list {
		from, to := f.ends()
		words = append(words, from+">"+to)
	}
	return strings.Join(words, " ")
}

func TestMeshFlows(t *testing.T) {
	for _, test := range []struct {
		direction string
		parallel  bool
		want      []string
	}{
		{"forward", true, []string{"node1>node4 node2>node3", "node1>node2 node3>node4", "node1>node3 node2>node4"}},
		{"reverse", true, []string{"node4>node1 node3>node2", "node2>node1 node4>node3", "node3>node1 node4>node2"}},
		{"bidir", true, []string{
			"node1>node4 node4>node1 node2>node3 node3>node2", "node1>node2 node2>node1 node3>node4 node4>node3", "node1>node3 node3>node1 node2>node4 node4>node2",
		}},
		{"forward", false, []string{"node1>node4", "node2>node3", "node1>node2", "node3>node4", "node1>node3", "node2>node4"}},
	} {
		var got []string
		for _, round := range meshFlows(onNodes(4), test.direction, test.parallel) {
			got = append(got, wordsOf(round))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, parallel %t, -want +got:\n%s", test.direction, test.parallel, diff)
		}
	}
}

// The one pod is where a pair's end is; the many take turns on all other nodes.
func TestFan(t *testing.T) {
	two, four := []string{"a", "b"}, []string{"a", "b", "c", "d"}
	for _, test := range []struct {
		fan   fan
		nodes []string
		want  []stage.Berth
	}{
		{fan{in: true, many: 2}, two, []stage.Berth{{Node: "b", Number: 1}, {Node: "a", Number: 1}, {Node: "a", Number: 2}}},
		{fan{many: 2}, two, []stage.Berth{{Node: "a", Number: 1}, {Node: "b", Number: 1}, {Node: "b", Number: 2}}},
		{fan{in: true, many: 4}, four, []stage.Berth{{Node: "b", Number: 1}, {Node: "a", Number: 1}, {Node: "c", Number: 1}, {Node: "d", Number: 1}, {Node: "a", Number: 2}}},
	} {
		nodes := slices.Clone(test.nodes)
		if diff := cmp.Diff(test.want, test.fan.berths(nodes)); diff != "" || !slices.Equal(nodes, test.nodes) {
			t.Errorf("%+v, -want +got:\n%s", test.fan, diff)
		}
	}
	if got := wordsOf(fan{in: true}.flows(onNodes(3))); got != "node2>node1 node3>node1" {
		t.Errorf("in: %s", got)
	}
	if got := wordsOf(fan{}.flows(onNodes(3))); got != "node1>node2 node1>node3" {
		t.Errorf("out: %s", got)
	}
}

// A pod does all that it has to do in one crew, every connection has a port of
// its own, and reports come back in the order of the connections.
func TestCrews(t *testing.T) {
	members := onNodes(3)
	l := flows{list: []flow{{members[0], members[2], false}, {members[1], members[2], false}, {members[2], members[0], true}}, duration: 2e9}
	servers, clients, err := l.crews()
	if err != nil {
		t.Fatal(err)
	}
	if len(servers) != 2 || len(clients) != 3 || !slices.Equal(servers[0].spec.Listen, []int{5201, 5202}) || !slices.Equal(servers[1].spec.Listen, []int{5203}) {
		t.Fatalf("servers %+v, clients %+v", servers, clients)
	}
	if argv := strings.Join(clients[2].spec.Processes[0].Argv, " "); !strings.Contains(argv, "-c 192.0.2.1 -p 5203") || !strings.Contains(argv, " -R") {
		t.Errorf("the client of the third connection is %s", argv)
	}
	named := func(names ...string) (r probe.LoadReport) {
		for _, name := range names {
			r.Processes = append(r.Processes, probe.ProcessReport{Stdout: name})
		}
		return r
	}
	crews := []crew{{of: []int{1, 2}}, {of: []int{0}}}
	merged := byFlow(crews, []probe.LoadReport{named("one", "two"), named("nought")})
	if diff := cmp.Diff(named("nought", "one", "two").Processes, merged.Processes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := byFlow(crews, make([]probe.LoadReport, 2)); len(got.Processes) != 0 {
		t.Errorf("crews without reports have processes: %+v", got)
	}
}

func TestJain(t *testing.T) {
	for _, test := range []struct {
		shares []float64
		want   float64
	}{{[]float64{3}, 1}, {[]float64{2, 2, 2, 2}, 1}, {[]float64{5, 0, 0, 0, 0}, 0.2}, {[]float64{1, 3}, 0.8}} {
		if got := jain(test.shares); got != test.want {
			t.Errorf("%v: %v, want %v", test.shares, got, test.want)
		}
	}
}

func TestMeshFigures(t *testing.T) {
	pairs := []between{{"node2", "node1", 3e9}, {"node1", "node2", 5e9}, {"node1", "node3", 4e9}}
	want := map[string]float64{"pair-throughput": 4e9, "pair-throughput-min": 3e9, "pair-spread": 50}
	if diff := cmp.Diff(want, valuesByName(meshFigures(pairs).Values)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var names []string
	for _, v := range matrixFigures(pairs).Values {
		if v.Group != result.BetweenNodes {
			t.Errorf("%s is in the group %q", v.Name, v.Group)
		}
		names = append(names, v.Name)
	}
	if !slices.Equal(names, []string{"node1>node2", "node1>node3", "node2>node1"}) {
		t.Errorf("the matrix has %v", names)
	}
}

// What one round lacks, the median lacks.
func TestMedianFigures(t *testing.T) {
	a, b := result.Metric{Name: "a", Scale: result.Difference}, result.Metric{Name: "b", Scale: result.Difference}
	var first, second stage.Figures
	first.Add(a, 1)
	first.Add(b, 7)
	second.Add(a, 2)
	second.Lack("nobody looked", b)
	got := medianFigures([]stage.Figures{first, second})
	if diff := cmp.Diff(map[string]float64{"a": 1.5}, valuesByName(got.Values)); diff != "" || got.Missing["b"] != "nobody looked" {
		t.Errorf("missing %v, -want +got:\n%s", got.Missing, diff)
	}
}

func TestOnePerName(t *testing.T) {
	got := onePerName([]result.Mark{{Name: "x", Detail: "one"}, {Name: "y", Detail: "two"}, {Name: "x", Detail: "three"}})
	want := []result.Mark{{Name: "x", Detail: "one; and 1 more"}, {Name: "y", Detail: "two"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
