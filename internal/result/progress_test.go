package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
)

func TestProgressOf(t *testing.T) {
	unsupported := failedTrial(2, "flannel-vxlan")
	unsupported.Status, unsupported.Reason = Unsupported, "the kernel has no VXLAN"
	journal := []Trial{
		failedTrial(1, "host"),
		throughputTrial(1, "host", 2), // decides, although it comes before attempt 1 of the next
		failedTrial(1, "flannel-vxlan"),
		unsupported,
	}
	p := smallPlan(t)
	planned := p.Trials() // block 1: host, flannel-vxlan; block 2: flannel-vxlan, host
	got, err := ProgressOf(p, journal)
	if err != nil {
		t.Fatal(err)
	}
	want := Progress{
		Done:        planned[0:1],
		Failed:      planned[1:2],
		Unsupported: planned[2:3],
		Missing:     planned[3:4],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(planned[3:4], got.Pending(p, false)); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]plan.Trial{planned[1], planned[3]}, got.Pending(p, true)); diff != "" {
		t.Errorf("pending with failed ones (-want +got):\n%s", diff)
	}
}

func TestProgressOfRefusesAForeignTrial(t *testing.T) {
	if _, err := ProgressOf(smallPlan(t), []Trial{throughputTrial(3, "host", 1)}); err == nil {
		t.Error("a trial of block 3 was accepted for a plan of two blocks")
	}
}
