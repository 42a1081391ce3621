package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var (
	epoch        = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	exampleRules = plan.Validity{ForeignCPU: 0.50}
)

// world says what comes of an attempt: it depends on nothing else, so that a
// run that was interrupted can be compared with one that was not.
type world map[string]result.Status

// spoilt is ok on a machine that others used.
const spoilt result.Status = "spoilt"

func (w world) of(p plan.Trial, attempt int) result.Status {
	if s, ok := w[fmt.Sprintf("%d%s%s%d", p.Block, p.Variant.Name, p.Cell.ID, attempt)]; ok {
		return s
	}
	return result.OK
}

// perform measures a turn in the world.
func (w world) perform(r *Runner) func(context.Context, []plan.Trial) error {
	return func(ctx context.Context, turn []plan.Trial) error {
		for _, p := range turn {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			number := r.Writer.NextAttempt(result.KeyOf(p))
			t := result.Trial{
				Schema: result.SchemaVersion, Block: p.Block, Position: p.Position, Variant: p.Variant.Name, Cell: p.Cell.ID,
				Scenario: p.Cell.Scenario, Attempt: number, Start: epoch, End: epoch.Add(10e9), Status: w.of(p, number), Reason: "because",
			}
			if t.Status == result.OK || t.Status == spoilt {
				t = measured(t, t.Status == spoilt)
			}
			if err := r.append(t); err != nil {
				return err
			}
			delete(r.open, result.KeyOf(p))
			r.emit(Event{Kind: TrialEnded, Variant: p.Variant.Name, Trial: &t})
		}
		return nil
	}
}

// in makes a runner that measures in a world.
func (w world) in(writer *result.Writer, events *[]Event) *Runner {
	p := examplePlan()
	p.Validity = &exampleRules
	r := &Runner{Plan: p, Writer: writer, Provider: &fakeProvider{}, Events: func(e Event) { *events = append(*events, e) }}
	r.perform = w.perform(r)
	return r
}

