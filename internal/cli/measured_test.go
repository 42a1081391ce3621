package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

// makeMeasured writes a results directory whose figures the script chooses:
//
//	measured DIR gbits=15 blocks=7 kernel=6.1 invalid=5 failed=1 unfinished=2
//
// Host has 20 Gbit/s, flannel-vxlan gbits; both rise by 0.1 from block to
// block. In the last blocks both are invalid or not measured, or flannel-vxlan
// failed. The plan does not know the parameter without, as one of an earlier
// version does not.
func makeMeasured(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: measured DIR [NAME=VALUE…]")
	}
	set := map[string]string{"gbits": "15", "blocks": "7", "kernel": "6.1", "invalid": "0", "failed": "0", "unfinished": "0", "without": ""}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if _, known := set[name]; !known {
			ts.Fatalf("measured has no %s", name)
		}
		set[name] = value
	}
	number := func(name string) float64 {
		x, err := strconv.ParseFloat(set[name], 64)
		ts.Check(err)
		return x
	}
	text := strings.Replace(madeUpCampaign, "blocks: 7", "blocks: "+set["blocks"], 1)
	catalog, err := cni.Builtin()
	ts.Check(err)
	may, err := known(catalog, nil, scenario.Set{})
	ts.Check(err)
	c, err := campaign.Parse("measured", []byte(text), may)
	ts.Check(err)
	p, err := plan.Expand(c, may)
	ts.Check(err)
	delete(p.Cells[0].Parameters, set["without"])
	p, err = plan.Seal(p)
	ts.Check(err)
	w, err := result.Create(ts.MkAbs(args[0]), []byte(text), p)
	ts.Check(err)
	ts.Check(w.WriteEnvironment(result.Environment{
		Schema: result.SchemaVersion, Created: madeUpStart, Cnibench: "made up", Topology: "lab", Machine: result.Machine{Kernel: set["kernel"]},
	}))
	left := func(t plan.Trial) float64 { return number("blocks") - float64(t.Block) }
	for _, planned := range p.Trials() {
		t := measuredTrial(planned, number("gbits"))
		switch {
		case left(planned) < number("unfinished"):
			continue
		case left(planned) < number("invalid"):
			t.Status, t.Reason, t.Values = result.Invalid, "made up: steal", nil
		case left(planned) < number("failed") && planned.Variant.Name != "host":
			t.Status, t.Reason, t.Values = result.Failed, "made up: no route", nil
		}
		ts.Check(w.Append(t))
	}
	ts.Check(w.Close())
}

func measuredTrial(p plan.Trial, gbits float64) result.Trial {
	start := madeUpStart.Add(time.Duration(10*p.Block+p.Position) * time.Minute)
	if p.Variant.Name == "host" {
		gbits = 20
	}
	return result.Trial{
		Schema: result.SchemaVersion, Block: p.Block, Position: p.Position, Variant: p.Variant.Name, Cell: p.Cell.ID,
		Scenario: p.Cell.Scenario, Attempt: 1, Start: start, End: start.Add(time.Minute), Raw: result.RawPath(result.KeyOf(p), 1),
		Status: result.OK, Window: &result.Window{Start: start, End: start.Add(10 * time.Second)},
		Values: []result.Value{{Metric: mainMetric(p.Cell.Scenario), Value: (gbits + 0.1*float64(p.Block)) * 1e9}},
	}
}
