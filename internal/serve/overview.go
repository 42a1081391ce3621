package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// mostListed is how many entries of a directory are looked at.
const mostListed = 2000

// entry is one line of the list of campaigns.
type entry struct {
	Name     string
	Link     string
	Campaign string // as its plan calls it
	When     string
	Variants string
	Cells    int
	Status   status
	Broken   string // why it cannot be read; empty: it can
	version  string
}

// listing is what a directory of results directories holds.
type listing struct {
	Path    string
	Entries []entry
	Others  int    // directories that hold no results
	Cut     bool   // there are more entries than are looked at
	Problem string // why nothing is listed
}

// list looks at all campaigns of the directory, by name.
func (s *server) list() listing {
	all := listing{Path: s.Path}
	root, err := os.OpenRoot(s.Path)
	if err != nil {
		all.Problem = err.Error()
		return all
	}
	defer func() { _ = root.Close() }() // only read from
	files, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		all.Problem = err.Error()
		return all
	}
	if all.Cut = len(files) > mostListed; all.Cut {
		files = files[:mostListed]
	}
	for _, f := range files {
		if !f.IsDir() && f.Type()&fs.ModeSymlink == 0 || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		e, ok := s.entry(root, f.Name())
		switch {
		case ok:
			all.Entries = append(all.Entries, e)
		case f.IsDir():
			all.Others++
		}
	}
	return all
}

// entry looks at one campaign; false if it is none.
func (s *server) entry(root *os.Root, name string) (entry, bool) {
	e := entry{Name: name, Link: "/c/" + url.PathEscape(name) + "/"}
	sub, err := below(root, name)
	if err != nil {
		e.Broken = err.Error()
		e.version = digest(e.Broken)
		return e, !errors.Is(err, fs.ErrNotExist) && !isFile(root, name)
	}
	is := isResults(sub)
	_ = sub.Close() // only looked at
	c := s.find(name)
	if !is || c == nil {
		return e, false
	}
	seen := c.look()
	e.Status, e.version = seen.status, seen.version
	if seen.problem != nil {
		e.Broken = seen.problem.Error()
		return e, true
	}
	e.describe(c)
	return e, true
}

// isFile tells whether a link leads to a file.
func isFile(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && !info.IsDir()
}

func (e *entry) describe(c *campaign) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.read.contents
	e.Campaign, e.Cells = read.plan.Name, len(read.plan.Cells)
	var names []string
	for _, v := range read.plan.Variants {
		names = append(names, v.Name)
	}
	e.Variants = strings.Join(names, ", ")
	when := read.created
	if when.IsZero() && len(read.trials) > 0 {
		when = read.trials[0].Start
	}
	if !when.IsZero() {
		e.When = when.UTC().Format(time.DateTime)
	}
}

// status sums a list up.
func (l listing) status() status {
	var b strings.Builder
	measured := 0
	fmt.Fprintf(&b, "%s %d %t\n", l.Problem, l.Others, l.Cut)
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "%q %s %s %d %d\n", e.Name, e.version, e.Status.State, e.Status.Done, e.Status.Planned)
		if e.Status.State == measuring {
			measured++
		}
	}
	st := status{State: complete, Headline: prose.Plural(len(l.Entries), "campaign") + " in " + l.Path, Version: digest(b.String())}
	if measured > 0 {
		st.State = measuring
		st.Headline += fmt.Sprintf(", %d being measured", measured)
	}
	if l.Problem != "" {
		st.State, st.Headline, st.Detail = unreadable, l.Path+" cannot be read", l.Problem
	}
	return st
}

// overview shows the list.
func (s *server) overview(w http.ResponseWriter, r *http.Request) {
	all := s.list()
	st := all.status()
	code := http.StatusOK
	if all.Problem != "" {
		code = http.StatusServiceUnavailable
	}
	s.frame(w, r, code, "overview", framed{Title: "Campaigns", Bar: bar{Status: st, Shown: st.Version}, Body: all})
}

// compare shows two campaigns compared.
func (s *server) compare(w http.ResponseWriter, r *http.Request) {
	first, second := s.find(r.FormValue("first")), s.find(r.FormValue("second"))
	if first == nil || second == nil || first == second {
		s.problem(w, r, http.StatusBadRequest, problem{Title: "Choose two campaigns", Text: "A comparison needs a first and a second campaign of the list.", Up: "/"})
		return
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	var b bytes.Buffer
	err := safely(func() error {
		return first.place.use(func(_ *os.Root, a *result.Dir) error {
			return second.place.use(func(_ *os.Root, z *result.Dir) error { return s.Compare(&b, a, z) })
		})
	})
	if err != nil {
		s.problem(w, r, http.StatusServiceUnavailable, problem{Title: "These two cannot be compared", Text: err.Error(), Up: "/"})
		return
	}
	title := fmt.Sprintf("%s and %s", first.place.name, second.place.name)
	s.frame(w, r, http.StatusOK, "compare", framed{Title: title, Bar: bar{Up: "/"}, Body: map[string]string{
		"Title": title, "Text": b.String(), "Command": "cnibench compare " + quoted(first.place.path()) + " " + quoted(second.place.path()),
	}})
}
