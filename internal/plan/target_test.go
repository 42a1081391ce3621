package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
)

// Each target is listed once, however many cells name it; one name may stand
// for two servers only in plans that were put together by hand.
func TestTargets(t *testing.T) {
	shop, staging := plan.Target{Name: "shop", URL: "https://192.0.2.7/", Host: "shop.example.com", Insecure: true}, plan.Target{Name: "staging", URL: "http://192.0.2.8/"}
	again := shop
	p := plan.Plan{Cells: []plan.Cell{{ID: "a"}, {ID: "b", Target: &shop}, {ID: "c", Target: &staging}, {ID: "d", Target: &again}}}
	if diff := cmp.Diff([]plan.Target{shop, staging}, p.Targets()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, want := range []string{"", "shop, https://192.0.2.7/ as shop.example.com, whose certificate is not checked", "staging, http://192.0.2.8/"} {
		if got := p.Cells[i].TargetDescription(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
