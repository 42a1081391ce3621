package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/run"
)

// progress shows what a long command is doing: one changing line on a
// terminal, plain lines elsewhere, or JSON events.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	start    time.Time
	terminal bool
	json     bool
	status   string // on the terminal's last line

	measured     time.Time // when measuring began
	ended        int       // trials since then
	adaptive     bool      // the run may end before its last block
	lastSupplied string
}

func newProgress(w io.Writer, asJSON bool) *progress {
	f, isFile := w.(*os.File)
	return &progress{w: w, start: time.Now(), json: asJSON, terminal: !asJSON && isFile && term.IsTerminal(int(f.Fd()))}
}

// line prints for good.
func (p *progress) line(text string) {
	p.clear()
	_, _ = fmt.Fprintf(p.w, "%6.1fs  %s\n", time.Since(p.start).Seconds(), text)
}

// change replaces the status on a terminal and prints nothing elsewhere.
func (p *progress) change(text string) {
	if !p.terminal {
		return
	}
	p.clear()
	p.status = text
	_, _ = fmt.Fprint(p.w, text)
}

func (p *progress) clear() {
	if p.status != "" {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.status = ""
	}
}

// close removes the status line.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// supply shows how the lab's programs are built. A plain log gets a line per
// step and, for a long step, one now and then.
func (p *progress) supply(s supply.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		_ = json.NewEncoder(p.w).Encode(map[string]any{"event": "supply", "at": time.Now().UTC(), "step": s.Step, "done": s.Done, "total": s.Total, "text": s.String()})
		return
	}
	p.change(s.String())
	mark := fmt.Sprintf("%s %t %d", s.Step, s.Finished, int(s.Elapsed.Seconds())/15)
	if !p.terminal && mark != p.lastSupplied || s.Finished {
		p.line(s.String())
	}
	p.lastSupplied = mark
}

// steps shows the steps of one cluster that comes up.
func (p *progress) steps(name string) func(string) {
	return func(step string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.line(name + ": " + step)
	}
}

// plan shows what is about to run.
func (p *progress) plan(pl plan.Plan, pending []plan.Trial, dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.measured = time.Now()
	p.adaptive = pl.Stop != nil
	if p.json {
		_ = json.NewEncoder(p.w).Encode(map[string]any{"event": "plan", "at": p.measured.UTC(), "hash": pl.Hash, "pending": len(pending), "dir": dir})
		return
	}
	p.line(fmt.Sprintf("campaign %s: %s%d trials to measure, results in %s", pl.Name, p.atMost(), len(pending), dir))
}

// event shows what happens during a run.
func (p *progress) event(e run.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Kind == run.TrialEnded {
		p.ended++
	}
	if p.json {
		_ = json.NewEncoder(p.w).Encode(e)
		return
	}
	switch e.Kind {
	case run.BlockRepeated:
		p.line(e.Step + "; the block is invalid and measured again")
	case run.BlockDropped:
		p.line(e.Step + "; the block is invalid again and is dropped")
	case run.Stopped:
		p.line(e.Step)
	case run.StepBegun, run.Troubled:
		p.line(e.Variant + ": " + e.Step)
	case run.TrialBegun:
		p.change(fmt.Sprintf("block %d  %s  %s  measuring …%s", e.Trial.Block, e.Variant, e.Trial.Cell, p.left(e)))
	case run.TrialEnded:
		p.line(fmt.Sprintf("%*d/%d  block %d  %-16s %-20s %s%s", len(fmt.Sprint(e.Total)), e.Done, e.Total, e.Trial.Block, e.Variant, e.Trial.Cell, outcome(*e.Trial), p.left(e)))
	}
}

func outcome(t result.Trial) string {
	if t.Status != result.OK {
		return fmt.Sprintf("%s: %s", t.Status, firstLine(t.Reason))
	}
	v := t.Values[0]
	if v.Unit == "bit/s" {
		return fmt.Sprintf("%.2f Gbit/s", v.Value/1e9)
	}
	return fmt.Sprintf("%s %.4g %s", v.Name, v.Value, v.Unit)
}

// left estimates the rest from the pace so far. A block that is measured again
// makes it longer, not the pace slower.
func (p *progress) left(e run.Event) string {
	if p.ended < 1 || e.Done == e.Total {
		return ""
	}
	pace := time.Since(p.measured) / time.Duration(p.ended)
	return fmt.Sprintf("  (%s%s left)", p.about(), (pace * time.Duration(e.Total-e.Done)).Round(time.Second))
}

// about says that a time is an estimate.
func (p *progress) about() string {
	if p.adaptive {
		return "at most about "
	}
	return "about "
}

// atMost says that a number need not be reached.
func (p *progress) atMost() string {
	if p.adaptive {
		return "at most "
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
