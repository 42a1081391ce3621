package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/result"
)

// syntheticCosts are those of the synthetic campaign, with memory as scenarios
// report it, and with latencies.
func syntheticCosts(t testing.TB) *cost.Costs {
	t.Helper()
	p, trials := syntheticCampaign(syntheticVariants, 8)
	for i := range trials {
		if trials[i].Status != result.OK {
			continue
		}
		var values []result.Value
		for _, v := range trials[i].Values {
			switch v.Name {
			case "cpu-per-gbit":
				v.Unit = "mCPU/(Gbit/s)"
			case "rtt":
				slow := v
				slow.Name, slow.Value = "latency-p99", 6*v.Value
				values = append(values, slow)
			case "memory-overhead":
				continue
			}
			values = append(values, v)
		}
		used := 400.0
		for _, v := range syntheticVariants {
			if v.name == trials[i].Variant {
				used += v.memory
			}
		}
		memory := result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20}
		trials[i].Values = append(values, result.Value{Metric: memory, Value: (used + float64(trials[i].Block%3)) * (1 << 20)})
	}
	a, err := analysis.Analyze(p, trials, syntheticEnvironment(p))
	if err != nil {
		t.Fatal(err)
	}
	c, err := cost.Campaign(a, cost.Default(), cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestCostsOnThePage(t *testing.T) {
	a, env, series := synthetic(t)
	c := syntheticCosts(t)
	if !c.Measured() || len(c.Savings) != 2 {
		t.Fatalf("the example prices nothing: %+v", c.Inputs)
	}
	var with, without bytes.Buffer
	if err := HTML(&with, Source{Analysis: a, Environment: env, Series: series, Costs: c}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<section id="costs">`, `href="#costs"`, "not yours", "Savings against flannel-host-gw", "term by term"} {
		if !strings.Contains(with.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if err := HTML(&without, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(without.String(), `id="costs"`) || strings.Contains(without.String(), `href="#costs"`) {
		t.Error("a page without costs speaks of them")
	}
}

// Names in costs are text, and where nothing was measured there is no table of
// sums.
func TestHostileCosts(t *testing.T) {
	a, env, _ := synthetic(t)
	const name = "<script>alert(1)</script>"
	c, err := cost.Figures(name, []cost.Entry{{Name: name, Latency: 1, Throughput: 1, Nodes: 1}, {Name: "b", Latency: 1, Throughput: 1, Nodes: 1}}, cost.Default(), "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := HTML(&b, Source{Analysis: a, Environment: env, Costs: &c}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), name) {
		t.Error("a name is markup")
	}
	none, err := cost.Campaign(a, cost.Default(), cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := HTML(&b, Source{Analysis: a, Environment: env, Costs: &none}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "term by term") || !strings.Contains(b.String(), "Nothing that differs between variants in cost was measured") {
		t.Error("costs of nothing are shown")
	}
}
