package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// repeated is a Service that carried connections after so many seconds, and
// none any more as many after its removal.
func repeated(carried, gone float64) serviceRepeat {
	at := func(seconds float64) time.Time {
		return time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	return serviceRepeat{Created: apiCall{Begun: at(0)}, Carried: at(carried), Deleted: apiCall{Begun: at(100)}, Gone: at(100 + gone)}
}

// The median is a time that was measured, also of an even number.
func TestRepeatFigures(t *testing.T) {
	for _, tt := range []struct {
		name    string
		repeats []serviceRepeat
		want    map[string]float64
	}{
		{"one", []serviceRepeat{repeated(0.25, 0.5)}, map[string]float64{"programming-time": 0.25, "programming-time-max": 0.25, "removal-time": 0.5}},
		{"odd", []serviceRepeat{repeated(3, 1), repeated(1, 5), repeated(2, 3)}, map[string]float64{"programming-time": 2, "programming-time-max": 3, "removal-time": 3}},
		{"even", []serviceRepeat{repeated(4, 1), repeated(1, 2), repeated(2, 3), repeated(3, 4)}, map[string]float64{"programming-time": 2, "programming-time-max": 4, "removal-time": 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, byName(repeatFigures(tt.repeats).Values)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestGroupCost(t *testing.T) {
	summary := sample.Summary{Groups: map[string]sample.GroupSummary{groupProxy: {Cores: 0.5, WorkingSet: sample.Gauge{Mean: 90, Max: 100}}}}
	ms := stage.Machines{Summaries: map[string]sample.Summary{"node1": summary, "node2": summary}}
	cost := func(group string, exists bool, unattributed string) stage.Figures {
		return groupCost(ms, group, exists, unattributed, 10, settlingProxyCPU, settlingProxyMemory)
	}
	values := func(cpu, memory float64) map[string]float64 {
		return map[string]float64{settlingProxyCPU.Name: cpu, settlingProxyMemory.Name: memory}
	}
	if diff := cmp.Diff(values(10, 200), byName(cost(groupProxy, true, "").Values)); diff != "" {
		t.Errorf("two nodes' proxies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(values(0, 0), byName(cost(groupProxy, false, "").Values)); diff != "" {
		t.Errorf("without a proxy (-want +got):\n%s", diff)
	}
	for _, f := range []stage.Figures{cost(groupProxy, true, "nobody knows"), cost("another", true, "")} {
		if len(f.Values) > 0 || f.Missing[settlingProxyCPU.Name] == "" || f.Missing[settlingProxyMemory.Name] == "" {
			t.Errorf("what is not known is %+v", f)
		}
	}
}

// Of the stream its own figures are told, and its marks as such.
func TestStreamFigures(t *testing.T) {
	f := streamFigures(stage.Measurement{
		Values:  []result.Value{{Metric: throughput, Value: 5e9}, {Metric: stage.CPU, Value: 2}, {Metric: rtt, Value: 1e-3}},
		Missing: map[string]string{retransmits.Name: "not told", stage.CNICPU.Name: "not known"},
		Marks:   []result.Mark{{Name: "generator-limited", Detail: "the client"}},
	})
	if diff := cmp.Diff(map[string]float64{throughput.Name: 5e9, rtt.Name: 1e-3}, byName(f.Values)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{retransmits.Name: "not told"}, f.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if len(f.Marks) != 1 || f.Marks[0].Detail != "TCP stream: the client" {
		t.Errorf("marks %v", f.Marks)
	}
}

func TestCoverage(t *testing.T) {
	for _, tt := range []struct {
		services, sent, answered int
		want                     string
	}{
		{10, 100, 100, "all 10, in turn; each answered"},
		{10, 10, 10, "all 10, in turn; each answered"},
		{10, 100, 97, "all 10, in turn; 3 connections of 100 had no answer"},
		{1000, 100, 100, "100 of 1000 were tried, one connection each: there was no time for more"},
	} {
		if got := coverage(tt.services, tt.sent, tt.answered); got != tt.want {
			t.Errorf("%d of %d for %d Services: %q, want %q", tt.answered, tt.sent, tt.services, got, tt.want)
		}
	}
}

// The draw is one of the Services, the same each time, and not always the
// same one.
func TestDraw(t *testing.T) {
	drawn := map[int]bool{}
	for seed := range 20 {
		got := draw(seed, 100)
		if got < 0 || got >= 100 || got != draw(seed, 100) {
			t.Errorf("seed %d drew %d of 100", seed, got)
		}
		drawn[got] = true
	}
	if len(drawn) < 2 {
		t.Errorf("20 seeds drew %v", drawn)
	}
	if got := draw(7, 1); got != 0 {
		t.Errorf("of one Service number %d was drawn", got)
	}
}

// A trial has as much time as its Services need.
func TestServiceScalingTakes(t *testing.T) {
	s, err := Find("service-scaling")
	if err != nil {
		t.Fatal(err)
	}
	values := parameter.Values{}
	for _, p := range s.Parameters {
		values[p.Name] = p.Defaults()[0]
	}
	few := s.Duration(values)
	values[scalingServices.Name] = "10000"
	// Made, acting and gone: for each of these 2 minutes at the least.
	if many := s.Duration(values); many < few+6*time.Minute {
		t.Errorf("10000 Services have %v, one has %v", many, few)
	}
}