func newWriter(t interface {
	Helper()
	Fatal(...any)
}, dir string,
) *result.Writer {
	t.Helper()
	w, err := result.Create(dir, []byte("# made up\n"), examplePlan())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// words writes a journal in few: what each attempt at a trial came to.
func words(trials []result.Trial) []string {
	var all []string
	for _, t := range trials {
		what := string(t.Status)
		if t.Voids > 0 {
			what = fmt.Sprintf("takes back %d: %s", t.Voids, t.Reason)
		}
		all = append(all, fmt.Sprintf("%d%s %s %d %s", t.Block, t.Variant, t.Cell, t.Attempt, what))
	}
	return all
}

// A block that somebody disturbed is measured again, whole and once, and the
// campaign goes on.
func TestRunRepeatsAnInvalidBlock(t *testing.T) {
	w := newWriter(t, filepath.Join(t.TempDir(), "results"))
	defer func() { _ = w.Close() }()
	var events []Event
	r := world{"1aidle1": spoilt}.in(w, &events)
	if err := r.Run(t.Context(), r.Plan.Trials()); err != nil {
		t.Fatal(err)
	}
	const back = "takes back 1: block 1: programs outside the cluster used 75 % of the CPU time during a, more than 50 %"
	// idle is one of two cells of the turn, as long as the other.
	want := []string{
		"1b tcp-pod-single 1 ok", "1b idle 1 ok", "1a tcp-pod-single 1 ok", "1a idle 1 ok",
		"2a idle 1 ok", "2a tcp-pod-single 1 ok", "2b idle 1 ok", "2b tcp-pod-single 1 ok",
	}
	if diff := cmp.Diff(want, words(trials(t, r))); diff != "" {
		t.Errorf("half a turn was enough (-want +journal):\n%s", diff)
	}
	w2 := newWriter(t, filepath.Join(t.TempDir(), "results"))
	defer func() { _ = w2.Close() }()
	events = nil
	r = world{"1aidle1": spoilt, "1atcp-pod-single1": spoilt}.in(w2, &events)
	if err := r.Run(t.Context(), r.Plan.Trials()); err != nil {
		t.Fatal(err)
	}
	want = slices.Concat(want[:4], []string{
		"1b tcp-pod-single 2 " + back, "1b idle 2 " + back, "1a tcp-pod-single 2 " + back, "1a idle 2 " + back,
		"1b tcp-pod-single 3 ok", "1b idle 3 ok", "1a tcp-pod-single 3 ok", "1a idle 3 ok",
	}, want[4:])
	if diff := cmp.Diff(want, words(trials(t, r))); diff != "" {
		t.Errorf("(-want +journal):\n%s", diff)
	}
	wantDone(t, events, []string{
		"1/8", "2/8", "3/8", "4/8",
		"repeat block 1: block 1: programs outside the cluster used 75 % of the CPU time during a, more than 50 % 0/8",
		"1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8",
	})
}

// wantDone checks what a watcher learns.
func wantDone(t *testing.T, events []Event, want []string) {
	t.Helper()
	var got []string
	for _, e := range events {
		text := fmt.Sprintf("%d/%d", e.Done, e.Total)
		if e.Kind != TrialEnded {
			text = fmt.Sprintf("%s block %d: %s %s", e.Kind, e.Block, e.Step, text)
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A block that is invalid twice stays so: a machine that is never calm must
// not keep a campaign for ever.
func TestRunDropsABlockThatIsInvalidTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	w := newWriter(t, dir)
	always := world{}
	for _, v := range []string{"a", "b"} {
		for attempt := range 9 {
			always[fmt.Sprintf("2%sidle%d", v, attempt)], always[fmt.Sprintf("2%stcp-pod-single%d", v, attempt)] = spoilt, spoilt
		}
	}
	var events []Event
	r := always.in(w, &events)
	if err := r.Run(t.Context(), r.Plan.Trials()); err != nil {
		t.Fatal(err)
	}
	last := result.LastAttempts(trials(t, r))
	for _, got := range last {
		want := result.OK
		if got.Block == 2 {
			want = result.Invalid
		}
		if got.Status != want || got.Block == 2 && (got.Attempt != 4 || got.Voids != 3) {
			t.Errorf("%+v", got)
		}
	}
	if e := events[len(events)-1]; e.Kind != BlockDropped || e.Block != 2 || e.Done != 8 {
		t.Errorf("the last event is %+v", e)
	}
	// Carrying on does not begin again.
	before := len(trials(t, r))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	resumed, _ := resume(t, always, dir, false)
	if len(resumed) != before {
		t.Errorf("the journal grew from %d to %d attempts", before, len(resumed))
	}
	// Who asks for it gets one more round.
	if again, _ := resume(t, always, dir, true); len(again) != before+8 {
		t.Errorf("the journal grew from %d to %d attempts, want 4 measured and 4 taken back", before, len(again))
	}
}

// resume carries on as the command does and returns the journal.
func resume(t interface {
	Helper()
	Fatal(...any)
}, w world, dir string, retryFailed bool,
) ([]result.Trial, []Event) {
	t.Helper()
	writer, journal, err := result.Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	var events []Event
	r := w.in(writer, &events)
	g, err := result.ProgressOf(r.Plan, journal.Trials)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(context.Background(), g.Pending(r.Plan, retryFailed)); err != nil {
		t.Fatal(err)
	}
	j, err := writer.Journal()
	if err != nil {
		t.Fatal(err)
	}
	return j.Trials, events
}

// Wherever a run is killed, carrying on ends where the run would have ended.
func TestResumeEndsWhereTheRunWouldHave(t *testing.T) {
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		w := world{}
		for _, p := range examplePlan().Trials() {
			for attempt := 1; attempt <= 3; attempt += 2 {
				status := rapid.SampledFrom([]result.Status{result.OK, spoilt, spoilt, result.Failed, result.Unsupported}).Draw(rt, "status")
				w[fmt.Sprintf("%d%s%s%d", p.Block, p.Variant.Name, p.Cell.ID, attempt)] = status
			}
		}
		if err := newWriter(rt, dir).Close(); err != nil {
			rt.Fatal(err)
		}
		whole, _ := resume(rt, w, dir, false)
		file := filepath.Join(dir, result.JournalFile)
		data, err := os.ReadFile(file)
		if err != nil {
			rt.Fatal(err)
		}
		cut := rapid.IntRange(0, len(data)).Draw(rt, "cut")
		if err := os.WriteFile(file, data[:cut], 0o644); err != nil {
			rt.Fatal(err)
		}
		resumed, events := resume(rt, w, dir, false)
		want, got := words(whole), words(resumed)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("after %d of %d bytes (-uninterrupted +resumed):\n%s", cut, len(data), diff)
		}
		for _, e := range events {
			if e.Done < 0 || e.Done > e.Total {
				rt.Fatalf("%d of %d are done", e.Done, e.Total)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			rt.Fatal(err)
		}
	})
}

// A campaign that has seen enough stops, and stays stopped.
func TestRunStopsWhenItHasSeenEnough(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	enough := func(blocks int, trials []result.Trial) (string, error) {
		if blocks != 1 || len(result.LastAttempts(trials)) != 4 {
			return "", fmt.Errorf("asked after %d blocks with %d trials", blocks, len(trials))
		}
		return "stopping after 1 of at most 2 blocks", nil
	}
	w := newWriter(t, dir)
	var events []Event
	r := world{}.in(w, &events)
	r.Enough = enough
	for range 2 { // what is missing is not needed, whoever asks for it
		events = nil
		if err := r.Run(t.Context(), r.Plan.Trials()[len(trials(t, r)):]); err != nil {
			t.Fatal(err)
		}
		if got := trials(t, r); len(got) != 4 || got[3].Block != 1 {
			t.Errorf("the journal has %v", words(got))
		}
		if e := events[len(events)-1]; e.Kind != Stopped || e.Block != 1 || !strings.HasPrefix(e.Step, "stopping after 1") || e.Done != 4 {
			t.Errorf("the last event is %+v", e)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nobody is asked before the blocks are complete, and after the last one.
func TestRunAsksForALookAtCompleteBlocks(t *testing.T) {
	for _, tt := range []struct {
		name string
		want func(plan.Trial) bool
		asks []int
	}{
		{"all", func(plan.Trial) bool { return true }, []int{1}},
		{"one variant", func(p plan.Trial) bool { return p.Variant.Name == "a" }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWriter(t, filepath.Join(t.TempDir(), "results"))
			defer func() { _ = w.Close() }()
			var events []Event
			var asks []int
			r := world{}.in(w, &events)
			r.Enough = func(blocks int, _ []result.Trial) (string, error) {
				asks = append(asks, blocks)
				return "", nil
			}
			if err := r.Run(t.Context(), selected(r.Plan.Trials(), tt.want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.asks, asks); diff != "" {
				t.Errorf("asked after blocks (-want +got):\n%s", diff)
			}
		})
	}
}

// What was measured after a look says that more was needed then: trials that
// are repeated later must not change that.
func TestRunDoesNotStopInThePast(t *testing.T) {
	w := newWriter(t, filepath.Join(t.TempDir(), "results"))
	defer func() { _ = w.Close() }()
	var events []Event
	r := world{}.in(w, &events)
	all := r.Plan.Trials()
	if err := r.Run(t.Context(), all[:5]); err != nil {
		t.Fatal(err)
	}
	r.Enough = func(int, []result.Trial) (string, error) { return "stop", nil }
	if err := r.Run(t.Context(), all[5:]); err != nil {
		t.Fatal(err)
	}
	if got := trials(t, r); len(got) != len(all) {
		t.Errorf("the journal has %d of %d trials", len(got), len(all))
	}
}

func TestRunPassesOnWhyItCannotLook(t *testing.T) {
	w := newWriter(t, filepath.Join(t.TempDir(), "results"))
	defer func() { _ = w.Close() }()
	var events []Event
	r := world{}.in(w, &events)
	broken := errors.New("two trials declare rtt differently")
	r.Enough = func(int, []result.Trial) (string, error) { return "", broken }
	if err := r.Run(t.Context(), r.Plan.Trials()); !errors.Is(err, broken) || !strings.Contains(err.Error(), "after 1 blocks") {
		t.Errorf("error %v", err)
	}
}
