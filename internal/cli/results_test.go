package cli

import (
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

const madeUpCampaign = `apiVersion: cnibench.io/v1alpha1
kind: Campaign
metadata: {name: made-up}
spec:
  cluster: {lab: {}}
  variants: [host, flannel-vxlan]
  scenarios: [tcp-pod-single]
  blocks: 7
  freshCluster: true
  seed: 1
`

// makeResults writes a results directory whose figures nobody measured: 20
// Gbit/s for the host, 15 for the other variant, and one failed trial.
func makeResults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: results DIR")
	}
	writeResults(ts, args[0], []byte(madeUpCampaign), madeUpTrial)
}

// makeTwins writes one of an A/A campaign.
func makeTwins(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: twins DIR")
	}
	once := false
	data, err := campaign.Twin("made-up", []byte(madeUpCampaign), campaign.Twins{Variant: "flannel-vxlan", Blocks: 8, FreshCluster: &once}, madeUpKnown(ts))
	ts.Check(err)
	writeResults(ts, args[0], data, func(p plan.Trial) result.Trial {
		t := madeUpTrial(p)
		t.Status, t.Reason = result.OK, ""
		t.Window = &result.Window{Start: t.Start, End: t.Start.Add(10 * time.Second)}
		// As far apart in either direction.
		gbits := 20 + 0.01*float64(p.Block)*float64(p.Position)*float64(2*(p.Block%2)-1)
		t.Values = []result.Value{{Metric: mainMetric(p.Cell.Scenario), Value: gbits * 1e9}}
		return t
	})
}

func madeUpKnown(ts *testscript.TestScript) campaign.Known {
	catalog, err := cni.Builtin()
	ts.Check(err)
	may, err := known(catalog, nil, scenario.Set{})
	ts.Check(err)
	return may
}

// writeResults writes a results directory with a trial for each that the
// campaign asks for.
func writeResults(ts *testscript.TestScript, dir string, data []byte, trial func(plan.Trial) result.Trial) {
	may := madeUpKnown(ts)
	c, err := campaign.Parse("made-up", data, may)
	ts.Check(err)
	p, err := plan.Expand(c, may)
	ts.Check(err)
	w, err := result.Create(ts.MkAbs(dir), data, p)
	ts.Check(err)
	ts.Check(w.WriteEnvironment(result.Environment{Schema: result.SchemaVersion, Created: madeUpStart, Cnibench: "made up", Topology: "lab"}))
	for _, planned := range p.Trials() {
		ts.Check(w.Append(trial(planned)))
	}
	ts.Check(w.Close())
}

var madeUpStart = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func madeUpTrial(p plan.Trial) result.Trial {
	start := madeUpStart.Add(time.Duration(10*p.Block+p.Position) * time.Minute)
	t := result.Trial{
		Schema: result.SchemaVersion, Block: p.Block, Position: p.Position, Variant: p.Variant.Name, Cell: p.Cell.ID,
		Scenario: p.Cell.Scenario, Attempt: 1, Start: start, End: start.Add(time.Minute), Raw: result.RawPath(result.KeyOf(p), 1),
	}
	if p.Block == 2 && p.Variant.Name != "host" {
		t.Status, t.Reason = result.Failed, "made up: the server pod did not start"
		return t
	}
	gbits := 20.0
	if p.Variant.Name != "host" {
		gbits = 15
	}
	t.Status = result.OK
	t.Window = &result.Window{Start: start, End: start.Add(10 * time.Second)}
	t.Values = []result.Value{{Metric: mainMetric(p.Cell.Scenario), Value: (gbits + 0.1*float64(p.Block)) * 1e9}}
	return t
}

func mainMetric(name string) result.Metric {
	s, err := scenario.Find(name)
	if err != nil {
		panic(err)
	}
	return s.Metrics[0]
}
