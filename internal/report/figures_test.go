package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// sweptCampaign is made up: messages of several sizes over TCP and UDP, and
// paced requests, on four variants. At 64 bytes over UDP one variant failed, and
// on another too few requests were sent for a 99.9th percentile.
func sweptCampaign(variants, blocks int, sizes []string) (plan.Plan, []result.Trial) {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "swept", Hash: "sha256:5e1f0000000000000000000000000000000000000000000000000000000000bb",
		Cluster:      plan.Cluster{Lab: &plan.Lab{Nodes: 2}},
		FreshCluster: true, // memory differs between installations, and these figures are about equals in it
		Analysis:     plan.Analysis{Base: "v0", Primary: []string{"tcp-rr/latency-p99"}},
	}
	for i := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: fmt.Sprintf("v%d", i), Entry: "host"})
	}
	for _, protocol := range []string{"tcp", "udp"} {
		for _, size := range sizes {
			p.Cells = append(p.Cells, plan.Cell{
				ID: fmt.Sprintf("message-size.protocol=%s.size=%s", protocol, size), Scenario: "message-size",
				Parameters: parameter.Values{"protocol": protocol, "size": size, "duration": "4s"},
			})
		}
	}
	p.Cells = append(p.Cells, plan.Cell{ID: "tcp-rr", Scenario: "tcp-rr", Parameters: parameter.Values{"rate": "2000", "duration": "10s"}})
	for b := range blocks {
		block := plan.Block{Index: b + 1}
		for i := range variants {
			block.Order = append(block.Order, p.Variants[(i+b)%variants].Name)
		}
		for _, c := range p.Cells {
			block.Cells = append(block.Cells, c.ID)
		}
		p.Blocks = append(p.Blocks, block)
	}
	r := rand.New(rand.NewPCG(17, 3))
	var trials []result.Trial
	for _, planned := range p.Trials() {
		trials = append(trials, sweptTrial(r, planned))
	}
	return p, trials
}

func sweptTrial(r *rand.Rand, planned plan.Trial) result.Trial {
	k := result.KeyOf(planned)
	var v float64
	if _, err := fmt.Sscanf(k.Variant, "v%f", &v); err != nil {
		v = 0 // a variant of another name
	}
	noise := func() float64 { return 1 + 0.01*r.NormFloat64() }
	value := func(name, unit string, better result.Better, scale result.Scale, margin, x float64) result.Value {
		return result.Value{Metric: result.Metric{Name: name, Unit: unit, Better: better, Scale: scale, Margin: margin}, Value: x}
	}
	t := result.Trial{
		Schema: result.SchemaVersion, Block: k.Block, Position: planned.Position, Variant: k.Variant, Cell: k.Cell, Scenario: planned.Cell.Scenario,
		Attempt: 1, Status: result.OK, Raw: result.RawPath(k, 1),
	}
	if planned.Cell.Scenario == "tcp-rr" {
		for i, name := range []string{"latency-p99", "latency-p50", "latency-p95", "latency-p999"} {
			times := []float64{210e-6, 60e-6, 120e-6, 900e-6}
			if name == "latency-p999" && k.Variant == "v1" {
				t.Marks = []result.Mark{{Name: markTooFew, Detail: "made up"}}
				continue
			}
			t.Values = append(t.Values, value(name, "s", result.Lower, result.Ratio, 0.1, times[i]*(1+0.12*v)*noise()))
		}
		return t
	}
	size := float64(planned.Cell.Parameters.Bytes("size"))
	udp := planned.Cell.Parameters.Text("protocol") == "udp"
	if udp && size == 64 && k.Variant == "v2" {
		t.Status, t.Reason = result.Failed, "made up"
		return t
	}
	gbits := 20 * size / (size + 3000) / (1 + 0.06*v*size/(size+800))
	if udp {
		gbits *= 0.3
	}
	t.Values = []result.Value{
		value("throughput", "bit/s", result.Higher, result.Ratio, 0.03, gbits*1e9*noise()),
		value("latency-one-way", "s", result.Lower, result.Ratio, 0.1, (20e-6+size*2e-10)*(1+0.15*v)*noise()),
		value("cpu-per-gbit", "mCPU/(Gbit/s)", result.Lower, result.Ratio, 0.05, 400/math.Sqrt(gbits)*(1+0.25*math.Floor(v/2))*noise()),
		value("memory", "bytes", result.Lower, result.Difference, 10<<20, (700+60*math.Ceil(v/2))*noise()*(1<<20)),
	}
	return t
}

