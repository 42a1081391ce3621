package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// takenBack is a journal in which block 2 was invalid once and block 3 twice.
func takenBack() (plan.Plan, []result.Trial) {
	p := testPlan(6, "host", "flannel")
	var trials []result.Trial
	for b := 1; b <= 6; b++ {
		rounds := map[int]int{2: 1, 3: 2}[b]
		for _, v := range []string{"host", "flannel"} {
			for round := range rounds + 1 {
				measured := trial(p, b, v, gbits(20+float64(b)/10))
				measured.Attempt = 2*round + 1
				if round < rounds {
					measured.Values[0].Value /= 2 // what the block's invalidity did must not show
				}
				if b == 3 && round == rounds {
					break
				}
				trials = append(trials, measured)
				if round < rounds {
					void := trial(p, b, v)
					void.Attempt, void.Voids, void.Status = 2*round+2, 2*round+1, result.Invalid
					void.Reason = map[int]string{2: "block 2: the clock was set by 1s during host", 3: "block 3: 45 % of the CPU time was stolen during flannel, more than 40 %"}[b]
					trials = append(trials, void)
				}
			}
		}
	}
	return p, trials
}

// A block that was taken back and measured again counts once; one that was
// invalid twice drops its pairs, is counted and named.
func TestInvalidBlocks(t *testing.T) {
	p, trials := takenBack()
	a, err := Analyze(p, trials, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Counts{Planned: 12, OK: 10, Invalid: 2}, a.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	var blocks []int
	for _, pair := range a.Cells[0].Metrics[0].Comparisons[0].Pairs {
		blocks = append(blocks, pair.Block)
		if pair.A < 20e9 || pair.B < 20e9 {
			t.Errorf("block %d has what was taken back: %v and %v", pair.Block, pair.A, pair.B)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 4, 5, 6}, blocks); diff != "" {
		t.Errorf("pairs are of blocks (-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(a.Warnings, func(w result.Warning) bool { return w.Code == "invalid-blocks" })
	if i < 0 {
		t.Fatal("no warning names them")
	}
	const want = "2 of 6 blocks were invalid: block 2 was measured again (the clock was set by 1s during host); " +
		"block 3 is dropped (45 % of the CPU time was stolen during flannel, more than 40 %)"
	if got := a.Warnings[i].Message; got != want {
		t.Errorf("the warning is\n%s, want\n%s", got, want)
	}
	a, err = Analyze(p, slices.DeleteFunc(trials, func(t result.Trial) bool { return t.Block == 3 }), result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	i = slices.IndexFunc(a.Warnings, func(w result.Warning) bool { return w.Code == "invalid-blocks" })
	if got := a.Warnings[i].Message; !strings.HasPrefix(got, "1 of 6 blocks was invalid: block 2 was") {
		t.Errorf("the warning is %s", got)
	}
}
