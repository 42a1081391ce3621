package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// fakeProvider makes no clusters: it fails as told and counts how often it was
// asked.
type fakeProvider struct {
	fail  func(name string) error
	asked []string
}

func (f *fakeProvider) Create(_ context.Context, r cluster.Request, report func(string)) (*cluster.Cluster, error) {
	f.asked = append(f.asked, r.Name)
	report("pretending to start " + r.Name)
	return nil, f.fail(r.Name)
}

func (f *fakeProvider) Shared() bool { return false }
func (f *fakeProvider) Close() error { return nil }

// examplePlan compares two variants that install nothing, in an order that
// changes from block to block.
func examplePlan() plan.Plan {
	cell := func(id string) plan.Cell {
		return plan.Cell{ID: id, Scenario: id, Parameters: parameter.Values{"duration": "1s", "omit": "0s", "streams": "1", "placement": stage.CrossNode}}
	}
	return plan.Plan{
		Schema: plan.SchemaVersion, Name: "example", Hash: "sha256:0", Cluster: plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables"}},
		Variants: []plan.Variant{{Name: "a", Entry: "host"}, {Name: "b", Entry: "host"}},
		Cells:    []plan.Cell{cell("idle"), cell("tcp-pod-single")},
		Blocks: []plan.Block{
			{Index: 1, Order: []string{"b", "a"}, Cells: []string{"tcp-pod-single", "idle"}},
			{Index: 2, Order: []string{"a", "b"}, Cells: []string{"idle", "tcp-pod-single"}},
		},
		Analysis: plan.Analysis{Base: "a"},
	}
}

// newRunner runs the example with a provider and collects what happens.
func newRunner(t *testing.T, provider cluster.Provider, events *[]Event) *Runner {
	t.Helper()
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := result.Create(filepath.Join(t.TempDir(), "results"), []byte("# made up\n"), examplePlan())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return &Runner{
		Plan: examplePlan(), Writer: w, Provider: provider, Catalog: catalog, Prefix: "test-",
		Environment: result.Environment{Schema: result.SchemaVersion}, Events: func(e Event) { *events = append(*events, e) },
	}
}

func trials(t *testing.T, r *Runner) []result.Trial {
	t.Helper()
	j, err := r.Writer.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return j.Trials
}

// A variant whose cluster does not come up has failed trials, each with the
// reason, and the other variants and blocks go on, in the plan's order.
func TestRunGoesOnWithoutClusters(t *testing.T) {
	provider := &fakeProvider{fail: func(name string) error { return fmt.Errorf("%s: no space left on device", name) }}
	var events []Event
	r := newRunner(t, provider, &events)
	if err := r.Run(t.Context(), r.Plan.Trials()); err != nil {
		t.Fatal(err)
	}
	var want, got []result.Key
	for _, p := range r.Plan.Trials() {
		want = append(want, result.KeyOf(p))
	}
	for _, trial := range trials(t, r) {
		got = append(got, trial.Key())
		reason := fmt.Sprintf("bringing up %s: test-%s: no space left on device", trial.Variant, trial.Variant)
		if trial.Status != result.Failed || trial.Reason != reason || len(trial.Values) > 0 || trial.Attempt != 1 {
			t.Errorf("%+v, want a failed trial for this reason: %s", trial, reason)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-plan +journal):\n%s", diff)
	}
	// Every turn tries again: what was wrong may be over.
	if diff := cmp.Diff([]string{"test-b", "test-a", "test-a", "test-b"}, provider.asked); diff != "" {
		t.Errorf("clusters asked for (-want +got):\n%s", diff)
	}
	wantEvents(t, events, len(want))
}

// wantEvents checks that a watcher learns of every trial, and how many are
// left.
func wantEvents(t *testing.T, events []Event, total int) {
	t.Helper()
	ended := 0
	for _, e := range events {
		if e.Kind == TrialEnded {
			ended++
		}
		if e.Done != ended || e.Total != total || e.At.IsZero() {
			t.Errorf("after %d trials the event is %+v", ended, e)
		}
	}
	if ended != total {
		t.Errorf("events tell of %d trials, want %d", ended, total)
	}
}

// Only what the environment spoilt is tried again, and once.
func TestRunRetriesInvalidTrialsOnce(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want []result.Status
	}{
		{"failed", errors.New("the variant broke"), []result.Status{result.Failed}},
		{"unsupported", &stage.UnsupportedError{Reason: "no kube-proxy"}, []result.Status{result.Unsupported}},
		{"invalid", &stage.InvalidError{Reason: "somebody used the CPU"}, []result.Status{result.Invalid, result.Invalid}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var events []Event
			r := newRunner(t, &fakeProvider{fail: func(string) error { return tt.err }}, &events)
			if err := r.Run(t.Context(), r.Plan.Trials()[:1]); err != nil {
				t.Fatal(err)
			}
			var got []result.Status
			for i, trial := range trials(t, r) {
				got = append(got, trial.Status)
				if trial.Attempt != i+1 || !strings.Contains(trial.Reason, tt.err.Error()) {
					t.Errorf("attempt %d: %s", trial.Attempt, trial.Reason)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("attempts (-want +got):\n%s", diff)
			}
		})
	}
}

// An interrupted run stops where it is and journals nothing of the trial.
func TestRunStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	provider := &fakeProvider{fail: func(name string) error {
		if name == "test-a" {
			cancel()
		}
		return errors.New("it ended")
	}}
	var events []Event
	r := newRunner(t, provider, &events)
	if err := r.Run(ctx, r.Plan.Trials()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if got := trials(t, r); len(got) != 2 || got[1].Variant != "b" {
		t.Errorf("the journal has %+v, want b's two trials of block 1", got)
	}
	if len(provider.asked) != 2 {
		t.Errorf("after the interrupt clusters were asked for: %v", provider.asked)
	}
}

func TestRunOfAnUnknownCatalogEntry(t *testing.T) {
	provider := &fakeProvider{}
	var events []Event
	r := newRunner(t, provider, &events)
	pending := r.Plan.Trials()[:1]
	pending[0].Variant.Entry = "removed"
	if err := r.Run(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	if got := trials(t, r); len(got) != 1 || got[0].Status != result.Failed || !strings.Contains(got[0].Reason, `"removed"`) || len(provider.asked) > 0 {
		t.Errorf("%+v, clusters asked for: %v", got, provider.asked)
	}
}

func TestTurns(t *testing.T) {
	all := examplePlan().Trials()
	for _, tt := range []struct {
		name    string
		pending []plan.Trial
		want    []string
	}{
		{"nothing", nil, nil},
		{"everything", all, []string{"1b: tcp-pod-single idle", "1a: tcp-pod-single idle", "2a: idle tcp-pod-single", "2b: idle tcp-pod-single"}},
		// a's turns of blocks 1 and 2 are two, though they follow each other.
		{"what is left", all[3:], []string{"1a: idle", "2a: idle tcp-pod-single", "2b: idle tcp-pod-single"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, turn := range turns(tt.pending) {
				text := fmt.Sprintf("%d%s:", turn[0].Block, turn[0].Variant.Name)
				for _, p := range turn {
					text += " " + p.Cell.ID
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}
