package analysis

import (
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// memoryCampaign has ten blocks in which a variant takes more memory than the
// base does, by the same amount in each.
func memoryCampaign(name string, base, more float64) (plan.Plan, []result.Trial) {
	p := testPlan(10, "host", "flannel-vxlan")
	p.Analysis.Primary = nil
	m := memory
	m.Name = name
	var trials []result.Trial
	for b := 1; b <= 10; b++ {
		noise := float64(b%3) * 0.1
		trials = append(trials,
			trial(p, b, "host", result.Value{Metric: m, Value: base * mib}),
			trial(p, b, "flannel-vxlan", result.Value{Metric: m, Value: (base + more + noise) * mib}))
	}
	return p, trials
}

func TestVerdictsOnMemoryAllowForTheInstallation(t *testing.T) {
	for _, test := range []struct {
		name, metric string
		base, more   float64 // MiB; the margin is 10
		fresh        bool
		want         stats.Verdict
	}{
		{"what two installations of the same were seen to differ by", "memory", 637, 18, false, stats.Inconclusive},
		{"the same, sampled by installations", "memory", 637, 18, true, stats.Worse},
		{"more than margin and allowance", "memory", 637, 60, false, stats.Worse},
		{"small memory has a small allowance", "cni-memory", 22, 14, false, stats.Worse},
		{"equal beyond what the installation may hide", "cni-memory", 22, 1, false, stats.Equivalent},
		{"equal, but installations may hide more than the margin", "memory", 637, 1, false, stats.Inconclusive},
		{"what is no memory needs none", "map-bytes", 637, 18, false, stats.Worse},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, trials := memoryCampaign(test.metric, test.base, test.more)
			p.FreshCluster = test.fresh
			a, err := Analyze(p, trials, result.Environment{})
			if err != nil {
				t.Fatal(err)
			}
			k := a.Cells[0].Metrics[0].Comparisons[0]
			if k.Verdict != test.want {
				t.Errorf("%s (allowance %v), want %s", k.Verdict, k.Allowance, test.want)
			}
			if said := k.Open == oneInstallation; said != (test.want == stats.Inconclusive) {
				t.Errorf("an open question: %q, with %d further blocks", k.Open, k.Further)
			}
		})
	}
}

func TestMemoryOfTwoCampaigns(t *testing.T) {
	p, trials := memoryCampaign("memory", 637, 18)
	p.FreshCluster = false
	fresh := p
	fresh.FreshCluster = true
	for _, test := range []struct {
		name string
		a, b plan.Plan
		want stats.Verdict
	}{
		{"one installation on either side is enough for doubt", p, fresh, stats.Inconclusive},
		{"the other side", fresh, p, stats.Inconclusive},
		{"none", fresh, fresh, stats.Worse},
	} {
		c, err := CompareBetween(Campaign{test.a, trials, result.Environment{}}, Campaign{test.b, trials, result.Environment{}},
			CompareOptions{Map: map[string]string{"host": "flannel-vxlan"}})
		if err != nil {
			t.Fatal(err)
		}
		if row := c.Cells[0].Metrics[0].Rows[0]; row.Verdict != test.want {
			t.Errorf("%s: %s, want %s", test.name, row.Verdict, test.want)
		}
	}
}
