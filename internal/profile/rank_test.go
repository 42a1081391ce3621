package profile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeightsDecide(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	for _, c := range []struct {
		name    string
		weights []float64
		best    string
	}{
		{"throughput alone", []float64{1}, "fast"},
		{"latency alone", []float64{0, 1}, "quick"},
		{"memory alone", []float64{0, 0, 1}, "small"},
		{"throughput first", []float64{10, 1}, "fast"},
		{"latency first", []float64{1, 10}, "quick"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rank(t, need(c.weights...), a)
			if diff := cmp.Diff([]string{c.best}, r.Leading); diff != "" {
				t.Errorf("leading (-want +got):\n%s\n%s", diff, strings.Join(r.Conclusion, "\n"))
			}
			if wins := r.Standings[0].Wins; wins == nil || *wins < 0.99 {
				t.Errorf("the winner wins %v of the resamples", wins)
			}
		})
	}
}

func TestNoWinnerInTheNoise(t *testing.T) {
	// 1 % of throughput is less than its margin of 3 %.
	a := campaign{variants: []figures{{"a", 20, 100, 50}, {"b", 20.2, 100, 50}, {"c", 10, 200, 50}}, blocks: 12, noise: 0.01}.analyze(t)
	r := rank(t, need(1, 1), a)
	if diff := cmp.Diff([]string{"a", "b"}, r.Leading); diff != "" {
		t.Errorf("leading (-want +got):\n%s", diff)
	}
	if !strings.Contains(r.Conclusion[0], "a and b cannot be told apart from the best: there is no winner among them") || !strings.Contains(r.Conclusion[0], "c is worse") {
		t.Errorf("conclusion %q", r.Conclusion)
	}
	if r.Standings[2].Letters != "b" || r.Standings[0].Letters != "a" || r.Standings[1].Letters != "a" {
		t.Errorf("letters %q %q %q", r.Standings[0].Letters, r.Standings[1].Letters, r.Standings[2].Letters)
	}
}

// A difference that is shown to be small is one thing, noise that may hide a
// large one another.
func TestNoDifferenceThatMatters(t *testing.T) {
	for noise, want := range map[float64]bool{0.002: true, 0.2: false} {
		a := campaign{variants: []figures{{"a", 20, 100, 50}, {"b", 20.2, 100, 50}}, blocks: 12, noise: noise}.analyze(t)
		r := rank(t, need(1, 1), a)
		if len(r.Leading) != 2 || strings.Contains(r.Conclusion[0], "which is no difference that matters") != want {
			t.Errorf("noise %v: leading %v, conclusion %q", noise, r.Leading, r.Conclusion[0])
		}
	}
}

func TestTooFewBlocks(t *testing.T) {
	for _, blocks := range []int{1, 3, 6} {
		a := campaign{variants: three, blocks: blocks}.analyze(t)
		r := rank(t, need(1, 1, 1), a)
		if len(r.Leading) != 3 || r.Needed != 7 {
			t.Errorf("%d blocks: leading %v, needed %d", blocks, r.Leading, r.Needed)
		}
		if r.Resamples != 0 || r.Standings[0].Wins != nil {
			t.Errorf("%d blocks were drawn anew %d times", blocks, r.Resamples)
		}
		if !strings.Contains(strings.Join(r.Conclusion, "\n"), "too few to tell 3 variants apart, however much they differ: it takes 7") {
			t.Errorf("%d blocks: conclusion %q", blocks, r.Conclusion)
		}
	}
}

// Whoever has a file of their own runs that.
func TestMissingOfAFile(t *testing.T) {
	p := need(1, 1)
	p.Name, p.Campaign = "mine", []byte("scenarios: [udp-zero-loss]")
	p.Weights = append(p.Weights, Measure{What: "packets without loss", Weight: 1, Of: []Pattern{{"udp-zero-loss", "ndr", nil}}})
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	for file, want := range map[string]string{"": "--profile mine`", "needs/mine.yaml": "--profile needs/mine.yaml`"} {
		p.File = file
		if r := rank(t, p, a); !strings.Contains(strings.Join(r.Conclusion, "\n"), want) {
			t.Errorf("file %q: conclusion %q lacks %q", file, r.Conclusion, want)
		}
	}
}

func TestMissing(t *testing.T) {
	p := need(1, 1)
	p.Weights = append(p.Weights,
		Measure{What: "packets without loss", Weight: 1, Of: []Pattern{{"udp-zero-loss", "ndr", nil}}},
		Measure{What: "what nobody can measure", Weight: 1, Lacking: "there is no scenario"})
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	r := rank(t, p, a)
	if r.Covered != 0.5 || r.Refused != "" || len(names(r)) != 3 {
		t.Errorf("half of the weight: covered %g, refused %q, ranked %v", r.Covered, r.Refused, names(r))
	}
	want := "Not counted: packets without loss, 25 % of the weight (not in this campaign: udp-zero-loss/ndr); what nobody can measure, 25 % of the weight (there is no scenario)."
	if !slices.Contains(r.Conclusion, want) {
		t.Errorf("conclusion %q lacks %q", r.Conclusion, want)
	}
	p.Weights[3].Weight = 2
	r = rank(t, p, a)
	if r.Refused == "" || len(names(r)) != 0 || len(r.Standings) != 3 {
		t.Errorf("less than half: refused %q, ranked %v", r.Refused, names(r))
	}
	if !strings.HasPrefix(r.Conclusion[0], "Not ranked: only 40 % of what this profile weighs was measured, and it takes 50 %") {
		t.Errorf("conclusion %q", r.Conclusion)
	}
}

