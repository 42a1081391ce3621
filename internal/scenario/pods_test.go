package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/birth"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func seconds(ms int) time.Time { return time.UnixMilli(int64(ms)) }

// The stages by our clock make up the whole; those by the node's clock stand
// beside it.
func TestStartupFigures(t *testing.T) {
	starts := []podStart{
		{Pod: "a", UID: "ua", Node: "node1", Called: seconds(0), Bound: seconds(100), Running: seconds(900), Replied: seconds(1000)},
		{Pod: "b", UID: "ub", Node: "node1", Called: seconds(50), Bound: seconds(250), Running: seconds(1850), Replied: seconds(2050)},
	}
	born := stage.Born{ByUID: map[string]birth.Birth{
		"ua": {Begun: seconds(5), Netns: seconds(10), Added: seconds(110), Container: seconds(405)},
		"ub": {Begun: seconds(5), Netns: seconds(10), Added: seconds(310), Container: seconds(805)},
	}}
	f := startupFigures(starts, born, false)
	got := valuesOf(f)
	for name, want := range map[string]float64{
		"startup-p50": 1, "startup-mean": 1.5, "startup-max": 2, "scheduling-mean": 0.15, "starting-mean": 1.2, "first-reply-mean": 0.15,
		"sandbox-mean": 0.6, "cni-add-mean": 0.2, "cni-add-p50": 0.1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if f.Values[0].Name != "startup-p50" {
		t.Errorf("the first value is %s", f.Values[0].Name)
	}
	if why := f.Missing["startup-p99"]; why != "2 starts are too few for the 99th percentile, from 1,000 starts on" {
		t.Errorf("p99: %q", why)
	}
}

// What was not seen of one pod is known of none, with the reason, and nothing
// else suffers.
func TestStartupUnseen(t *testing.T) {
	starts := []podStart{
		{Pod: "a", UID: "ua", Node: "node1", Bound: seconds(1), Running: seconds(2), Replied: seconds(3)},
		{Pod: "b", UID: "ub", Node: "node2", Bound: seconds(1), Running: seconds(2), Replied: seconds(3)},
	}
	seen := birth.Birth{Begun: seconds(1), Netns: seconds(2), Added: seconds(3), Container: seconds(4)}
	lost := stage.Born{ByUID: map[string]birth.Birth{"ua": seen}, Lost: map[string]string{"node2": "no such directory"}}
	f := startupFigures(starts, lost, false)
	if _, there := valuesOf(f)["sandbox-p50"]; there || f.Missing["sandbox-p50"] != "it was not seen of 1 of 2 pods: b on node2: no such directory" {
		t.Errorf("sandbox: %v, missing: %q", there, f.Missing["sandbox-p50"])
	}
	if _, there := valuesOf(f)["startup-p50"]; !there {
		t.Error("the whole is missing")
	}
	onHost := startupFigures(starts[:1], stage.Born{ByUID: map[string]birth.Birth{"ua": {Begun: seconds(1), Container: seconds(4)}}}, true)
	if why := onHost.Missing["cni-add-mean"]; why != "pods in the host's network have no ADD" {
		t.Errorf("ADD in the host's network: %q", why)
	}
	if valuesOf(onHost)["sandbox-mean"] != 0.003 {
		t.Errorf("sandbox in the host's network: %v", valuesOf(onHost)["sandbox-mean"])
	}
}

func valuesOf(f stage.Figures) map[string]float64 {
	values := map[string]float64{}
	for _, v := range f.Values {
		values[v.Name] = v.Value
	}
	return values
}

// Every figure of a trial is one that the scenario lists, and the other way
// round.
func TestStartupMetrics(t *testing.T) {
	start := []podStart{{Bound: seconds(1), Running: seconds(2), Replied: seconds(3)}}
	f := startupFigures(start, stage.Born{}, false)
	told := map[string]bool{}
	for _, v := range f.Values {
		told[v.Name] = true
	}
	for name := range f.Missing {
		told[name] = true
	}
	listed := map[string]bool{}
	for _, m := range startupMetrics()[:len(startupMetrics())-4] { // without those of the machines
		listed[m.Name] = true
	}
	if diff := cmp.Diff(listed, told); diff != "" {
		t.Errorf("-listed +told:\n%s", diff)
	}
}

// One node's pods are reached from another one, where there is one.
func TestStartupOn(t *testing.T) {
	three := []string{"node1", "node2", "node3"}
	for count, want := range [][]string{1: {"node2"}, 2: {"node2", "node1"}, 3: {"node2", "node1", "node3"}} {
		if count == 0 {
			continue
		}
		if got, err := startupOn(three, count); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%d nodes: %v, %v", count, got, err)
		}
	}
	if three[0] != "node1" {
		t.Error("the cluster's own order has changed")
	}
	var unsupported *stage.UnsupportedError
	if _, err := startupOn([]string{"node1"}, 2); !errors.As(err, &unsupported) {
		t.Errorf("two nodes of one: %v", err)
	}
}

// Growth is the difference to right before, and missing where either side is.
func TestDensityResult(t *testing.T) {
	with := func(cni, memory float64) stage.Measurement {
		return stage.Measurement{Facts: map[string]string{}, Values: []result.Value{
			{Metric: stage.CPU, Value: 1}, {Metric: stage.CNIMemory, Value: cni}, {Metric: stage.Memory, Value: memory},
		}}
	}
	pod := cluster.Pod{Node: "node2"}
	crowd := &stage.Crowd{Members: []stage.CrowdPod{{Called: seconds(500), Running: seconds(1500), Pod: pod}, {Called: seconds(0), Running: seconds(2500), Pod: pod}}}
	m := densityResult(with(10, 100), with(14, 130), crowd, stage.Room{}, stage.Pair{})
	got := valuesOf(stage.Figures{Values: m.Values})
	for name, want := range map[string]float64{"cni-memory": 14, "cni-memory-growth": 4, "memory-per-pod": 15, "all-running": 2.5} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if m.Values[0].Name != "cni-memory" {
		t.Errorf("the first value is %s", m.Values[0].Name)
	}
	lacking := stage.Measurement{Missing: map[string]string{"cni-memory": "no control groups", "memory": "no control groups"}}
	m = densityResult(lacking, with(14, 130), crowd, stage.Room{}, stage.Pair{})
	for _, name := range []string{"cni-memory-growth", "memory-per-pod"} {
		if !strings.Contains(m.Missing[name], "no control groups") {
			t.Errorf("%s is missing because of %q", name, m.Missing[name])
		}
	}
}