func swept(t *testing.T, variants, blocks int, sizes ...string) analysis.Analysis {
	t.Helper()
	p, trials := sweptCampaign(variants, blocks, sizes)
	a, err := analysis.Analyze(p, trials, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sweptSource has all that figures are made of.
func sweptSource(t *testing.T) Source {
	t.Helper()
	s := Source{Analysis: swept(t, 4, 8, "64", "1KiB", "16KiB")}
	rr := s.Analysis.Cells[len(s.Analysis.Cells)-1]
	for i, v := range s.Analysis.Plan.Variants {
		for b := range 8 {
			slow := (1 + 0.1*float64(i)) * (1 + 0.003*float64((b*5)%8))
			s.Distributions = append(s.Distributions, Distribution{rr.ID, v.Name, b + 1, 20000, []Percentile{
				{0.5, 61e-6 * slow}, {0.9, 83e-6 * slow}, {0.95, 118e-6 * slow}, {0.99, 207e-6 * slow}, {0.995, 311e-6 * slow}, {0.999, 873e-6 * slow},
			}})
			steps := Steps{Cell: s.Analysis.Cells[0].ID, Variant: v.Name, Block: b + 1}
			for _, n := range []int{1, 2, 4} {
				steps.Steps = append(steps.Steps, Step{n, 11.37e9 * math.Sqrt(float64(n)) / slow})
			}
			s.Steps = append(s.Steps, steps)
		}
	}
	return s
}

// The sections that hold figures, without the page around them.
func TestFiguresGolden(t *testing.T) {
	s := sweptSource(t)
	wantGolden(t, "figures.html", func(w io.Writer) error {
		parsed, err := pageTemplate(s.Analysis)
		if err != nil {
			return err
		}
		p := page{Figures: newFigures(s)}
		for _, section := range []string{"latency", "swept", "scatter"} {
			if err := parsed.ExecuteTemplate(w, section, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestSweeps(t *testing.T) {
	a := swept(t, 2, 1, "16KiB", "64", "1KiB")
	var got []string
	for _, s := range sweeps(a) {
		got = append(got, fmt.Sprint(s.title("x"), " ", s.labels))
	}
	want := []string{
		"x over size, protocol tcp [64 1KiB 16KiB]",
		"x over size, protocol udp [64 1KiB 16KiB]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list := sweeps(swept(t, 2, 1, "64", "1KiB")); len(list) > 0 {
		t.Errorf("two values are no curve: %+v", list[0].labels)
	}
}

// A cell's colour is by what is better, not by its sign, and what the interval
// cannot tell from none is marked.
func TestHeatCell(t *testing.T) {
	a := swept(t, 4, 8, "64", "1KiB", "16KiB")
	tcp := sweeps(a)[0]
	tests := []struct {
		metric     string
		pair       [2]string
		size       float64
		sign       string
		good       int
		inside     bool
		whyChecked string
	}{
		{"throughput", [2]string{"v0", "v3"}, 16384, "−", -1, false, "less throughput is worse"},
		{"latency-one-way", [2]string{"v0", "v3"}, 16384, "+", -1, false, "more latency is worse"},
		{"cpu-per-gbit", [2]string{"v0", "v1"}, 64, "", 0, true, "nothing was put between these two"},
	}
	for _, test := range tests {
		var m analysis.Metric
		for _, c := range tcp.cells {
			m, _ = metricOf(c, test.metric)
		}
		cell := heatCell(tcp, test.metric, test.pair, test.size, newHeatScale(m))
		if cell.Inside != test.inside || !test.inside && cell.Good != test.good || !strings.HasPrefix(cell.Text, test.sign) {
			t.Errorf("%s: %+v", test.whyChecked, cell)
		}
	}
	udp := sweeps(a)[1]
	if cell := heatCell(udp, "throughput", [2]string{"v0", "v2"}, 64, heatScale{}); cell.Text != "" || !strings.Contains(cell.Title, "no values of both") {
		t.Errorf("a failed cell: %+v", cell)
	}
}

// With one block there is no interval, and nothing is coloured.
func TestHeatMapOfOneBlock(t *testing.T) {
	group := sweptGroups(swept(t, 3, 1, "64", "1KiB", "16KiB"))[0]
	for _, m := range append(group.Open, group.Folded...) {
		h := m.Heat
		if found := regexp.MustCompile(`class="(good|bad)[0-9]"`).FindString(string(h.SVG)); found != "" {
			t.Errorf("%s has a cell of %s", h.Title, found)
		}
		if !slices.ContainsFunc(h.Keys, func(k heatKey) bool { return k.Class == "open" }) {
			t.Errorf("%s does not say what an outline means", h.Title)
		}
	}
}

func TestPercentileCurves(t *testing.T) {
	a := swept(t, 2, 7, "64")
	rr := a.Cells[len(a.Cells)-1]
	curves := metricCurves(rr)
	if len(curves) != 1 {
		t.Fatalf("%d curves", len(curves))
	}
	if want := "7 of 14 trials had too few requests for the highest percentile, which they do not report."; curves[0].note != want {
		t.Errorf("got %q, want %q", curves[0].note, want)
	}
	show := newMeasure("s", []float64{1e-6})
	last := func(arm int) float64 {
		points := curves[0].arms[arm].line(show).Points
		return points[len(points)-1].X
	}
	if last(0) != 0.999 || last(1) != 0.99 {
		t.Errorf("the lines end at %v and %v, want 0.999 and, where it was refused, 0.99", last(0), last(1))
	}
}

// A whole distribution is better than percentiles, if every trial has one.
func TestDistributionCurve(t *testing.T) {
	a := swept(t, 2, 2, "64")
	rr := a.Cells[len(a.Cells)-1]
	var all []Distribution
	for _, v := range []string{"v0", "v1"} {
		for b := range 2 {
			all = append(all, Distribution{rr.ID, v, b + 1, 2000, []Percentile{{0.5, 50e-6}, {0.9, 70e-6}, {0.99, float64(100+b) * 1e-6}}})
		}
	}
	curve, ok := distributionCurve(a, rr, all)
	if !ok || !strings.Contains(curve.note, "at least 2000 requests in a trial") {
		t.Errorf("%v, %q", ok, curve.note)
	}
	points := curve.arms[0].line(newMeasure("s", []float64{50e-6})).Points
	if p := points[2]; p.X != 0.99 || math.Abs(p.Y-100.5) > 1e-9 {
		t.Errorf("the median of two blocks' 99th percentiles is %+v, want 100.5 µs", p)
	}
	if _, ok := distributionCurve(a, rr, all[:3]); ok {
		t.Error("one trial has no distribution, and the curve leaves it out")
	}
}

func TestScatter(t *testing.T) {
	a := swept(t, 5, 12, "64")
	c := a.Cells[0]
	cpu, _ := metricOf(c, cpuPerGbit)
	s, ok := newScatter(a, c, cpu, "x")
	if !ok {
		t.Fatal("no scatter")
	}
	var names []string
	for _, cloud := range s.Clouds {
		names = append(names, cloud.Name)
	}
	// v1 and v2 have the same memory, v2 and v3 the same CPU.
	if diff := cmp.Diff([]string{"v1", "v2", "v3", "v4"}, names); diff != "" {
		t.Errorf("the base has no overhead over itself (-want +got):\n%s", diff)
	}
	if len(s.Levels) != 1 || !strings.HasPrefix(s.Levels[0].Label, "v0: ") {
		t.Errorf("the base: %+v", s.Levels)
	}
	if len(s.Groups) != 0 {
		t.Errorf("no two are equal in both: %v", s.Groups)
	}
	if n := len(s.Clouds[0].Dots); n != 12 {
		t.Errorf("%d dots for 12 blocks", n)
	}
}

// Only the largest sets are enclosed, each once.
func TestEquals(t *testing.T) {
	memory := map[string][]int{"a": {0}, "b": {0, 1}, "c": {1}, "d": {2}}
	cpu := map[string][]int{"a": {0}, "b": {0}, "c": {0}, "d": {0}}
	if diff := cmp.Diff([][]int{{0, 1}, {1, 2}}, equals([]string{"a", "b", "c", "d"}, memory, cpu)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The two trials are of one block, the one in the middle.
func TestSidesBySide(t *testing.T) {
	a, _, series := synthetic(t)
	sides := sidesBySide(a, series)
	if len(sides) != 2 {
		t.Fatalf("%d cells", len(sides))
	}
	k, _ := mostDifferent(a.Cells[0])
	if k.B != "flannel-vxlan" {
		t.Errorf("%s differs most", k.B)
	}
	middle := byTypicality(k.Pairs)[0]
	below := 0
	for _, p := range k.Pairs {
		if p.Difference < middle.Difference {
			below++
		}
	}
	if below != (len(k.Pairs)-1)/2 {
		t.Errorf("%d of %d pairs lie below the middle one", below, len(k.Pairs))
	}
	if want := fmt.Sprintf("flannel-vxlan, block %d", middle.Block); sides[0].Tiles[1].Title != want {
		t.Errorf("got %s, want %s", sides[0].Tiles[1].Title, want)
	}
	if none := sidesBySide(a, nil); len(none) > 0 {
		t.Errorf("without series: %+v", none)
	}
}

// Two trials that somebody chose are alone side by side, on the same axes, and
// need not be of one block or cell.
func TestChosenSides(t *testing.T) {
	a, env, series := synthetic(t)
	one := result.Key{Block: 3, Variant: "host", Cell: "tcp-pod-single"}
	for _, test := range []struct {
		other  result.Key
		titles []string
		cell   string
	}{
		{result.Key{Block: 5, Variant: "flannel-vxlan", Cell: "tcp-pod-single"}, []string{"host, block 3", "flannel-vxlan, block 5"}, "tcp-pod-single"},
		{
			result.Key{Block: 3, Variant: "host", Cell: "tcp-pod-multi.streams=8"},
			[]string{"host, block 3, tcp-pod-single", "host, block 3, tcp-pod-multi.streams=8"}, "",
		},
	} {
		s := Source{Analysis: a, Environment: env, Series: series, Sides: &[2]result.Key{one, test.other}}
		f := newFigures(s)
		if len(f.Sides) > 0 || f.Chosen == nil || f.Chosen.Cell != test.cell {
			t.Fatalf("%+v besides %+v", f.Sides, f.Chosen)
		}
		for i, tile := range f.Chosen.Tiles {
			if tile.Title != test.titles[i] || len(tile.Panels) == 0 || tile.Panels[0].High != f.Chosen.Tiles[0].Panels[0].High {
				t.Errorf("tile %d: %+v, want %s", i, tile, test.titles[i])
			}
		}
		page := render(t, s)
		page.check(t)
		for _, title := range test.titles {
			if !strings.Contains(page.text, "<figcaption>"+title) {
				t.Errorf("the page lacks %q", title)
			}
		}
		compareNumbers(t, s)
	}
}

// The steps of all blocks make one line per variant.
func TestStepFigures(t *testing.T) {
	a := swept(t, 2, 2, "64")
	var all []Steps
	for b := range 2 {
		all = append(all, Steps{a.Cells[0].ID, "v0", b + 1, []Step{{1, 10e9}, {2, float64(14+b) * 1e9}}})
	}
	cells := stepFigures(a, all)
	if len(cells) != 1 {
		t.Fatalf("%d figures", len(cells))
	}
	if svg := string(cells[0].Drawings[0].Panels[0].SVG); !strings.Contains(svg, "v0: 1: 10.00 Gbit/s, 2: 14.50 Gbit/s. v1: no value.") {
		t.Errorf("got %s", svg)
	}
}

// Two renders of one analysis are the same, and markup in names stays text.
func TestFiguresAreDeterministicAndEscaped(t *testing.T) {
	const evil = `"><script>alert('1')</script>`
	a := swept(t, 8, 7, "64", "1KiB", "16KiB")
	for i := range a.Plan.Variants {
		a.Plan.Variants[i].Name += evil
	}
	a.Plan.Analysis.Base += evil
	for i := range a.Cells {
		c := &a.Cells[i]
		c.Scenario += evil
		for j := range c.Metrics {
			for k := range c.Metrics[j].Arms {
				c.Metrics[j].Arms[k].Variant += evil
			}
			for k := range c.Metrics[j].Comparisons {
				c.Metrics[j].Comparisons[k].A += evil
				c.Metrics[j].Comparisons[k].B += evil
			}
		}
	}
	var first bytes.Buffer
	for i := range 3 {
		var b bytes.Buffer
		if err := HTML(&b, Source{Analysis: a}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "<script>alert") {
			t.Fatal("markup from a name reached the page")
		}
		if i == 0 {
			first = b
		} else if !bytes.Equal(first.Bytes(), b.Bytes()) {
			t.Fatal("the same analysis gave another page")
		}
	}
}

// A map without a base has the pairs that were measured, and none of those that
// were not.
func TestHeatMapWithoutValuesOfTheBase(t *testing.T) {
	p, trials := sweptCampaign(6, 8, []string{"64", "1KiB", "16KiB"})
	trials = slices.DeleteFunc(trials, func(one result.Trial) bool { return one.Variant == "v0" || one.Variant == "v5" })
	a, err := analysis.Analyze(p, trials, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]string
	for _, s := range sweeps(a) {
		if s.scenario == "message-size" {
			got = pairsOf(a, s, "throughput")
		}
	}
	want := [][2]string{{"v1", "v2"}, {"v1", "v3"}, {"v1", "v4"}, {"v2", "v3"}, {"v2", "v4"}, {"v3", "v4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
}
