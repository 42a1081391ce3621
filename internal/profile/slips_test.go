package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSlips(t *testing.T) {
	known := map[string][]string{"tcp-pod-single": {"throughput", "cpu-per-gbit"}, "tcp-rr": {"latency-p99"}, "dts": {"throughput"}}
	for _, c := range []struct {
		of   Pattern
		want []string
	}{
		{Pattern{Scenario: "tcp-pod-single", Metric: "throughput"}, nil},
		{Pattern{Scenario: "dts", Metric: "throughput"}, nil},
		{Pattern{Scenario: "ours", Metric: "throughput"}, nil}, // nothing like it: another campaign may have it
		{Pattern{Scenario: "tcp-rr", Metric: "jitter"}, nil},
		{Pattern{Scenario: "tcp-pod-sngle", Metric: "throughput"}, []string{`made up: there is no scenario "tcp-pod-sngle": did you mean "tcp-pod-single"?`}},
		{Pattern{Scenario: "tcp-rr", Metric: "latency-p9"}, []string{`made up: tcp-rr has no metric "latency-p9": did you mean "latency-p99"?`}},
	} {
		p := Profile{Weights: []Measure{{What: "made up", Weight: 1, Of: []Pattern{c.of}}}}
		if diff := cmp.Diff(c.want, p.Slips(known)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.of, diff)
		}
	}
}

// None of cnibench's own profiles has one against all of them.
func TestSlipsOfBuiltins(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, p := range all {
		for _, m := range p.Weights {
			for _, of := range m.Of {
				known[of.Scenario] = append(known[of.Scenario], of.Metric)
			}
		}
	}
	for _, p := range all {
		if slips := p.Slips(known); len(slips) > 0 {
			t.Errorf("%s: %q", p.Name, slips)
		}
	}
}
