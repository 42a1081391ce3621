package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// A block that was taken back is one line, however many trials it has.
func TestLossesOfWholeBlocks(t *testing.T) {
	a := analysis.Analysis{Plan: plan.Plan{
		Cells: []plan.Cell{{ID: "idle"}, {ID: "tcp"}}, Variants: []plan.Variant{{Name: "host"}, {Name: "flannel"}},
	}}
	const stolen = "45 % of the CPU time was stolen during host, more than 40 %"
	for _, cell := range []string{"idle", "tcp"} {
		for _, v := range []string{"host", "flannel"} {
			void := analysis.Dropped{Block: 3, Variant: v, Cell: cell, Attempt: 2, Voids: 1, Status: result.Invalid, Reason: "block 3: " + stolen, Replaced: true}
			again := void
			again.Attempt, again.Voids, again.Replaced = 4, 3, false
			a.Dropped = append(a.Dropped, void, again)
		}
	}
	a.Dropped = append(a.Dropped, analysis.Dropped{Block: 4, Variant: "host", Cell: "tcp", Attempt: 1, Status: result.Invalid, Reason: "misplaced", Replaced: true})
	var got []string
	for _, l := range losses(a) {
		got = append(got, l.Cell+" "+l.Variant+" "+l.Status+": "+l.Reason+l.where())
	}
	want := []string{
		"tcp host invalid, tried again: misplaced (block 4)",
		"all all block dropped: " + stolen + " (block 3)",
		"all all block dropped, measured again: " + stolen + " (block 3)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNobodyAttemptsWhatIsImported(t *testing.T) {
	for want, p := range map[string]plan.Plan{"never attempted": {}, "the source has none": {Imported: &plan.Imported{Format: "csv"}}} {
		lost := losses(analysis.Analysis{Plan: p, Missing: []analysis.Missing{{Block: 1, Variant: "host", Cell: "tcp"}}})
		if len(lost) != 1 || lost[0].Reason != want {
			t.Errorf("%+v, want %s", lost, want)
		}
	}
}
