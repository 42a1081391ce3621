package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// twins is a campaign of six blocks in which flannel has a twin that reaches
// so much of it, up to the given noise.
func twins(share, noise float64) (plan.Plan, []result.Trial) {
	p := testPlan(6, "host", "flannel", "flannel-aa")
	p.Analysis.AA = &plan.Twin{Variant: "flannel", Name: "flannel-aa"}
	var trials []result.Trial
	for b := range 6 {
		away := 1 + noise*math.Cos(3*float64(b))
		trials = append(trials, trial(p, b+1, "host", gbits(20)), trial(p, b+1, "flannel", gbits(10)), trial(p, b+1, "flannel-aa", gbits(10*share*away)))
	}
	return p, trials
}

func TestTheTwinIsComparedWithItsVariantAlone(t *testing.T) {
	p, trials := twins(1, 0.01)
	a := analyze(t, p, trials, handMadeEnvironment)
	m := a.Cells[0].Metrics[0]
	if m.AA == nil || m.AA.A != "flannel" || m.AA.B != "flannel-aa" || m.AA.Primary || m.AA.Effect.Interval == nil {
		t.Fatalf("the twin's comparison is %+v", m.AA)
	}
	if m.AA.Verdict != stats.Equivalent {
		t.Errorf("the twin is %s", m.AA.Verdict)
	}
	if len(m.Comparisons) != 1 || a.Family != 1 || len(m.Arms) != 3 {
		t.Errorf("%d comparisons, a family of %d, %d arms, want 1, 1 and 3", len(m.Comparisons), a.Family, len(m.Arms))
	}
}

// The twin takes nothing from the others: their verdicts are the same without
// it.
func TestVerdictsAreTheSameWithoutTheTwin(t *testing.T) {
	p, trials := twins(1, 0.01)
	with := analyze(t, p, trials, handMadeEnvironment).Cells[0].Metrics[0].Comparisons[0]
	p.Analysis.AA = nil
	p.Variants = p.Variants[:2]
	for i := range p.Blocks {
		p.Blocks[i].Order = slices.DeleteFunc(slices.Clone(p.Blocks[i].Order), func(v string) bool { return v == "flannel-aa" })
	}
	trials = slices.DeleteFunc(trials, func(t result.Trial) bool { return t.Variant == "flannel-aa" })
	without := analyze(t, p, trials, handMadeEnvironment).Cells[0].Metrics[0].Comparisons[0]
	if with.Verdict != without.Verdict || *with.Adjusted != *without.Adjusted {
		t.Errorf("%s %+v with a twin, %s %+v without", with.Verdict, *with.Adjusted, without.Verdict, *without.Adjusted)
	}
}

func TestTwinWarnings(t *testing.T) {
	for _, tt := range []struct {
		name         string
		share, noise float64
		want         string
	}{
		{"like its variant", 1, 0.01, ""},
		{"far away", 0.8, 0.01, "aa-differs"},
		{"noisy", 1, 0.2, "aa-wide"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, trials := twins(tt.share, tt.noise)
			got := ""
			for _, w := range analyze(t, p, trials, handMadeEnvironment).Warnings {
				if w.Code == "aa-differs" || w.Code == "aa-wide" {
					got += w.Code
				}
			}
			if got != tt.want {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

// With fewer than six pairs there is no interval, and nothing is narrow.
func TestATwinOfFewBlocksIsWide(t *testing.T) {
	p, trials := twins(1, 0.01)
	a := analyze(t, p, trials[:9], handMadeEnvironment)
	if !slices.ContainsFunc(a.Warnings, func(w result.Warning) bool { return w.Code == "aa-wide" }) {
		t.Errorf("no warning among %+v", a.Warnings)
	}
}

func TestATwinOfNothingIsRefused(t *testing.T) {
	p, trials := twins(1, 0.01)
	p.Analysis.AA = &plan.Twin{Variant: "flannel", Name: "nobody"}
	if _, err := Analyze(p, trials, handMadeEnvironment); err == nil {
		t.Error("accepted")
	}
}

// Blocks after a stop are not needed: nothing of them is missing, and the
// levels are those of several looks.
func TestAnalyzeAStoppedCampaign(t *testing.T) {
	p, trials := adaptive(10, 0.01, 10, 15, 20)
	a := analyze(t, p, trials, handMadeEnvironment)
	if a.Counts.Planned != 20 || a.Counts.OK != 20 || len(a.Missing) != 0 || len(a.Blocks()) != 10 {
		t.Errorf("counts %+v, %d missing, %d blocks", a.Counts, len(a.Missing), len(a.Blocks()))
	}
	if a.Stopped == nil || a.Stopped.Blocks != 10 || len(a.Plan.Blocks) != 20 {
		t.Errorf("stopped %+v, plan of %d blocks", a.Stopped, len(a.Plan.Blocks))
	}
	p, trials = adaptive(9, 0.01, 10, 15, 20)
	a = analyze(t, p, trials, handMadeEnvironment)
	if a.Stopped != nil || len(a.Missing) != 22 {
		t.Errorf("nine blocks: stopped %+v, %d missing, want 22", a.Stopped, len(a.Missing))
	}
}

// Six pairs on one side have p = 1/64, which is below 0.025 and below 0.02; of
// three comparisons the first step of Holm's asks for less than either. At
// seven, 1/128 lies between 0.025/3 and 0.02/3: the looks decide.
func TestSeveralLooksAreStricter(t *testing.T) {
	p := testPlan(7, "host", "a", "b", "c")
	var trials []result.Trial
	for b := range 7 {
		trials = append(trials, trial(p, b+1, "host", gbits(20)))
		for i, v := range []string{"a", "b", "c"} {
			trials = append(trials, trial(p, b+1, v, gbits(10+float64(i)+float64(b)/100)))
		}
	}
	verdicts := func(p plan.Plan) string {
		return string(analyze(t, p, trials, handMadeEnvironment).Cells[0].Metrics[0].Comparisons[0].Verdict)
	}
	if got := verdicts(p); got != "worse" {
		t.Errorf("without looks: %s", got)
	}
	p.Stop = &plan.Stop{Looks: []int{10, 15}, HalfWidth: 0.02}
	if got := verdicts(p); got != "inconclusive" {
		t.Errorf("with two looks: %s", got)
	}
}
