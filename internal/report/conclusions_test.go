package report

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
)

// What may be expected of another installation depends on how many there were.
func TestConclusionsKnowHowOftenWasInstalled(t *testing.T) {
	existing := func(change bool) plan.Plan {
		return plan.Plan{Cluster: plan.Cluster{Existing: &plan.Existing{AllowCNIChange: change}}}
	}
	for _, tt := range []struct {
		name string
		plan plan.Plan
		anew bool
	}{
		{"fresh labs", plan.Plan{FreshCluster: true, Cluster: plan.Cluster{Lab: &plan.Lab{}}}, true},
		{"one lab each", plan.Plan{Cluster: plan.Cluster{Lab: &plan.Lab{}}}, false},
		{"turns on an existing cluster", existing(true), true},
		{"what an existing cluster has", existing(false), false},
		{"turns on a cluster of a command", plan.Plan{Cluster: plan.Cluster{Command: &plan.Command{}}}, true},
	} {
		s := conclusions(analysis.Analysis{Plan: tt.plan})
		may, not := strings.Contains(strings.Join(s.May, " "), "on a new installation"), strings.Contains(strings.Join(s.Not, " "), "within one installation")
		if may != tt.anew || not == tt.anew {
			t.Errorf("%s: another installation is expected to be the same: %t; results hold within one: %t", tt.name, may, not)
		}
	}
}
