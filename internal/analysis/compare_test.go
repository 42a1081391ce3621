package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

func handMadeCampaign() Campaign {
	p, trials := handMade()
	return Campaign{p, trials, handMadeEnvironment}
}

func within(t *testing.T, c Campaign, o CompareOptions) Compared {
	t.Helper()
	compared, err := CompareWithin(c.Plan, c.Trials, c.Environment, o)
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, compared)
	return compared
}

func betweenTwo(t *testing.T, a, b Campaign, o CompareOptions) Compared {
	t.Helper()
	compared, err := CompareBetween(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, compared)
	return compared
}

// checkJSON fails on numbers that JSON has not, and on what reading it back
// would change.
func checkJSON(t testing.TB, c Compared) {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Compared
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || string(again) != string(text) {
		t.Errorf("read back and written again it is another text (%v)", err)
	}
}

// lines says what was compared: cell/metric, sides, family and verdict.
func lines(c Compared) []string {
	var list []string
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			for _, r := range m.Rows {
				family := "exploratory"
				if r.Primary {
					family = "primary"
				}
				list = append(list, fmt.Sprintf("%s %s vs %s (%d, %d): %s %s", m.Name, r.B, r.A, r.NA, r.NB, family, r.Verdict))
			}
		}
	}
	return list
}

