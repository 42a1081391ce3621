package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// adaptive is a plan with looks and a journal of so many whole blocks, in
// which flannel has half of host's throughput, up to the given noise: a
// fraction whose sign and size change from block to block.
func adaptive(blocks int, noise float64, looks ...int) (plan.Plan, []result.Trial) {
	p := testPlan(looks[len(looks)-1], "host", "flannel")
	p.Stop = &plan.Stop{Looks: looks, HalfWidth: 0.02}
	var trials []result.Trial
	for b := range blocks {
		away := noise * math.Cos(3*float64(b))
		trials = append(trials, trial(p, b+1, "host", gbits(20)), trial(p, b+1, "flannel", gbits(10*(1+away))))
	}
	return p, trials
}

func TestLookAt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		noise  float64
		blocks int
		want   stats.Look
	}{
		{"narrow, at a look", 0.01, 10, stats.Look{Stop: true, Precise: 1}},
		{"narrow, between looks", 0.01, 11, stats.Look{Precise: 1, Next: 15}},
		{"wide, at the first look", 0.2, 10, stats.Look{Next: 15}},
		{"wide, at the last look", 0.2, 20, stats.Look{Stop: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, trials := adaptive(20, tt.noise, 10, 15, 20)
			got, err := LookAt(p, trials, tt.blocks)
			if err != nil {
				t.Fatal(err)
			}
			if wide := got.Widest > 1; wide == (tt.want.Precise == 1) {
				t.Errorf("the widest interval is %v times what was asked for", got.Widest)
			}
			got.Widest = 0
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What comes after a look does not change what it saw.
func TestLookAtIgnoresLaterBlocks(t *testing.T) {
	p, trials := adaptive(20, 0.05, 10, 15, 20)
	for _, blocks := range p.Stop.Looks {
		whole, err := LookAt(p, trials, blocks)
		if err != nil {
			t.Fatal(err)
		}
		then, err := LookAt(p, trials[:2*blocks], blocks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(then, whole); diff != "" {
			t.Errorf("after %d blocks (-then +later):\n%s", blocks, diff)
		}
	}
}

func TestLookAtWithoutARule(t *testing.T) {
	p, trials := adaptive(20, 0.01, 10, 15, 20)
	p.Stop = nil
	for blocks, want := range map[int]stats.Look{10: {Next: 20}, 20: {Stop: true}} {
		got, err := LookAt(p, trials, blocks)
		if err != nil || got != want {
			t.Errorf("after %d blocks: %+v, %v, want %+v", blocks, got, err, want)
		}
	}
}

// A metric that no trial has keeps the campaign going; a variant that cannot
// have it does not.
func TestLookAtWithoutValues(t *testing.T) {
	for status, stop := range map[result.Status]bool{result.Failed: false, result.Unsupported: true} {
		p, trials := adaptive(10, 0.01, 10, 15)
		p.Variants = append(p.Variants, plan.Variant{Name: "third", Entry: "third"})
		for b := range 10 {
			p.Blocks[b].Order = append(slices.Clone(p.Blocks[b].Order), "third")
			third := trial(p, b+1, "third")
			third.Status, third.Reason = status, "for this test"
			trials = append(trials, third)
		}
		got, err := LookAt(p, trials, 10)
		if err != nil || got.Stop != stop || got.Precise != 1 {
			t.Errorf("%s: %+v, %v, want stop %t", status, got, err, stop)
		}
	}
}

// On the difference scale the margin says what is narrow: 10 MiB.
func TestLookAtOnTheDifferenceScale(t *testing.T) {
	for scatter, stop := range map[float64]bool{5: true, 50: false} {
		p, trials := adaptive(10, 0.01, 10, 15)
		p.Analysis.Primary = []string{cellID + "/memory-overhead"}
		for i := range trials {
			trials[i].Values = append(trials[i].Values, mibs(100+float64(i%2)*scatter*math.Cos(3*float64(i))))
		}
		got, err := LookAt(p, trials, 10)
		if err != nil || got.Stop != stop {
			t.Errorf("scatter of %v MiB: %+v, %v, want stop %t", scatter, got, err, stop)
		}
	}
}

func TestStoppedAt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		noise  float64
		blocks int // measured
		want   *Stopped
	}{
		{"before the first look", 0.01, 9, nil},
		{"at the first look", 0.01, 10, &Stopped{Blocks: 10, AtMost: 20, HalfWidth: 0.02, Precise: 1, Comparisons: 1}},
		{"wide at the first look", 0.2, 10, nil},
		{"went on", 0.01, 12, nil},
		{"went on to the second look", 0.01, 15, &Stopped{Blocks: 15, AtMost: 20, HalfWidth: 0.02, Precise: 1, Comparisons: 1}},
		{"wide to the last look", 0.2, 20, &Stopped{Blocks: 20, AtMost: 20, HalfWidth: 0.02, Comparisons: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, trials := adaptive(tt.blocks, tt.noise, 10, 15, 20)
			got, err := StoppedAt(p, trials)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A campaign of which a trial is missing has not come to its look.
func TestStoppedAtWaitsForEveryTrial(t *testing.T) {
	p, trials := adaptive(10, 0.01, 10, 15, 20)
	got, err := StoppedAt(p, slices.Delete(trials, 4, 5))
	if err != nil || got != nil {
		t.Errorf("stopped at %+v, %v", got, err)
	}
}

func TestAlpha(t *testing.T) {
	p, _ := adaptive(0, 0, 10, 15, 20)
	one, _ := adaptive(0, 0, 10)
	for name, tt := range map[string]struct {
		p    plan.Plan
		want float64
	}{"no rule": {plan.Plan{}, 0.025}, "one look": {one, 0.025}, "three": {p, 0.02}} {
		if got := Alpha(tt.p); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
