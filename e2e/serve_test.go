//go:build e2e

package e2e

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cnibench/cnibench/internal/chromium"
)

// A real browser watches a campaign: it appears in the list, a cell of its
// report fills, and a run that was killed is called interrupted, all without a
// reload. The run is stopped while the browser looks, however slow that is.
func TestServe(t *testing.T) {
	leavesNothing(t)
	parent, address := t.TempDir(), freeAddress(t)
	serve := start(t, "serve", parent, "--listen", address)
	home := "http://" + address + "/"
	eventually(t, "the server", func() bool {
		if !serve.running() {
			t.Fatalf("it ended: %s", serve.wait().stderr)
		}
		answer, err := http.Get(home)
		return err == nil && answer.Body.Close() == nil
	})
	wantLowPriority(t, serve.cmd.Process.Pid)
	browser := chromium.Start(t)
	list := browser.Open(home)
	awaitText(t, list, "main", "No directory here holds results yet")
	list.Evaluate("window.stayed = true", nil)

	dir := filepath.Join(parent, "watched")
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 0s}]
  blocks: 4
  freshCluster: false
`))
	eventually(t, "results", func() bool {
		if !c.running() {
			t.Fatalf("the run ended before:\n%s", c.wait().stderr)
		}
		_, err := os.Stat(filepath.Join(dir, "environment.json"))
		return err == nil
	})
	c.signal(syscall.SIGSTOP)
	awaitText(t, list, "main", "measuring, 0 of 4")
	wantWatched(t, list, home)

	page := browser.Open(home + "c/watched/")
	awaitText(t, page, "#live", "Measuring: 0 of 4 trials done")
	awaitText(t, page, "main", "No trial of this cell has a result.")
	page.Evaluate("window.stayed = true", nil)
	c.signal(syscall.SIGCONT)
	awaitLoad(t, c, dir, 2)
	c.signal(syscall.SIGSTOP)
	awaitText(t, page, "#live", "of 4 trials done, ")
	eventually(t, "the cell to fill", func() bool {
		return !strings.Contains(textOf(page, "main"), "No trial of this cell has a result.")
	})
	if text := textOf(page, "#live"); !strings.Contains(text, "Measuring: ") {
		t.Errorf("while the run is stopped the bar says\n%s", text)
	}
	done := len(journal(t, dir))

	c.signal(syscall.SIGKILL)
	c.wait()
	awaitText(t, page, "#live", "Interrupted: ")
	text := textOf(page, "#live")
	if !strings.Contains(text, "cnibench run --resume "+dir) || done == 0 {
		t.Errorf("after %d trials and a kill the bar says\n%s", done, text)
	}
	wantWatched(t, page, home)
	mustRun(t, "cleanup")

	serve.signal(syscall.SIGINT)
	if o := serve.wait(); o.status != 0 || o.stdout != home+"\n" {
		t.Errorf("the server ends with %d, prints %q and says\n%s", o.status, o.stdout, o.stderr)
	}
}

// wantLowPriority wants every thread of a process to let others go first.
func wantLowPriority(t testing.TB, pid int) {
	t.Helper()
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads: %v", err)
	}
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			t.Fatal(err)
		}
		// The name, which may hold anything, ends with the last bracket; the
		// priority is the 17th field after it (proc(5)).
		_, rest, _ := strings.Cut(string(stat), ") ")
		if nice := strings.Fields(rest)[16]; nice != "19" {
			t.Errorf("%s: nice %s", file, nice)
		}
	}
}

func textOf(p *chromium.Page, selector string) (text string) {
	p.Evaluate("document.querySelector('"+selector+"').textContent", &text)
	return text
}

func awaitText(t testing.TB, p *chromium.Page, selector, text string) {
	t.Helper()
	eventually(t, text, func() bool { return strings.Contains(textOf(p, selector), text) })
}

// wantWatched fails unless a page is the one that was opened, without errors,
// and has asked nobody but its server.
func wantWatched(t testing.TB, p *chromium.Page, home string) {
	t.Helper()
	stayed := false
	if p.Evaluate("window.stayed === true", &stayed); !stayed {
		t.Error("the page was loaded anew")
	}
	for _, problem := range p.Problems() {
		if !strings.HasPrefix(problem, "request for "+home) {
			t.Errorf("the browser says: %s", problem)
		}
	}
}