func TestLostTrials(t *testing.T) {
	lose := func(block int, variant, cell string) string {
		switch {
		case variant == "fast" && cell == "tcp-rr":
			return "no route"
		case variant == "quick" && cell == "tcp-rr" && block > 3:
			return "ImagePullBackOff"
		case variant == "small" && cell == "tcp-rr" && block == 2:
			return "the server ended"
		}
		return ""
	}
	more := append(slices.Clone(three), figures{"other", 14, 100, 60})
	r := rank(t, need(1, 1), campaign{variants: more, blocks: 10, noise: 0.01, lose: lose}.analyze(t))
	why := map[string]string{}
	for _, s := range r.Standings {
		why[s.Variant] = s.Why
	}
	want := map[string]string{
		"fast":  "tcp-rr/latency-p99: failed: no route",
		"quick": "only 3 blocks of 10 have everything that this profile weighs",
		"small": "", "other": "",
	}
	if diff := cmp.Diff(want, why); diff != "" {
		t.Errorf("why not ranked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 3, 4, 5, 6, 7, 8, 9, 10}, r.Blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestNothingToChoose(t *testing.T) {
	all := func(int, string, string) string { return "the node is gone" }
	r := rank(t, need(1, 1), campaign{variants: three, blocks: 4, lose: all}.analyze(t))
	if r.Refused == "" || r.Covered != 0 {
		t.Errorf("all failed: refused %q, covered %g", r.Refused, r.Covered)
	}
	r = rank(t, need(1, 1), campaign{variants: three[:1], blocks: 10}.analyze(t))
	if diff := cmp.Diff("Nothing to choose between: only fast has all that counts.", r.Conclusion[0]); diff != "" {
		t.Error(diff)
	}
	r = rank(t, need(1), campaign{variants: three[:1], blocks: 10}.analyze(t), Traits{Variant: "fast", Baseline: true})
	if !strings.Contains(r.Refused, "only the baseline was measured") {
		t.Errorf("baseline alone: refused %q", r.Refused)
	}
}

func TestNeeds(t *testing.T) {
	traits := []Traits{
		{Variant: "fast", Kernel: Fact{Value: "5.10"}, Features: map[string]Feature{"encryption": {Unmet, Fact{Value: "plain text", Source: "the catalog", Date: "2026-08-30"}}}},
		{Variant: "quick", Kernel: Fact{Value: "4.19.57"}, Features: map[string]Feature{"encryption": {State: Met}}},
	}
	p := need(1, 1)
	p.Needs = Needs{Requires: []string{"encryption"}, Wants: []string{"cli"}}
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	r := rank(t, p, a, traits...)
	if diff := cmp.Diff([]string{"quick"}, names(r)); diff != "" {
		t.Errorf("ranked (-want +got):\n%s", diff)
	}
	text := strings.Join(r.Conclusion, "\n")
	for _, want := range []string{
		"Not ranked: fast: the profile requires encryption: not met (plain text; the catalog; read on 2026-08-30).",
		"Not ranked: small: the profile requires encryption: unknown (nobody wrote it down).",
		"Unknown of quick: cli.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("conclusion lacks %q:\n%s", want, text)
		}
	}
	p.Needs = Needs{Kernel: "5.4"}
	r = rank(t, p, a, traits...)
	if diff := cmp.Diff([]string{"quick", "small"}, names(r)); diff != "" {
		t.Errorf("ranked on kernel 5.4 (-want +got):\n%s", diff)
	}
	want := "Look at small yourself before you choose it. Kernel 5.4: unknown (nobody wrote down which kernel it needs)."
	if !slices.Contains(r.Conclusion, want) {
		t.Errorf("conclusion %q lacks %q", r.Conclusion, want)
	}
}

func TestUnpaired(t *testing.T) {
	a := campaign{variants: three, blocks: 3, noise: 0.01, unpaired: true}.analyze(t)
	r := rank(t, need(1, 1), a)
	if len(r.Leading) != 3 || r.Needed == 0 || len(r.Blocks) != 0 {
		t.Errorf("three runs: leading %v, needed %d, blocks %v", r.Leading, r.Needed, r.Blocks)
	}
	a = campaign{variants: three, blocks: 10, noise: 0.01, unpaired: true}.analyze(t)
	r = rank(t, need(0, 1), a)
	if diff := cmp.Diff([]string{"quick"}, r.Leading); diff != "" {
		t.Errorf("ten runs, leading (-want +got):\n%s", diff)
	}
}

func TestTwinTakesNoPart(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01, twin: "fast-twin"}.analyze(t)
	if got := names(rank(t, need(1), a)); slices.Contains(got, "fast-twin") {
		t.Errorf("ranked %v", got)
	}
}

