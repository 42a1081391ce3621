package report

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// adaptiveCampaign has a twin of flannel-vxlan and looks after 10, 15 and 20
// blocks, of which the first ten were measured.
func adaptiveCampaign(t *testing.T) analysis.Analysis {
	t.Helper()
	host, flannel := syntheticVariants[0], syntheticVariants[2]
	twin := flannel
	twin.name += "-aa"
	variants := []syntheticVariant{host, flannel, twin}
	p := syntheticPlan(variants, 20)
	p.Name, p.Cells = "synthetic: until precise", p.Cells[:1]
	p.Variants[2] = p.Variants[1]
	p.Variants[2].Name = twin.name
	p.Analysis.Primary = p.Analysis.Primary[:1]
	p.Analysis.AA = &plan.Twin{Variant: flannel.name, Name: twin.name}
	p.Stop = &plan.Stop{Looks: []int{10, 15, 20}, HalfWidth: 0.03}
	for i := range p.Blocks {
		p.Blocks[i].Cells = []string{p.Cells[0].ID}
	}
	r := rand.New(rand.NewPCG(5, 9))
	var trials []result.Trial
	for _, planned := range p.Trials() {
		for _, v := range variants {
			if planned.Block <= 10 && v.name == planned.Variant.Name {
				trials = append(trials, syntheticTrial(r, v, planned))
			}
		}
	}
	a, err := analysis.Analyze(p, trials, syntheticEnvironment(p))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSummaryOfAnAdaptiveCampaignWithATwin(t *testing.T) {
	var got bytes.Buffer
	if err := Summary(&got, adaptiveCampaign(t)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "adaptive.txt")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
}

// Every format says where the campaign stopped, and shows the twin's interval
// beside the claim and in its own place.
func TestEveryFormatShowsTwinAndStop(t *testing.T) {
	a := adaptiveCampaign(t)
	for _, tt := range []struct {
		name  string
		write func(io.Writer, analysis.Analysis) error
		want  []string
	}{
		{"text", Text, []string{"stopped after 10 of at most 20 blocks", "; A/A ", " vs flannel-vxlan, ", "one-sided at 0.02."}},
		{"Markdown", func(w io.Writer, a analysis.Analysis) error { return Markdown(w, Source{Analysis: a}) }, []string{"Stopped after 10 of at most 20 blocks", "; A/A ", "| A/A |", "one-sided at 0.02."}},
		{"HTML", func(w io.Writer, a analysis.Analysis) error { return HTML(w, Source{Analysis: a}) },
			[]string{"stopped after 10 of at most 20 blocks", "; A/A ", "vs flannel-vxlan, A/A", "one-sided at 0.02.", "flannel-vxlan-aa of flannel-vxlan"}},
		{"JSON", func(w io.Writer, a analysis.Analysis) error { return JSON(w, Source{Analysis: a}) }, []string{`"aa": {`, `"stopped": {`, `"atMost": 20`}},
	} {
		var b bytes.Buffer
		if err := tt.write(&b, a); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", tt.name, want)
			}
		}
	}
}

func TestStopping(t *testing.T) {
	rule := &plan.Stop{Looks: []int{10, 15, 20}, HalfWidth: 0.02}
	for _, tt := range []struct {
		name string
		a    analysis.Analysis
		want string
	}{
		{"no rule", analysis.Analysis{}, ""},
		{"under way", analysis.Analysis{Plan: plan.Plan{Stop: rule}},
			"not stopped yet: it looks after 10, 15 or 20 blocks, and stops when all intervals are narrower than ±2 %"},
		{"precise", analysis.Analysis{Plan: plan.Plan{Stop: rule}, Stopped: &analysis.Stopped{Blocks: 10, AtMost: 20, HalfWidth: 0.02, Precise: 3, Comparisons: 3}},
			"stopped after 10 of at most 20 blocks: all intervals are narrower than ±2 %"},
		{"not precise", analysis.Analysis{Plan: plan.Plan{Stop: rule}, Stopped: &analysis.Stopped{Blocks: 20, AtMost: 20, HalfWidth: 0.02, Precise: 1, Comparisons: 3}},
			"stopped after 20 of at most 20 blocks: the last look; 1 of 3 intervals are narrower than ±2 %"},
		{"nothing to look at", analysis.Analysis{Plan: plan.Plan{Stop: rule}, Stopped: &analysis.Stopped{Blocks: 20, AtMost: 20, HalfWidth: 0.02}},
			"stopped after 20 of at most 20 blocks: there is no primary comparison whose interval could be looked at"},
	} {
		if got := stopping(tt.a); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
