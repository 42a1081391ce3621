package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
)

func TestTrialsFollowTheBlocks(t *testing.T) {
	p := plan.Plan{
		Variants: []plan.Variant{{Name: "host", Entry: "host"}, {Name: "ours", Entry: "flannel-vxlan"}},
		Cells:    []plan.Cell{{ID: "single", Parameters: parameter.Values{"streams": "1"}}, {ID: "multi", Parameters: parameter.Values{"streams": "8"}}},
		Blocks: []plan.Block{
			{Index: 1, Order: []string{"ours", "host"}, Cells: []string{"multi", "single"}},
			{Index: 2, Order: []string{"host", "ours"}, Cells: []string{"single", "multi"}},
		},
	}
	var got []string
	for _, trial := range p.Trials() {
		got = append(got, fmt.Sprintf("%d/%d %s(%s) %s(%d)",
			trial.Block, trial.Position, trial.Variant.Name, trial.Variant.Entry, trial.Cell.ID, trial.Cell.Parameters.Integer("streams")))
	}
	want := []string{
		"1/1 ours(flannel-vxlan) multi(8)", "1/1 ours(flannel-vxlan) single(1)",
		"1/2 host(host) multi(8)", "1/2 host(host) single(1)",
		"2/1 host(host) single(1)", "2/1 host(host) multi(8)",
		"2/2 ours(flannel-vxlan) single(1)", "2/2 ours(flannel-vxlan) multi(8)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// 10 blocks × 3 variants × (3 s + 2 s).
func TestEstimateSumsTheTrials(t *testing.T) {
	duration := func(c plan.Cell) time.Duration {
		return map[string]time.Duration{"tcp-pod-single": 3 * time.Second, "tcp-service-multi": 2 * time.Second}[c.ID]
	}
	if got, want := plan.Estimate(expand(t, campaign.Quick()), duration), 150*time.Second; got != want {
		t.Errorf("estimate %s, want %s", got, want)
	}
}
