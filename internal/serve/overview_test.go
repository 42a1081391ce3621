package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/result"
)

// A directory of campaigns: running, complete, broken, and things that are no
// campaigns.
func TestOverview(t *testing.T) {
	parent := t.TempDir()
	s := serve(t, parent)
	s.want("/", http.StatusOK, "No directory here holds results yet", "cnibench run --out "+parent+"/NAME")

	running := create(t, filepath.Join(parent, "running"))
	running.measure(2)
	done := create(t, filepath.Join(parent, "done & <b>dusted"))
	done.measure(6)
	done.end()
	broken := create(t, filepath.Join(parent, "broken"))
	broken.end()
	write(t, filepath.Join(parent, "broken", result.JournalFile), "nonsense\n")
	half := filepath.Join(parent, "half")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(half, result.JournalFile), "")
	if err := os.Mkdir(filepath.Join(parent, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(parent, "notes.txt"), "no campaign")
	outside := create(t, filepath.Join(t.TempDir(), "outside"))
	outside.end()
	if err := os.Symlink(outside.Path(), filepath.Join(parent, "outside")); err != nil {
		t.Fatal(err)
	}

	body := s.want("/", http.StatusOK,
		"5 campaigns in "+parent+", 1 being measured", "host, flannel-vxlan", "2026-11-02 08:00:00",
		"measuring, 2 of 6", "complete, 6 of 6", "trials.jsonl:1: not a trial", "half is not a results directory: it has no plan.json",
		"path escapes", "Directories without results: 1")
	if strings.Contains(body, "<b>dusted") {
		t.Error("the name of a directory is markup")
	}
	s.want("/c/running/", http.StatusOK, "Measuring: 2 of 6", "All campaigns")
	s.want("/c/done%20&%20%3Cb%3Edusted/", http.StatusOK, "Complete: 6 trials")
	s.want("/c/broken/", http.StatusServiceUnavailable, "trials.jsonl:1: not a trial")
	s.want("/c/outside/", http.StatusServiceUnavailable, "path escapes")
	s.want("/c/running/raw/1/host/tcp-pod-single/1/client.json", http.StatusOK, "made up")
	for _, path := range []string{"/c/none/", "/c/../", "/c/%2e%2e/", "/c/..%2f..%2fetc/", "/c//", "/raw/"} {
		if code, _ := s.get(path); code == http.StatusOK {
			t.Errorf("GET %s: status %d", path, code)
		}
	}
}

func TestCompare(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"monday", "tuesday"} {
		c := create(t, filepath.Join(parent, name))
		c.measure(6)
		c.end()
	}
	s := serve(t, parent)
	body := s.want("/compare?first=monday&second=tuesday", http.StatusOK, "monday <with> tuesday", "cnibench compare "+parent+"/monday "+parent+"/tuesday")
	if strings.Contains(body, "<with>") {
		t.Error("a comparison is markup")
	}
	for _, query := range []string{"", "?first=monday", "?first=monday&second=monday", "?first=monday&second=..", "?first=monday&second=wednesday"} {
		s.want("/compare"+query, http.StatusBadRequest, "Choose two campaigns")
	}
}

// The list learns of campaigns that begin, go on and disappear.
func TestOverviewEvents(t *testing.T) {
	parent := t.TempDir()
	s := serve(t, parent, func(o *Options) { o.clock, o.rate = time.Now, rate{least: time.Nanosecond} })
	events := s.listen("/events")
	none := await(t, events, "an empty list", func(st status) bool { return strings.HasPrefix(st.Headline, "0 campaigns") })
	c := create(t, filepath.Join(parent, "one"))
	begun := await(t, events, "a campaign", func(st status) bool { return st.State == measuring && st.Version != none.Version })
	c.measure(1)
	await(t, events, "a trial", func(st status) bool { return st.Version != begun.Version && st.State == measuring })
	if err := os.RemoveAll(filepath.Join(parent, "one")); err != nil {
		t.Fatal(err)
	}
	await(t, events, "its end", func(st status) bool { return strings.HasPrefix(st.Headline, "0 campaigns") })
}
