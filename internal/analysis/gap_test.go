package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// A metric that one trial lacks is a warning with its reason; one that no
// trial has for want of hardware sets none apart and is none.
func TestGaps(t *testing.T) {
	p, trials := handMade()
	const died, none = "the probe on node1 was ended by SIGKILL", "the machine has no RAPL"
	for i := range trials {
		if trials[i].Status == result.OK {
			trials[i].Missing = map[string]string{"energy": none}
		}
	}
	trials[3].Values, trials[3].Missing = trials[3].Values[:1], map[string]string{"energy": none, "memory-overhead": died, "cpu": died}
	a, err := Analyze(p, trials, handMadeEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	c := a.Cells[0]
	ok := 0
	for _, o := range c.Outcomes {
		ok += o.OK
	}
	if len(c.Gaps) != ok+2 {
		t.Errorf("%d gaps of %d trials: %v", len(c.Gaps), ok, c.Gaps)
	}
	lost := []Absence{{Metrics: []string{"cpu", "memory-overhead"}, Reason: died, Trials: 1, Where: "flannel-vxlan in block 2"}}
	if diff := cmp.Diff(lost, c.Lost()); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if n := c.NotOffered(); len(n) != 1 || n[0].Reason != none || n[0].Trials != ok || !cmp.Equal(n[0].Metrics, []string{"energy"}) {
		t.Errorf("not offered: %v", n)
	}
	var said []string
	for _, w := range a.Warnings {
		if w.Code == "metrics-missing" {
			said = append(said, w.Message)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], died) || strings.Contains(said[0], none) {
		t.Errorf("warnings: %v", said)
	}
	for _, m := range c.Metrics {
		for _, arm := range m.Arms {
			if m.Name == "memory-overhead" && arm.Variant == "flannel-vxlan" && (arm.Absent != 1 || len(arm.Samples) != 5) {
				t.Errorf("%d absent, %d samples", arm.Absent, len(arm.Samples))
			}
		}
	}
}

// Details of a group do not warn of their spread, unless they are declared
// primary.
func TestFolded(t *testing.T) {
	for _, tt := range []struct {
		m    Metric
		want bool
	}{
		{Metric{}, false},
		{Metric{Metric: result.Metric{Group: "CPU by mode"}}, true},
		{Metric{Metric: result.Metric{Group: "CPU by mode"}, Primary: true}, false},
		{Metric{Metric: result.Metric{Group: "CPU by mode"}, Main: true}, false},
	} {
		if got := tt.m.Folded(); got != tt.want {
			t.Errorf("%+v: %v", tt.m, got)
		}
	}
}
