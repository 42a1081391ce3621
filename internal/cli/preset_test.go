package cli

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

// Every preset is a campaign of this program, as it is and shortened: then it
// measures for less time, and never in less than scenarios take.
func TestPresets(t *testing.T) {
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	may, err := known(catalog, nil, scenario.Set{})
	if err != nil {
		t.Fatal(err)
	}
	expand := func(name string, data []byte) plan.Plan {
		t.Helper()
		c, err := campaign.Parse(name, data, may)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Expand(c, may)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return p
	}
	for _, name := range campaign.Presets() {
		data, err := campaign.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		full := expand(name, data)
		if full.Name != name {
			t.Errorf("%s calls itself %s", name, full.Name)
		}
		short, err := campaign.Shorten(data, 20, may)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		shortened := expand(name+" / 20", short)
		before, after := plan.Estimate(full, trialDuration(scenario.Set{}, full.Cluster)), plan.Estimate(shortened, trialDuration(scenario.Set{}, shortened.Cluster))
		if shortened.Name != name+"-shortened-20" || len(shortened.Cells) != len(full.Cells) || after > before/3 {
			t.Errorf("%s, %d cells, %v became %s, %d cells, %v", full.Name, len(full.Cells), before, shortened.Name, len(shortened.Cells), after)
		}
		if !strings.HasPrefix(string(short), "# Shortened: durations, counts and blocks are divided by 20.\n") || !strings.Contains(string(short), "# What differs, and why:") {
			t.Errorf("%s lost its comments:\n%s", name, short)
		}
	}
}
