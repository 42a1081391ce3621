package serve

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

const (
	// mostTrials is what a plan may ask for; cnibench refuses to make a larger
	// one.
	mostTrials = 1_000_000
	// lookedFor is how many of the next trials may be the one under way. There
	// are several because a run may leave out some that are pending.
	lookedFor = 200
)

// campaign is one results directory that is looked at again and again.
type campaign struct {
	place  place
	report func(io.Writer, *result.Dir) error
	busy   *sync.Mutex // one report is made at a time
	rate   rate
	clock  func() time.Time

	mu   sync.Mutex
	last look
	read reading
	page rendering

	making sync.Mutex // held while its report is made
}

// look is what was seen at one moment.
type look struct {
	at      time.Time
	version string // changes with the files; never empty
	status  status
	problem error // why there is nothing to read
	created time.Time
}

// reading is what was in the files when they were of some version.
type reading struct {
	version  string
	contents contents
	problem  error
	again    time.Time // not read again before
}

// rendering is the report made of files of some version.
type rendering struct {
	version string
	body    []byte
	problem error
	again   time.Time
}

// rate bounds how often something is done that takes time: at most once in a
// while, and so seldom that it takes a small share of one core. What runs on
// this machine may be a measurement.
type rate struct {
	least time.Duration
	share float64 // of one core; 0: any
}

// next is when something that took so long may be done again.
func (r rate) next(end time.Time, took time.Duration) time.Time {
	wait := r.least
	if r.share > 0 {
		wait = max(wait, time.Duration(float64(took)/r.share))
	}
	return end.Add(wait)
}

// look sees how the campaign is now, or was a moment ago.
func (c *campaign) look() look {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	if age := now.Sub(c.last.at); c.last.version != "" && age >= 0 && age < pollEvery/2 {
		return c.last
	}
	c.last = look{at: now}
	err := safely(func() error { return c.place.use(c.refresh) })
	if err != nil {
		c.last = look{
			at: now, version: digest(err.Error()), problem: err,
			status: status{State: unreadable, Headline: "These results cannot be read"},
		}
	}
	c.last.status.Version = c.announced()
	return c.last
}

// refresh fills in what is seen in an open directory.
func (c *campaign) refresh(root *os.Root, d *result.Dir) error {
	marks := ""
	newest := time.Time{}
	for _, name := range []string{result.PlanFile, result.EnvironmentFile, result.JournalFile} {
		info, err := root.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at results: %w", err)
		}
		marks += fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	c.last.version = digest(marks)
	if c.last.version != c.read.version && !c.last.at.Before(c.read.again) {
		c.read = c.readContents(d)
	}
	if c.read.problem != nil {
		return c.read.problem
	}
	s := sight{now: c.last.at, writer: writerOf(d)}
	if s.writer == writerAlive {
		s.begun = begun(root, c.read.contents, newest)
	}
	c.last.status = statusOf(c.read.contents, s, c.place.path())
	c.last.created = c.read.contents.created
	return nil
}

func (c *campaign) readContents(d *result.Dir) reading {
	begin := time.Now()
	r := reading{version: c.last.version}
	r.contents, r.problem = readContents(d)
	r.again = c.rate.next(c.last.at, time.Since(begin))
	return r
}

func readContents(d *result.Dir) (contents, error) {
	p, err := d.Plan()
	if err != nil {
		return contents{}, err
	}
	asked := 0
	for _, b := range p.Blocks {
		asked += len(b.Order) * len(b.Cells)
	}
	if asked > mostTrials {
		return contents{}, fmt.Errorf("the plan asks for %d trials, more than %d", asked, mostTrials)
	}
	journal, err := d.Journal()
	if err != nil {
		return contents{}, err
	}
	c := contents{plan: p, trials: journal.Trials, torn: len(journal.Warnings) > 0}
	if env, err := d.Environment(); err == nil { // not written yet, or said by the report
		c.created = env.Created
	}
	stopped, err := analysis.StoppedAt(p, c.trials)
	if err != nil {
		return contents{}, err
	}
	needed := p
	if stopped != nil {
		c.stopped = stopped.Blocks
		needed.Blocks = nil
		for _, b := range p.Blocks {
			if b.Index <= stopped.Blocks {
				needed.Blocks = append(needed.Blocks, b)
			}
		}
	}
	if c.progress, err = result.ProgressOf(needed, c.trials); err != nil {
		return contents{}, err
	}
	c.pending = c.progress.Pending(needed, false)
	return c, nil
}

func writerOf(d *result.Dir) writer {
	writing, err := d.Writing()
	switch {
	case err != nil:
		return writerUnknown
	case writing:
		return writerAlive
	}
	return writerGone
}

// begun finds the trial under way: the pending one whose evidence has a
// directory that was made after everything else was written.
func begun(root *os.Root, c contents, newest time.Time) *result.Key {
	attempts := map[result.Key]int{}
	for _, t := range c.trials {
		attempts[t.Key()] = max(attempts[t.Key()], t.Attempt)
	}
	for _, p := range c.pending[:min(len(c.pending), lookedFor)] {
		key := result.KeyOf(p)
		info, err := root.Stat(result.RawPath(key, attempts[key]+1))
		if err == nil && info.IsDir() && !info.ModTime().Before(newest) {
			return &key
		}
	}
	return nil
}

// announced is the version that a page would get now: not the newest one as
// long as it is too early to make a report of it.
func (c *campaign) announced() string {
	if c.last.problem != nil || c.page.version == "" || !c.last.at.Before(c.page.again) {
		return c.last.version
	}
	return c.page.version
}

// render makes the report, or returns the last one if nothing has changed or it
// is too early for another. Its error is for the reader.
func (c *campaign) render() rendering {
	c.making.Lock()
	defer c.making.Unlock()
	seen := c.look()
	if seen.problem != nil {
		return rendering{version: seen.version, problem: seen.problem}
	}
	c.mu.Lock()
	page := c.page
	c.mu.Unlock()
	if page.version == seen.version || page.version != "" && seen.at.Before(page.again) {
		return page
	}
	c.busy.Lock()
	defer c.busy.Unlock()
	begin := time.Now()
	var b bytes.Buffer
	err := safely(func() error {
		return c.place.use(func(_ *os.Root, d *result.Dir) error { return c.report(&b, d) })
	})
	page = rendering{version: seen.version, body: b.Bytes(), problem: err, again: c.rate.next(c.clock(), time.Since(begin))}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.page = page
	c.last.status.Version = c.announced()
	return page
}

// forget drops the report, which may be large.
func (c *campaign) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.page = rendering{}
}

// safely calls a function on files that anybody may have written. A fault of
// ours that they find ends the answer and not the server.
func safely(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault of cnibench: %v", fault)
		}
	}()
	return f()
}

// digest is short and the same for the same text.
func digest(text string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text) // never fails
	return fmt.Sprintf("%016x", h.Sum64())
}
