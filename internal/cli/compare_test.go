package cli

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

func TestWithDefaults(t *testing.T) {
	old := parameter.Values{"duration": "1s", "streams": "4"}
	cells := []plan.Cell{
		{ID: "tcp", Scenario: "tcp-pod-single", Parameters: old},
		{ID: "own", Scenario: "tcp-pod-single", Definition: "sha256:1", Parameters: old},
		{ID: "unknown", Scenario: "of-a-later-version", Parameters: old},
	}
	got := withDefaults(plan.Plan{Cells: cells}).Cells
	if p := got[0].Parameters; p["duration"] != "1s" || p["streams"] != "4" || p["path"] != "pod-ip" || p["nic-rtt"] != "false" {
		t.Errorf("parameters of the earlier version: %v", p)
	}
	for _, c := range got[1:] {
		if diff := cmp.Diff(old, c.Parameters); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
	if len(old) != 2 {
		t.Error("the plan itself was changed")
	}
	imported := withDefaults(plan.Plan{Cells: cells, Imported: &plan.Imported{}})
	if diff := cmp.Diff(old, imported.Cells[0].Parameters); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
}

// Whatever is written after --margin, a margin is a finite number from 0.
func FuzzParseMargins(f *testing.F) {
	for _, seed := range []string{"throughput=3%", "memory=10", "throughput=-1%", "memory=Inf", "throughput=1e400%", "=", "x"} {
		f.Add(seed)
	}
	metrics := map[string]result.Metric{
		"throughput": {Name: "throughput", Unit: "bit/s", Scale: result.Ratio},
		"memory":     {Name: "memory", Unit: "bytes", Scale: result.Difference},
	}
	f.Fuzz(func(t *testing.T, text string) {
		margins, err := parseMargins([]string{text}, metrics)
		if err != nil {
			return
		}
		for name, margin := range margins {
			if _, known := metrics[name]; !known || math.IsNaN(margin) || math.IsInf(margin, 0) || margin < 0 {
				t.Errorf("%q gave %s = %v", text, name, margin)
			}
		}
	})
}
