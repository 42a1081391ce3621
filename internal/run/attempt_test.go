package run

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func TestJudge(t *testing.T) {
	invalid, unsupported := &stage.InvalidError{Reason: "the pod moved"}, &stage.UnsupportedError{Reason: "no second node"}
	for _, tt := range []struct {
		name   string
		err    error
		status result.Status
		reason string
	}{
		{"nothing wrong", nil, result.OK, ""},
		{"anything", errors.New("connection refused"), result.Failed, "connection refused"},
		{"invalid", invalid, result.Invalid, "the pod moved"},
		{"invalid inside", fmt.Errorf("iperf3: %w", invalid), result.Invalid, "iperf3: the pod moved"},
		{"unsupported", unsupported, result.Unsupported, "no second node"},
		{"unsupported inside", fmt.Errorf("bringing up a: %w", unsupported), result.Unsupported, "bringing up a: no second node"},
		{"altered", errors.Join(unsupported, &stage.AlteredError{Err: errors.New("it is not back")}), result.Failed, "no second node\nit is not back"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, reason := judge(tt.err); status != tt.status || reason != tt.reason {
				t.Errorf("%s: %q; want %s: %q", status, reason, tt.status, tt.reason)
			}
		})
	}
}

func TestChanged(t *testing.T) {
	before := map[string]string{"node1/kubelet": "start 1, pid 20", "node2/kubelet": "start 1, pid 20", "node1/containerd": "start 1, pid 8"}
	for _, tt := range []struct {
		name  string
		after map[string]string
		want  string
	}{
		{"nothing", map[string]string{"node1/kubelet": "start 1, pid 20", "node2/kubelet": "start 1, pid 20", "node1/containerd": "start 1, pid 8"}, ""},
		{"ended", map[string]string{"node1/kubelet": "start 1, pid 20", "node2/kubelet": "start 1, pid 0", "node1/containerd": "start 1, pid 8"}, "node2/kubelet"},
		{"several, sorted", map[string]string{"node1/kubelet": "start 2, pid 99", "node2/kubelet": "start 2, pid 20"}, "node1/containerd, node1/kubelet, node2/kubelet"},
		// A service that was waiting to be started is no change of one that ran.
		{"new", map[string]string{"node1/kubelet": "start 1, pid 20", "node2/kubelet": "start 1, pid 20", "node1/containerd": "start 1, pid 8", "node1/kube-proxy": "start 1, pid 9"}, ""},
		{"unknown", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := changed(before, tt.after); got != tt.want {
				t.Errorf("changed: %q, want %q", got, tt.want)
			}
		})
	}
}

var metric = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}

func begunTrial() result.Trial {
	return result.Trial{
		Schema: result.SchemaVersion, Block: 1, Position: 1, Variant: "a", Cell: "tcp", Scenario: "tcp", Attempt: 1,
		Start: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC),
	}
}

func TestFill(t *testing.T) {
	trial := begunTrial()
	window := result.Window{Start: trial.Start, End: trial.Start.Add(time.Second)}
	m := stage.Measurement{
		Window: window, Values: []result.Value{{Metric: metric, Value: 1e9}},
		Marks: []result.Mark{{Name: "cpu-saturated", Detail: "d"}}, Facts: map[string]string{"mss": "1448"},
	}
	if err := fill(&trial, m); err != nil {
		t.Fatal(err)
	}
	want := begunTrial()
	want.Status, want.Window, want.Values, want.Marks, want.Facts, want.End = result.OK, &window, m.Values, m.Marks, m.Facts, trial.End
	if diff := cmp.Diff(want, trial); diff != "" {
		t.Errorf("trial (-want +got):\n%s", diff)
	}
}

// What cannot be compared is no result, and nothing of it stays in the trial.
func TestFillRefuses(t *testing.T) {
	value := func(v float64) result.Value { return result.Value{Metric: metric, Value: v} }
	for name, values := range map[string][]result.Value{
		"no value": nil, "zero": {value(0)}, "negative": {value(-1)}, "not a number": {value(math.NaN())}, "infinite": {value(math.Inf(1))},
		"one metric twice": {value(1), value(2)}, "no metric": {{Value: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			trial := begunTrial()
			if err := fill(&trial, stage.Measurement{Values: values, Facts: map[string]string{"mss": "1448"}}); err == nil {
				t.Errorf("accepted as %+v", trial)
			}
			if diff := cmp.Diff(begunTrial(), trial); diff != "" {
				t.Errorf("the trial changed (-before +after):\n%s", diff)
			}
		})
	}
}
