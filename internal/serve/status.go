package serve

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// state is what goes on with a campaign, as far as its files tell.
type state string

const (
	measuring   state = "measuring"   // a run holds the lock
	complete    state = "complete"    // nothing is left to be measured
	interrupted state = "interrupted" // something is, and no run holds the lock
	unfinished  state = "unfinished"  // something is, and locks cannot be seen
	unreadable  state = "unreadable"
)

// writer is who writes the results.
type writer int

const (
	writerUnknown writer = iota // this operating system does not tell
	writerAlive
	writerGone
)

// status says how far a campaign is: one line, what else there is to know, and
// a command that goes on with it. It is what pages are sent when it changes.
type status struct {
	State    state  `json:"state"`
	Headline string `json:"headline"`
	Detail   string `json:"detail"`
	Command  string `json:"command"`
	Done     int    `json:"done"`
	Planned  int    `json:"planned"`
	// Version names the content that a page can show now.
	Version string `json:"version"`
}

// contents is what the files of a campaign say of its progress.
type contents struct {
	plan     plan.Plan
	trials   []result.Trial
	progress result.Progress // of the blocks that are needed
	pending  []plan.Trial
	stopped  int  // blocks after which an adaptive campaign ended; 0: it did not
	torn     bool // the journal's last line has no end
	created  time.Time
}

// sight is what can be seen besides: who writes, and the trial whose evidence
// is being gathered, if any.
type sight struct {
	writer writer
	now    time.Time
	begun  *result.Key
}

// statusOf says how far a campaign is whose results are in dir.
func statusOf(c contents, s sight, dir string) status {
	planned := len(c.progress.Done) + len(c.progress.Failed) + len(c.progress.Invalid) + len(c.progress.Unsupported) + len(c.progress.Missing)
	st := status{Done: planned - len(c.pending), Planned: planned}
	switch {
	case c.plan.Imported != nil:
		st.Done = planned - len(c.progress.Missing)
		st.State, st.Headline = complete, "Imported: "+prose.Plural(st.Done, "trial")
		if missing := len(c.progress.Missing); missing > 0 {
			st.Detail = fmt.Sprintf("The source lacks %s of %d.", prose.Plural(missing, "trial"), planned)
		}
	case len(c.pending) == 0:
		st.finished(c, s, dir)
	case s.writer == writerAlive:
		st.measuring(c, s)
	case s.writer == writerGone:
		st.interrupted(c, dir)
	default:
		st.State = unfinished
		st.Headline = fmt.Sprintf("%d of %s done", st.Done, prose.Plural(planned, "trial"))
		st.Detail = join("Whether a run is still writing cannot be told on this operating system.", losses(c.progress))
	}
	return st
}

func (st *status) finished(c contents, s sight, dir string) {
	st.State, st.Headline = complete, "Complete: "+prose.Plural(st.Planned, "trial")
	if s.writer == writerAlive {
		st.State, st.Headline = measuring, fmt.Sprintf("All %s are done; the run is about to end", prose.Plural(st.Planned, "trial"))
	}
	if c.stopped > 0 && c.stopped < len(c.plan.Blocks) {
		st.Detail = fmt.Sprintf("The intervals were narrow enough after %d of %d blocks.", c.stopped, len(c.plan.Blocks))
	}
	st.Detail = join(st.Detail, losses(c.progress))
	if st.State == complete && len(c.progress.Failed)+len(c.progress.Invalid) > 0 {
		st.Detail = join(st.Detail, "To measure those again:")
		st.Command = resume(c.plan, dir, " --retry-failed")
	}
}

func (st *status) measuring(c contents, s sight) {
	st.State = measuring
	st.Headline = fmt.Sprintf("Measuring: %d of %s done", st.Done, prose.Plural(st.Planned, "trial"))
	if next, rest, known := remaining(c.trials, c.pending); known {
		next = max(0, next-max(0, s.now.Sub(c.trials[len(c.trials)-1].End)))
		st.Headline += ", " + about(c.plan, next+rest) + " left"
	}
	if s.begun != nil {
		st.Detail = "Now: " + describe(*s.begun, c.plan) + "."
	} else {
		st.Detail = "Next: " + describe(result.KeyOf(c.pending[0]), c.plan) + "."
	}
	st.Detail = join(st.Detail, losses(c.progress))
}

func (st *status) interrupted(c contents, dir string) {
	st.State = interrupted
	st.Headline = fmt.Sprintf("Interrupted: %d of %s done, and no run is writing these results", st.Done, prose.Plural(st.Planned, "trial"))
	st.Detail = losses(c.progress)
	if c.torn {
		st.Detail = join(st.Detail, "The journal's last line is incomplete: the run ended while it wrote that trial, which does not count.")
	}
	carryOn := "What was measured is kept. To carry on:"
	if next, rest, known := remaining(c.trials, c.pending); known {
		carryOn = "What was measured is kept. To carry on, for " + about(c.plan, next+rest) + " more:"
	}
	st.Detail = join(st.Detail, carryOn)
	st.Command = resume(c.plan, dir, "")
}

// losses counts the trials without a result; empty if there are none.
func losses(p result.Progress) string {
	var parts []string
	for _, k := range []struct {
		list []plan.Trial
		name string
	}{{p.Failed, "failed"}, {p.Invalid, "invalid"}, {p.Unsupported, "unsupported"}} {
		if len(k.list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", len(k.list), k.name))
		}
	}
	if parts == nil {
		return ""
	}
	return "Without a result: " + strings.Join(parts, ", ") + "."
}

func describe(k result.Key, p plan.Plan) string {
	return fmt.Sprintf("block %d of %d, %s, %s", k.Block, len(p.Blocks), k.Variant, k.Cell)
}

// about says an estimated time.
func about(p plan.Plan, d time.Duration) string {
	text := "about "
	if p.Stop != nil {
		text = "at most about "
	}
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case minutes < 1:
		return "less than a minute"
	case minutes < 100:
		return fmt.Sprintf("%s%d min", text, minutes)
	}
	return fmt.Sprintf("%s%d h %d min", text, minutes/60, minutes%60)
}

// plain is what a shell takes as it is.
var plain = regexp.MustCompile(`^[A-Za-z0-9_/][A-Za-z0-9_./@:=+,-]*$`)

// resume is the command that goes on with a campaign. What the user defined is
// not kept with the results, so it has to be named again.
func resume(p plan.Plan, dir, flags string) string {
	command := "cnibench run --resume " + quoted(dir) + flags
	for _, v := range p.Variants {
		if v.Definition != "" {
			command += " --catalog …"
			break
		}
	}
	for _, c := range p.Cells {
		if c.Definition != "" {
			command += " --scenarios …"
			break
		}
	}
	return command
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// join puts two sentences behind each other.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