func TestMarginOfTheProfile(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	p := need(1, 0, 1)
	if r := rank(t, p, a); r.Leading[0] != "small" {
		t.Errorf("at 10 MiB, leading %v", r.Leading)
	}
	p.Weights[1].Margin = &Margin{Value: 1 << 30}
	if r := rank(t, p, a); r.Leading[0] != "fast" {
		t.Errorf("at 1 GiB, leading %v", r.Leading)
	}
	p.Weights[1].Margin = &Margin{Value: 0.03, Fraction: true}
	if r := rank(t, p, a); r.Weights[1].Missing != "the profile's margin of cni-memory must be an amount in bytes" {
		t.Errorf("a percentage of bytes: %q", r.Weights[1].Missing)
	}
}

func TestParts(t *testing.T) {
	a := campaign{variants: three, blocks: 10}.analyze(t)
	r := rank(t, need(3, 1), a)
	last := r.Standings[len(r.Standings)-1]
	if last.Variant != "small" || len(last.Parts) != 2 {
		t.Fatalf("last %+v", last)
	}
	first := r.Standings[0].Variant
	change := last.Parts[0].Change
	want := 14/map[string]float64{"fast": 20, "quick": 15}[first] - 1
	if change < want-1e-9 || change > want+1e-9 {
		t.Errorf("throughput of small against %s: %g, want %g", first, change, want)
	}
	sum := last.Parts[0].Behind + last.Parts[1].Behind
	if d := sum - last.Behind.Estimate; d < -1e-9 || d > 1e-9 {
		t.Errorf("without noise parts add up: %g, want %g", sum, last.Behind.Estimate)
	}
}

func TestHangsOnWeights(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	r := rank(t, need(1, 0, 1), a)
	want := []Without{{Weight: 1, Leading: []string{"fast"}}}
	if diff := cmp.Diff(want, r.Without); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
	if text := "It hangs on the weights: without memory, fast would lead."; !slices.Contains(r.Conclusion, text) {
		t.Errorf("conclusion %q lacks %q", r.Conclusion, text)
	}
	best := append(slices.Clone(three), figures{"all", 40, 30, 10})
	r = rank(t, need(1, 1, 1), campaign{variants: best, blocks: 10, noise: 0.01}.analyze(t))
	if len(r.Without) != 0 || !slices.Contains(r.Conclusion, "all leads whichever one weight is left out.") {
		t.Errorf("without %v, conclusion %q", r.Without, r.Conclusion)
	}
}

// Blocks of one installation say nothing of the next one.
func TestInstalledOnce(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	const doubt = "Every variant was installed once."
	for _, fresh := range []bool{false, true} {
		a.Plan.FreshCluster = fresh
		r := rank(t, need(1), a)
		text := strings.Join(r.Conclusion, "\n")
		if strings.Contains(text, doubt) == fresh || strings.Contains(text, "within one installation of each") == fresh {
			t.Errorf("fresh clusters %v: conclusion\n%s", fresh, text)
		}
	}
}

func TestJSON(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01}.analyze(t)
	r := rank(t, need(3, 1), a)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Ranking
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("ranking (-written +read):\n%s", diff)
	}
}

func TestDecide(t *testing.T) {
	a := campaign{variants: three, blocks: 10, noise: 0.01, twin: "again"}.analyze(t)
	d := Decide(a, []Traits{{Variant: "fast", Kernel: Fact{Value: "5.10"}}}, &Costs{Unit: "$/month", Figures: map[string]Figure{"quick": {Value: new(float64)}}})
	var columns []string
	for _, c := range d.Columns {
		columns = append(columns, c.Name+" "+c.Cell)
	}
	want := []string{"p99 tcp-rr", "throughput tcp-service-multi", "CPU ", "memory cni-resources.load=tcp-pod-multi", "cost "}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if len(d.Rows) != 3 || d.Rows[0].Kernel.Value != "5.10" || d.Rows[0].Figures[2].Missing != "not measured: measure tcp-pod-multi" {
		t.Errorf("rows %+v", d.Rows)
	}
	if f := d.Rows[0].Figures[1]; f.Value == nil || f.Low == nil || *f.Low > *f.Value || *f.High < *f.Value || f.N != 10 {
		t.Errorf("figure %+v", f)
	}
	if d.Rows[0].Figures[4].Missing == "" || d.Rows[1].Figures[4].Value == nil {
		t.Errorf("costs %+v %+v", d.Rows[0].Figures[4], d.Rows[1].Figures[4])
	}
}
