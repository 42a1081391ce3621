package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/result"
)

// A campaign from its beginning to its end, as readers see it.
func TestACampaignFills(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	s := serve(t, dir)
	s.want("/", http.StatusOK, "Measuring: 0 of 6 trials done", "Next: block 1 of 3, host, tcp-pod-single.", "No trial of this cell has a result.")

	c.measure(3)
	body := s.want("/", http.StatusOK, "Measuring: 3 of 6 trials done, about 3 min left", "Next: block 2 of 3, host")
	if strings.Contains(body, "No trial of this cell has a result.") {
		t.Error("the cell stays empty")
	}
	if _, _, err := c.MakeRaw(trial(c.plan, 3).Key(), 1); err != nil {
		t.Fatal(err)
	}
	s.want("/", http.StatusOK, "Now: block 2 of 3, host, tcp-pod-single.")

	c.end()
	s.want("/", http.StatusOK, "Interrupted: 3 of 6 trials done, and no run is writing these results", "for about 3 min more", "cnibench run --resume "+dir)

	w, _, err := result.Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Writer = w
	c.measure(3)
	s.want("/", http.StatusOK, "All 6 trials are done; the run is about to end")
	c.end()
	s.want("/", http.StatusOK, "Complete: 6 trials")
}

// What serve shows is the report and, before it, the bar: nothing else differs
// from the file.
func TestThePageIsTheReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	c.measure(6)
	c.end()
	d, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := page(&file, d); err != nil {
		t.Fatal(err)
	}
	_, body := serve(t, dir).get("/")
	if strings.Contains(file.String(), "live.js") || !strings.Contains(body, `<script src="/live.js" defer></script>`) {
		t.Error("the script belongs to the served page alone")
	}
	if !strings.Contains(body, "<noscript>") {
		t.Error("without scripts nobody says that the page must be reloaded")
	}
	// Cutting the two pieces out gives the file.
	for _, cut := range [][2]string{{"<style>/* The bar", `defer></script>` + "\n"}, {"<aside id=\"live\"", "</aside>\n"}} {
		before, rest, ok := strings.Cut(body, cut[0])
		_, after, ok2 := strings.Cut(rest, cut[1])
		if !ok || !ok2 {
			t.Fatalf("the page has no %q", cut[0])
		}
		body = before + after
	}
	if body != file.String() {
		t.Error("the rest of the page is not the file")
	}
}

// Pages learn of a line that was appended, and of a run that ended without a
// word.
func TestEvents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	s := serve(t, dir, func(o *Options) { o.clock, o.rate = time.Now, rate{least: time.Nanosecond} })
	events := s.listen("/events")
	first := await(t, events, "the first status", func(st status) bool { return st.State == measuring && st.Planned == 6 })
	c.measure(1)
	second := await(t, events, "a trial", func(st status) bool { return st.Done == 1 })
	if first.Version == second.Version {
		t.Error("the page that can be shown has not changed")
	}
	_, body, _ := s.ask(http.MethodGet, "/", nil)
	if !strings.Contains(body, `data-version="`+second.Version+`"`) {
		t.Error("the page is not what was announced")
	}
	c.end()
	await(t, events, "the interruption", func(st status) bool { return st.State == interrupted && strings.Contains(st.Command, "--resume") })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	await(t, events, "the end of the directory", func(st status) bool { return st.State == unreadable })
	create(t, dir)
	await(t, events, "another run in its place", func(st status) bool { return st.State == measuring && st.Done == 0 })
}

// A line without an end is not there yet, or never will be.
func TestTornLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	c.measure(2)
	journal, err := os.OpenFile(filepath.Join(dir, result.JournalFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.WriteString(`{"schema":"cnibench.io/result/v1","block":`); err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir)
	if body := s.want("/", http.StatusOK, "Measuring: 2 of 6"); strings.Contains(body, "incomplete") {
		t.Error("a line that is being written is called incomplete")
	}
	c.end()
	s.want("/", http.StatusOK, "Interrupted: 2 of 6", "The journal's last line is incomplete")
}

