package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
)

// smallPlan is two variants, one cell, two blocks.
func smallPlan(t *testing.T) plan.Plan {
	t.Helper()
	cell := "tcp-pod-multi.streams=8"
	p, err := plan.Seal(plan.Plan{
		Schema: plan.SchemaVersion, Name: "small", Seed: 1,
		Cluster:  plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}},
		Variants: []plan.Variant{{Name: "host", Entry: "host"}, {Name: "flannel-vxlan", Entry: "flannel-vxlan"}},
		Cells:    []plan.Cell{{ID: cell, Scenario: "tcp-pod-multi", Parameters: parameter.Values{"streams": "8", "placement": "cross-node"}}},
		Blocks: []plan.Block{
			{Index: 1, Order: []string{"host", "flannel-vxlan"}, Cells: []string{cell}},
			{Index: 2, Order: []string{"flannel-vxlan", "host"}, Cells: []string{cell}},
		},
		Analysis: plan.Analysis{Base: "host", Primary: []string{cell + "/throughput"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func create(t *testing.T) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "results"), []byte("kind: Campaign\n"), smallPlan(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func TestCreateRefusesADirectoryWithSomethingInIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Create(dir, nil, smallPlan(t))
	if err == nil || !strings.Contains(err.Error(), "is not empty (it holds notes.txt)") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, JournalFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a journal was left behind: %v", err)
	}
}

func TestWhatWasWrittenReadsBack(t *testing.T) {
	w := create(t)
	env := Environment{Schema: SchemaVersion, Created: epoch, Topology: "lab", Machine: Machine{Kernel: "6.18", Cores: 2}}
	for _, e := range []Environment{{Schema: SchemaVersion, Topology: "first"}, env} {
		if err := w.WriteEnvironment(e); err != nil {
			t.Fatal(err)
		}
	}
	trial := throughputTrial(1, "host", 1)
	if err := w.Append(trial); err != nil {
		t.Fatal(err)
	}

	d, err := Open(w.Path()) // a reader, while the writer holds the lock
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Trial{trial}, j.Trials); diff != "" {
		t.Errorf("trials (-written +read):\n%s", diff)
	}
	p, err := d.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(smallPlan(t), p); diff != "" {
		t.Errorf("plan (-written +read):\n%s", diff)
	}
	e, err := d.Environment()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(env, e); diff != "" {
		t.Errorf("environment (-written +read):\n%s", diff)
	}
	if c, err := d.Campaign(); err != nil || string(c) != "kind: Campaign\n" {
		t.Errorf("campaign %q, %v", c, err)
	}
}

func TestTwoRunsCannotWriteOneDirectory(t *testing.T) {
	w := create(t)
	if _, _, err := Resume(w.Path()); !errors.Is(err, ErrLocked) {
		t.Fatalf("resuming what a run still writes: got %v, want ErrLocked", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, _, err := Resume(w.Path())
	if err != nil {
		t.Fatalf("resuming after the first run ended: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// The program dies while it writes the second trial; the resumed run measures
// it again and the journal is whole.
func TestResumeCutsOffATornLine(t *testing.T) {
	w := create(t)
	first, second := throughputTrial(1, "host", 1), throughputTrial(1, "flannel-vxlan", 1)
	if err := w.Append(first); err != nil {
		t.Fatal(err)
	}
	if _, err := w.journal.Write(encode(t, second)[:40]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	w, j, err := Resume(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if len(j.Warnings) != 1 || j.Warnings[0].Code != "torn-journal" {
		t.Errorf("warnings: %v", j.Warnings)
	}
	if err := w.Append(second); err != nil {
		t.Fatal(err)
	}
	after, err := w.Journal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Trial{first, second}, after.Trials); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	if len(after.Warnings) != 0 {
		t.Errorf("warnings after the repair: %v", after.Warnings)
	}
}

func TestAppendRefuses(t *testing.T) {
	noReason := failedTrial(2, "host")
	noReason.Reason = " "
	noValues := throughputTrial(2, "host", 1)
	noValues.Values = nil
	noUnit := throughputTrial(2, "host", 1)
	noUnit.Values[0].Unit = ""
	tests := []struct {
		name  string
		trial Trial
		want  string
	}{
		{"a failure without a reason", noReason, "status failed without a reason"},
		{"ok without a value", noValues, "status ok without any value"},
		{"a value without a unit", noUnit, `metric "throughput" has no unit`},
		{"an attempt that is there already", throughputTrial(1, "host", 1), "is already in the journal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := create(t)
			if err := w.Append(throughputTrial(1, "host", 1)); err != nil {
				t.Fatal(err)
			}
			err := w.Append(test.trial)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want …%s", err, test.want)
			}
			if j, err := w.Journal(); err != nil || len(j.Trials) != 1 {
				t.Errorf("the journal now has %d trials, %v", len(j.Trials), err)
			}
		})
	}
}

func TestMakeRawClearsWhatALostAttemptLeft(t *testing.T) {
	w := create(t)
	key := Key{1, "host", "tcp-pod-multi.streams=8"}
	path, relative, err := w.MakeRaw(key, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := "raw/1/host/tcp-pod-multi.streams=8/1"; relative != want {
		t.Errorf("relative path %s, want %s", relative, want)
	}
	leftover := filepath.Join(path, "client.stdout")
	if err := os.WriteFile(leftover, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.MakeRaw(key, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(leftover); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover is still there: %v", err)
	}
	if err := w.Append(throughputTrial(1, "host", 1)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.MakeRaw(key, 1); err == nil {
		t.Error("the evidence of a journaled attempt was cleared")
	}
	if next := w.NextAttempt(key); next != 2 {
		t.Errorf("next attempt is %d, want 2", next)
	}
}
