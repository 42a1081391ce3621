package run

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/result"
)

// sharedProvider stands for one cluster that every variant is to run on.
type sharedProvider struct {
	fakeProvider
	closed int
}

func (*sharedProvider) Shared() bool   { return true }
func (p *sharedProvider) Close() error { p.closed++; return nil }

func (p *sharedProvider) Create(ctx context.Context, r cluster.Request, report func(string)) (*cluster.Cluster, error) {
	return p.fakeProvider.Create(ctx, r, report)
}

// A cluster that is not as it was before makes every later figure worthless:
// the run ends, and says why.
func TestRunStopsWhenTheClusterIsUnclean(t *testing.T) {
	unclean := &UncleanError{Variant: "b", Err: errors.New("node1: link cni0 is left")}
	p := &sharedProvider{fakeProvider: fakeProvider{fail: func(string) error { return unclean }}}
	var events []Event
	r := newRunner(t, p, &events)
	err := r.Run(t.Context(), r.Plan.Trials())
	if !errors.Is(err, unclean) || !strings.Contains(err.Error(), "cni0") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"test-b"}, p.asked); diff != "" {
		t.Errorf("clusters asked for (-want +got):\n%s", diff)
	}
	if got := trials(t, r); len(got) > 0 {
		t.Errorf("the journal has %+v", got)
	}
	if p.closed != 1 {
		t.Errorf("closed %d times, want once", p.closed)
	}
}

// What went wrong with one variant and left the cluster clean fails its
// trials, and the others have theirs.
func TestRunGoesOnInACleanCluster(t *testing.T) {
	p := &sharedProvider{fakeProvider: fakeProvider{fail: func(name string) error { return errors.New(name + " does not come up") }}}
	var events []Event
	r := newRunner(t, p, &events)
	if err := r.Run(t.Context(), r.Plan.Trials()); err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials(t, r) {
		if trial.Status != result.Failed {
			t.Errorf("%s is %s", trial.Variant, trial.Status)
		}
	}
	if len(p.asked) != 4 || p.closed != 1 {
		t.Errorf("asked %v, closed %d times", p.asked, p.closed)
	}
}

// A cluster that was left for inspection is not touched again.
func TestRunKeepsAFailedClusterForInspection(t *testing.T) {
	kept := &KeptError{Variant: "b", Err: errors.New("image cannot be pulled")}
	p := &sharedProvider{fakeProvider: fakeProvider{fail: func(string) error { return kept }}}
	var events []Event
	r := newRunner(t, p, &events)
	r.Keep = true
	if err := r.Run(t.Context(), r.Plan.Trials()); !errors.Is(err, kept) {
		t.Errorf("error %v", err)
	}
	if len(p.asked) != 1 || p.closed != 0 {
		t.Errorf("asked %v, closed %d times", p.asked, p.closed)
	}
}
