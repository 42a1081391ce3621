package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

func TestVariantTitles(t *testing.T) {
	p := plan.Plan{Variants: []plan.Variant{
		{Name: "host", Entry: "host"},
		{Name: "cilium-kpr", Entry: "cilium-kpr", Version: "1.15.19"},
		{Name: "ours", Entry: "cilium-kpr", Version: "1.15.19", Values: map[string]any{"MTU": 1400.0}},
		{Name: "never-up", Entry: "never-up", Version: "v1"},
		{Name: "installed", Entry: "installed"},
	}}
	env := result.Environment{Variants: map[string]result.Variant{
		"host":       {Plugin: "host network"},
		"cilium-kpr": {Plugin: "Cilium", Version: "1.15.19", Verified: "installed"},
		"ours":       {Plugin: "Cilium", Version: "1.15.19", Verified: "installed"},
		"installed":  {Plugin: "Calico", Version: "v3.30.1"},
	}}
	var got []string
	for _, v := range describeVariants(p, env) {
		got = append(got, v.Title())
	}
	want := []string{
		"host", "cilium-kpr (Cilium 1.15.19)", "ours (cilium-kpr, Cilium 1.15.19, own values)", "never-up (v1)", "installed (Calico v3.30.1)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnverifiedWarning(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ran     result.Variant
		planned plan.Variant
		want    bool
	}{
		{"nobody tried", result.Variant{Plugin: "Antrea", Version: "v2.4.0"}, plan.Variant{Version: "v2.4.0"}, true},
		{"rendered", result.Variant{Plugin: "Antrea", Version: "v2.4.0", Verified: "rendered"}, plan.Variant{Version: "v2.4.0"}, false},
		{"nothing installed", result.Variant{Plugin: "host network"}, plan.Variant{}, false},
		{"an older environment", result.Variant{}, plan.Variant{Version: "v2.4.0"}, false},
		{"of the user's catalog", result.Variant{Plugin: "Bridge", Version: "v1"}, plan.Variant{Version: "v1", Definition: "sha256:0"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := testPlan(6, "host", "b")
			tt.planned.Name, tt.planned.Entry = "b", "b"
			p.Variants[1] = tt.planned
			a := analyze(t, p, nil, result.Environment{Variants: map[string]result.Variant{"b": tt.ran}})
			if got := warned(a, "unverified"); got != tt.want {
				t.Errorf("warned: %t, want %t", got, tt.want)
			}
		})
	}
}