// Whatever happens to the files, readers get a page that says it, and the
// server goes on.
func TestBrokenResults(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"a directory that went away": {func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}, "no such file or directory"},
		"no plan": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, result.PlanFile)); err != nil {
				t.Fatal(err)
			}
		}, "is not a results directory: it has no plan.json"},
		"a plan that was changed": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, result.PlanFile), `{"schema": "cnibench.io/plan/v2", "name": "other", "hash": "sha256:00"}`)
		}, "plan.json"},
		"a journal that is none": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, result.JournalFile), "<script>alert(1)</script>\n")
		}, "trials.jsonl:1: not a trial"},
		"a journal of another plan": {func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, result.JournalFile))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, result.JournalFile), strings.ReplaceAll(string(text), `"host"`, `"guest"`))
		}, "the journal has a trial that the plan has not"},
		"an environment that is none": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, result.EnvironmentFile), "[")
		}, "reading environment"},
		"a link out of the directory": {func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "plan.json")
			if err := os.Rename(filepath.Join(dir, result.PlanFile), outside); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, result.PlanFile)); err != nil {
				t.Fatal(err)
			}
		}, "path escapes"},
		"a directory in place of the journal": {func(t *testing.T, dir string) {
			if err := errors.Join(os.Remove(filepath.Join(dir, result.JournalFile)), os.Mkdir(filepath.Join(dir, result.JournalFile), 0o755)); err != nil {
				t.Fatal(err)
			}
		}, "trials.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			campaign := create(t, dir)
			campaign.measure(2)
			s := serve(t, dir)
			s.want("/", http.StatusOK, "2 of 6")
			keep := filepath.Join(t.TempDir(), "keep")
			if err := os.CopyFS(keep, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			body := s.want("/", http.StatusServiceUnavailable, "These results cannot be shown", c.want)
			if strings.Contains(body, "<script>") {
				t.Error("a file's content is part of the page")
			}
			if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(keep))); err != nil {
				t.Fatal(err)
			}
			s.want("/", http.StatusOK, "2 of 6")
		})
	}
}

// A fault in a report ends that page only.
func TestFaultyReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	create(t, dir)
	s := serve(t, dir, func(o *Options) {
		o.Report = func(io.Writer, *result.Dir) error { panic("made up") }
	})
	s.want("/", http.StatusServiceUnavailable, "a fault of cnibench: made up")
	s.want("/raw/", http.StatusOK, "No attempt has finished.")
}

// A report that takes long is made seldom, and never twice of the same files.
func TestReportsAreMadeSeldom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	made := 0
	s := serve(t, dir, func(o *Options) {
		o.rate = rate{least: time.Hour}
		o.Report = func(w io.Writer, d *result.Dir) error { made++; return page(w, d) }
	})
	ask := func() { s.ask(http.MethodGet, "/", nil); s.clock.forward(time.Minute) }
	ask()
	ask()
	if made != 1 {
		t.Errorf("the same files were reported on %d times", made)
	}
	c.measure(1)
	s.clock.forward(time.Minute)
	ask()
	if made != 1 {
		t.Error("a report was made too early")
	}
	s.clock.forward(time.Hour)
	ask()
	if made != 2 {
		t.Errorf("%d reports, want a second one after an hour", made)
	}
}

func TestRateLeavesTheMachineAlone(t *testing.T) {
	r := rate{least: 2 * time.Second, share: 0.05}
	for took, want := range map[time.Duration]time.Duration{time.Millisecond: 2 * time.Second, time.Second: 20 * time.Second} {
		if got := r.next(start, took).Sub(start); got != want {
			t.Errorf("after %v: again after %v, want %v", took, got, want)
		}
	}
}

// Run serves until it is told to end, and waits for nobody who listens.
func TestRunEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	create(t, dir)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, l, Options{Path: dir, Report: page, Compare: names}) }()
	answer, err := http.Get("http://" + l.Addr().String() + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	if _, err := io.ReadFull(answer.Body, make([]byte, len("event: status"))); err != nil {
		t.Fatal(err)
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := http.Get("http://" + l.Addr().String() + "/"); err == nil {
		t.Error("it still answers")
	}
}

func TestNewRefusesWhatIsNotThere(t *testing.T) {
	if _, err := New(t.Context(), Options{Path: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