func TestCompareWithinDeclared(t *testing.T) {
	c := within(t, handMadeCampaign(), CompareOptions{})
	want := []string{
		"throughput flannel-vxlan vs host (6, 6): primary inconclusive",
		"throughput cilium-kpr vs host (4, 4): primary inconclusive",
		"memory-overhead flannel-vxlan vs host (6, 6): exploratory worse",
		"memory-overhead cilium-kpr vs host (4, 4): exploratory inconclusive",
	}
	if diff := cmp.Diff(want, lines(c)); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
	if c.Exploratory != "" || c.Family != 2 || c.Base != "host" || !c.Paired {
		t.Errorf("exploratory %q, family %d, base %q, paired %t", c.Exploratory, c.Family, c.Base, c.Paired)
	}
	m := c.Cells[0].Metrics[0]
	lacking := []Lack{{5, "cilium-kpr", "invalid: 0.4 cores of foreign CPU"}, {6, "cilium-kpr", "never attempted"}}
	if diff := cmp.Diff(lacking, m.Rows[1].Lacking); diff != "" {
		t.Errorf("lacking (-want +got):\n%s", diff)
	}
	host, _ := m.Arm(0, "host")
	if diff := cmp.Diff([]MarkCount{{"cpu-saturated", 1}}, host.Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if cilium, _ := m.Arm(0, "cilium-kpr"); cilium.Lost != 2 {
		t.Errorf("cilium-kpr lost %d trials, want 2", cilium.Lost)
	}
}

func TestWhatWasNotDeclaredIsExploratory(t *testing.T) {
	for name, tt := range map[string]struct {
		options CompareOptions
		want    string
	}{
		"another base":   {CompareOptions{Base: "cilium-kpr"}, "the campaign declared host as its base, not cilium-kpr"},
		"another margin": {CompareOptions{Margins: map[string]float64{"throughput": 0.3}}, "the margin of throughput was chosen after the measurement"},
		"the same base":  {CompareOptions{Base: "host"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := within(t, handMadeCampaign(), tt.options)
			if c.Exploratory != tt.want {
				t.Errorf("exploratory: %q, want %q", c.Exploratory, tt.want)
			}
			for _, line := range lines(c) {
				if strings.Contains(line, "primary") && tt.want != "" {
					t.Errorf("%s although %s", line, tt.want)
				}
			}
			if (c.Family == 0) != (tt.want != "") {
				t.Errorf("family of %d", c.Family)
			}
		})
	}
	c := within(t, handMadeCampaign(), CompareOptions{Base: "cilium-kpr"})
	if got := lines(c)[0]; got != "throughput flannel-vxlan vs cilium-kpr (4, 4): exploratory inconclusive" {
		t.Error(got)
	}
}

func TestAllPairs(t *testing.T) {
	c := within(t, handMadeCampaign(), CompareOptions{AllPairs: true})
	if got := len(c.Cells[0].Metrics[0].Rows); got != 3 {
		t.Errorf("%d pairs of 3 variants", got)
	}
	groups := c.Cells[0].Metrics[0].Groups
	if groups == nil || groups.Absent != "too few values: with 3 pairs p must be at most 0.0083 for a first difference, and it cannot be below 0.016" {
		t.Errorf("groups: %+v", groups)
	}
}

// noisy is a campaign of variants with these throughputs in Gbit/s and 1 %
// noise.
func noisy(blocks int, seed uint64, gbit ...float64) Campaign {
	names := []string{"host", "b", "c", "d", "e", "f"}[:len(gbit)]
	p := testPlan(blocks, names...)
	r := rand.New(rand.NewPCG(seed, 1))
	var trials []result.Trial
	for block := range blocks {
		for i, name := range names {
			trials = append(trials, trial(p, block+1, name, gbits(gbit[i]*(1+0.01*r.NormFloat64()))))
		}
	}
	return Campaign{Plan: p, Trials: trials, Environment: result.Environment{Created: time.Unix(int64(seed)*7200, 0).UTC()}}
}

func TestGroupsAreLetters(t *testing.T) {
	m := within(t, noisy(12, 1, 20, 20.1, 16, 10), CompareOptions{}).Cells[0].Metrics[0]
	letters := map[string]string{}
	for _, arm := range m.Arms {
		letters[arm.Variant] = arm.Letters
	}
	if diff := cmp.Diff(map[string]string{"host": "a", "b": "a", "c": "b", "d": "c"}, letters); diff != "" {
		t.Errorf("letters (-want +got):\n%s", diff)
	}
	if last := m.Groups.Members[3]; last != "d" {
		t.Errorf("the slowest of %v is %s", m.Groups.Members, last)
	}
}

func TestCompareBetween(t *testing.T) {
	a, b := noisy(10, 1, 20, 15), noisy(8, 2, 20.02, 12)
	c := betweenTwo(t, a, b, CompareOptions{})
	want := []string{"throughput host vs host (10, 8): primary equivalent", "throughput b vs b (10, 8): primary worse"}
	if diff := cmp.Diff(want, lines(c)); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
	r := c.Cells[0].Metrics[0].Rows[1]
	if math.Abs(r.Effect.Estimate+0.2) > 0.02 || r.Unpaired.Mean == nil || math.Abs(*r.Unpaired.Mean+0.2) > 0.02 || r.Unpaired.Delta != -1 {
		t.Errorf("12 against 15: %+v, %+v", r.Effect, r.Unpaired)
	}
	if c.Warnings[0].Code != "unpaired" || !strings.Contains(c.Warnings[0].Message, "2 hours apart") {
		t.Errorf("first warning: %+v", c.Warnings[0])
	}
}

func TestBetweenOfLowerIsBetter(t *testing.T) {
	campaign := func(mib float64) Campaign {
		p := testPlan(6, "host")
		var trials []result.Trial
		for b := range 6 {
			trials = append(trials, trial(p, b+1, "host", gbits(20+float64(b)/10), mibs(mib+float64(b)/10)))
		}
		return Campaign{Plan: p, Trials: trials}
	}
	c := betweenTwo(t, campaign(0), campaign(50), CompareOptions{})
	if got := lines(c)[1]; got != "memory-overhead host vs host (6, 6): exploratory worse" {
		t.Error(got)
	}
	if e := c.Cells[0].Metrics[1].Rows[0].Effect.Estimate; math.Abs(e-50*mib) > 1 {
		t.Errorf("effect of %v bytes", e)
	}
}

func TestWhatIsNotCompared(t *testing.T) {
	metric := func(change func(*result.Metric)) func(*Campaign) {
		return func(c *Campaign) {
			for i := range c.Trials {
				for j := range c.Trials[i].Values {
					change(&c.Trials[i].Values[j].Metric)
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*Campaign)
		want   []Omission
	}{
		"unit":      {metric(func(m *result.Metric) { m.Unit = "byte/s" }), []Omission{{cellID, "throughput", "", "its units differ (bit/s; byte/s)"}}},
		"direction": {metric(func(m *result.Metric) { m.Better = result.Lower }), []Omission{{cellID, "throughput", "", "its directions differ (higher is better; lower is better)"}}},
		"scale":     {metric(func(m *result.Metric) { m.Scale = result.Difference }), []Omission{{cellID, "throughput", "", "its scales differ (ratio; difference)"}}},
		"name": {metric(func(m *result.Metric) { m.Name = "goodput" }), []Omission{
			{cellID, "throughput", "", "the second campaign has no value of it"}, {cellID, "goodput", "", "the first campaign has no value of it"},
		}},
		"variant": {func(c *Campaign) { *c = noisy(6, 2, 20) }, []Omission{{"", "", "b", "only the first campaign measured it"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := noisy(6, 2, 20, 15)
			tt.change(&b)
			c := betweenTwo(t, noisy(6, 1, 20, 15), b, CompareOptions{})
			if diff := cmp.Diff(tt.want, c.Omitted); diff != "" {
				t.Errorf("omitted (-want +got):\n%s", diff)
			}
			for _, line := range lines(c) {
				if name != "variant" {
					t.Errorf("compared all the same: %s", line)
				}
			}
		})
	}
}

// Without a cell that both have, there is no comparison to show.
func TestNoCellInCommon(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*plan.Cell)
		want   string
	}{
		"name": {func(c *plan.Cell) { c.ID = "other" }, "they have no cell in common"},
		"duration": {func(c *plan.Cell) {
			c.Parameters = parameter.Values{"duration": "1s", "streams": "8", "placement": "cross-node", "omit": "1s"}
		}, cellID + ": its parameters differ: duration (10s; 1s), omit (none; 1s)"},
		"target":   {func(c *plan.Cell) { c.Target = &plan.Target{Name: "a", URL: "http://192.0.2.1/"} }, cellID + ": its targets differ (none; a, http://192.0.2.1/)"},
		"scenario": {func(c *plan.Cell) { c.Scenario = "udp" }, cellID + ": it is the scenario tcp-pod-multi in one campaign and udp in the other"},
	} {
		t.Run(name, func(t *testing.T) {
			b := noisy(6, 2, 20, 15)
			tt.change(&b.Plan.Cells[0])
			for i := range b.Plan.Blocks {
				b.Plan.Blocks[i].Cells = []string{b.Plan.Cells[0].ID}
			}
			for i := range b.Trials {
				b.Trials[i].Cell, b.Trials[i].Scenario = b.Plan.Cells[0].ID, b.Plan.Cells[0].Scenario
			}
			_, err := CompareBetween(noisy(6, 1, 20, 15), b, CompareOptions{})
			var incomparable *IncomparableError
			if want := "nothing in them can be compared: " + tt.want; !errors.As(err, &incomparable) || err.Error() != want {
				t.Errorf("error: %v, want %s", err, want)
			}
		})
	}
}

func TestApart(t *testing.T) {
	a := noisy(6, 1, 20, 15)
	for name, tt := range map[string]struct {
		change func(*Campaign)
		want   string
	}{
		"seconds":  {func(c *Campaign) { c.Environment.Created = a.Environment.Created.Add(59 * time.Second) }, "less than a minute apart"},
		"a minute": {func(c *Campaign) { c.Environment.Created = a.Environment.Created.Add(-119 * time.Second) }, "1 minute apart"},
		"minutes":  {func(c *Campaign) { c.Environment.Created = a.Environment.Created.Add(6 * time.Minute) }, "6 minutes apart"},
		"days":     {func(c *Campaign) { c.Environment.Created = a.Environment.Created.Add(50 * time.Hour) }, "2 days apart"},
		"unknown":  {func(c *Campaign) { c.Environment.Created = time.Time{} }, "at different times"},
		"imported": {func(c *Campaign) { c.Plan.Imported = &plan.Imported{Format: "csv"} }, "at times that the source does not tell"},
		"the same": {func(c *Campaign) { *c = a }, "both are one and the same campaign"},
	} {
		b := noisy(6, 2, 20, 15)
		tt.change(&b)
		first := betweenTwo(t, a, b, CompareOptions{}).Warnings
		if !strings.Contains(first[0].Message, tt.want) {
			t.Errorf("%s: %+v, want %s", name, first[0], tt.want)
		}
		if slices.ContainsFunc(first[1:], func(w result.Warning) bool { return w.Code == "unpaired" || w.Code == "same-campaign" }) {
			t.Errorf("%s: both warnings: %+v", name, first)
		}
	}
}

// The twin stands beside the claims and is in none of them.
func TestCompareTwin(t *testing.T) {
	c := noisy(12, 3, 20, 19.9, 16, 10)
	c.Plan.Variants[1].Entry = "host"
	c.Plan.Analysis.AA = &plan.Twin{Variant: "host", Name: "b"}
	m := within(t, c, CompareOptions{AllPairs: true}).Cells[0].Metrics[0]
	if m.AA == nil || m.AA.A != "host" || m.AA.B != "b" || m.AA.Effect == nil || m.AA.Primary {
		t.Errorf("A/A: %+v", m.AA)
	}
	if len(m.Rows) != 3 || len(m.Groups.Members) != 3 {
		t.Errorf("%d comparisons and %v of 3 variants", len(m.Rows), m.Groups.Members)
	}
	if _, err := CompareWithin(c.Plan, c.Trials, c.Environment, CompareOptions{Base: "b"}); err == nil {
		t.Error("a twin was accepted as the base")
	}
	if two := betweenTwo(t, c, c, CompareOptions{}); two.Family != 3 || len(lines(two)) != 3 {
		t.Errorf("between campaigns a family of %d: %v", two.Family, lines(two))
	}
}

// A campaign that stopped early stops where it stopped, whatever is compared
// afterwards, and what it did not need is not lacking.
func TestCompareStopped(t *testing.T) {
	c := noisy(20, 4, 20, 15, 15)
	c.Plan.Stop = &plan.Stop{Looks: []int{10, 20}, HalfWidth: 0.05}
	c.Trials = c.Trials[:10*3]
	for name, o := range map[string]CompareOptions{"declared": {}, "another base": {Base: "b"}} {
		got := within(t, c, o)
		if n := got.Campaigns[0].Blocks; n != 10 {
			t.Errorf("%s: %d blocks", name, n)
		}
		for _, r := range got.Cells[0].Metrics[0].Rows {
			if len(r.Lacking) > 0 {
				t.Errorf("%s: %s lacks %v", name, r.B, r.Lacking)
			}
		}
	}
}

// Imported runs are no blocks.
func TestCompareImported(t *testing.T) {
	c := noisy(10, 5, 20, 15, 10)
	c.Plan.Imported = &plan.Imported{Format: "csv", Source: "numbers.csv"}
	got := within(t, c, CompareOptions{AllPairs: true})
	if got.Paired {
		t.Error("runs are called pairs")
	}
	for _, r := range got.Cells[0].Metrics[0].Rows {
		if r.NA != 10 || r.NB != 10 || r.Unpaired == nil || r.Unpaired.Delta != -1 || len(r.Lacking) > 0 || r.Verdict != stats.Worse {
			t.Errorf("%s vs %s: %+v", r.B, r.A, r)
		}
	}
	if groups := got.Cells[0].Metrics[0].Groups; groups == nil || len(groups.Groups) != 3 {
		t.Errorf("groups: %+v", groups)
	}
}

func TestMapping(t *testing.T) {
	a, b := noisy(6, 1, 20, 15), noisy(6, 2, 20, 15, 10)
	c := betweenTwo(t, a, b, CompareOptions{Map: map[string]string{"b": "c"}})
	if got := lines(c)[1]; got != "throughput c vs b (6, 6): exploratory worse" {
		t.Error(got)
	}
	if want := "the variants were paired after the measurement"; c.Exploratory != want || c.Family != 0 {
		t.Errorf("exploratory: %q, want %q; family of %d", c.Exploratory, want, c.Family)
	}
	omitted := []Omission{{Variant: "b", Reason: "no variant of the first campaign is compared with it: --map gives b to c"}}
	if diff := cmp.Diff(omitted, c.Omitted); diff != "" {
		t.Errorf("omitted (-want +got):\n%s", diff)
	}
	if same := betweenTwo(t, a, b, CompareOptions{Map: map[string]string{"b": "b"}}); same.Exploratory != "" || same.Family != 2 {
		t.Errorf("a variant mapped to its own name: exploratory %q, family of %d", same.Exploratory, same.Family)
	}
	for _, bad := range []map[string]string{{"x": "c"}, {"b": "x"}} {
		if _, err := CompareBetween(a, b, CompareOptions{Map: bad}); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

func TestNothingInCommon(t *testing.T) {
	b := noisy(6, 2, 20)
	b.Plan.Variants[0].Name, b.Plan.Analysis.Base, b.Trials = "other", "other", nil
	for i := range b.Plan.Blocks {
		b.Plan.Blocks[i].Order = []string{"other"}
	}
	_, err := CompareBetween(noisy(6, 1, 20), b, CompareOptions{})
	if err == nil || !strings.Contains(err.Error(), "no variant in common") {
		t.Errorf("error: %v", err)
	}
}

// Whatever is missing, constant, tied or alone: an answer, and no verdict that
// so few values cannot bear.
func TestPoorData(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) Campaign {
			blocks := rapid.IntRange(1, 5).Draw(r, name+" blocks")
			p := testPlan(blocks, "host", "b", "c")
			c := Campaign{Plan: p}
			level := rapid.SampledFrom([]float64{1, 20, 1e-100, 1e100}).Draw(r, name+" level")
			for block := range blocks {
				for _, variant := range []string{"host", "b", "c"} {
					switch rapid.IntRange(0, 3).Draw(r, name+" fate") {
					case 0: // missing
					case 1:
						lost := trial(p, block+1, variant)
						lost.Status, lost.Reason = result.Failed, "lost"
						c.Trials = append(c.Trials, lost)
					default:
						value := result.Value{Metric: throughput, Value: level * float64(rapid.IntRange(1, 2).Draw(r, name+" value"))}
						c.Trials = append(c.Trials, trial(p, block+1, variant, value, mibs(0)))
					}
				}
			}
			return c
		}
		a, b := draw("a"), draw("b")
		compared, err := CompareWithin(a.Plan, a.Trials, a.Environment, CompareOptions{AllPairs: true})
		if err != nil {
			r.Fatal(err)
		}
		checkJSON(t, compared)
		for _, m := range metrics(compared) {
			for _, row := range m.Rows {
				if row.Verdict != stats.Inconclusive {
					r.Errorf("%s with %d pairs", row.Verdict, row.NA)
				}
			}
		}
		if compared, err = CompareBetween(a, b, CompareOptions{}); err != nil {
			r.Fatal(err)
		}
		checkJSON(t, compared)
		for _, m := range metrics(compared) {
			for _, row := range m.Rows {
				if row.Verdict != stats.Inconclusive && stats.UnpairedSmallestP(row.NA, row.NB) > stats.VerdictAlpha {
					r.Errorf("%s with %d and %d values", row.Verdict, row.NA, row.NB)
				}
			}
		}
	})
}

func metrics(c Compared) []ComparedMetric {
	var list []ComparedMetric
	for _, cell := range c.Cells {
		list = append(list, cell.Metrics...)
	}
	return list
}

func TestSelect(t *testing.T) {
	c := within(t, handMadeCampaign(), CompareOptions{AllPairs: true})
	for _, tt := range []struct {
		names []string
		want  []string
	}{
		{[]string{"throughput", "flannel-vxlan"}, []string{"throughput flannel-vxlan vs host (6, 6): primary inconclusive"}},
		{[]string{"memory-overhead", "flannel-vxlan", "cilium-kpr"}, []string{
			"memory-overhead flannel-vxlan vs host (6, 6): exploratory worse", "memory-overhead cilium-kpr vs host (4, 4): exploratory inconclusive",
			"memory-overhead cilium-kpr vs flannel-vxlan (4, 4): exploratory inconclusive",
		}},
		{[]string{cellID, "host"}, nil},
	} {
		selected, err := c.Select(tt.names)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, lines(selected)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.names, diff)
		}
		checkJSON(t, selected)
	}
	if _, err := c.Select([]string{"nothing"}); err == nil || !strings.Contains(err.Error(), "there are flannel-vxlan, host, cilium-kpr, tcp-pod-multi, throughput, memory-overhead") {
		t.Errorf("error: %v", err)
	}
}

// BenchmarkAllPairs compares 23 variants in 9 tests and 10 blocks, each with
// each: 2,277 comparisons by exact tests, with groups.
func BenchmarkAllPairs(b *testing.B) {
	const variants, cells, blocks = 23, 9, 10
	p := plan.Plan{Schema: plan.SchemaVersion, Name: "all pairs", Hash: "sha256:0", Analysis: plan.Analysis{Base: "v00"}}
	for i := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: fmt.Sprintf("v%02d", i), Entry: "host"})
	}
	for i := range cells {
		p.Cells = append(p.Cells, plan.Cell{ID: fmt.Sprint("cell", i), Scenario: "tcp"})
		p.Analysis.Primary = append(p.Analysis.Primary, fmt.Sprintf("cell%d/throughput", i))
	}
	r := rand.New(rand.NewPCG(1, 2))
	var trials []result.Trial
	for block := range blocks {
		one := plan.Block{Index: block + 1}
		for _, c := range p.Cells {
			one.Cells = append(one.Cells, c.ID)
		}
		for position, v := range p.Variants {
			one.Order = append(one.Order, v.Name)
			for _, c := range p.Cells {
				trials = append(trials, result.Trial{
					Block: block + 1, Position: position + 1, Variant: v.Name, Cell: c.ID, Scenario: c.Scenario, Attempt: 1, Status: result.OK,
					Values: []result.Value{gbits((10 + float64(position)) * (1 + 0.02*r.NormFloat64()))},
				})
			}
		}
		p.Blocks = append(p.Blocks, one)
	}
	for b.Loop() {
		c, err := CompareWithin(p, trials, result.Environment{}, CompareOptions{AllPairs: true})
		if err != nil {
			b.Fatal(err)
		}
		if n := len(lines(c)); n != cells*variants*(variants-1)/2 {
			b.Fatalf("%d comparisons", n)
		}
	}
}
