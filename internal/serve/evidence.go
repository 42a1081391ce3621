package serve

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// attempt is an attempt whose evidence can be looked at.
type attempt struct {
	Link string
	result.Trial
}

// file is a file of its evidence.
type file struct {
	Link, Name string
	Size       int64
}

// texts are the endings of names of files that are shown as text.
var texts = map[string]bool{"": true, ".json": true, ".jsonl": true, ".txt": true, ".log": true, ".yaml": true, ".yml": true, ".csv": true, ".md": true, ".om": true}

// evidence serves what is below raw/: the attempts of the journal, the files of
// one, or a file. A directory that the journal does not name is not there.
func (s *server) evidence(w http.ResponseWriter, r *http.Request, c *campaign) {
	below := r.PathValue("path")
	attempts, err := c.attempts()
	if err != nil {
		s.missing(w, r, err)
		return
	}
	if below == "" {
		s.frame(w, r, http.StatusOK, "attempts", framed{Title: "Evidence", Bar: bar{Up: "../"}, Body: attempts})
		return
	}
	dir, name := path.Split(result.RawDirectory + "/" + below)
	found := false
	for _, a := range attempts {
		found = found || a.Raw == strings.TrimSuffix(dir, "/")
	}
	if !found {
		s.missing(w, r, errors.New("the journal has no such attempt"))
		return
	}
	root, err := c.place.open()
	if err != nil {
		s.missing(w, r, err)
		return
	}
	defer func() { _ = root.Close() }() // only read from
	if name == "" {
		s.files(w, r, root, strings.TrimSuffix(dir, "/"))
		return
	}
	s.file(w, r, root, dir+name)
}

func (s *server) missing(w http.ResponseWriter, r *http.Request, err error) {
	s.problem(w, r, http.StatusNotFound, problem{Title: "There is no such evidence", Text: err.Error()})
}

// attempts lists those of the journal whose evidence is where it belongs.
func (c *campaign) attempts() ([]attempt, error) {
	if seen := c.look(); seen.problem != nil {
		return nil, seen.problem
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []attempt
	for _, t := range c.read.contents.trials {
		if t.Raw == result.RawPath(t.Key(), t.Attempt) && t.Voids == 0 {
			list = append(list, attempt{strings.TrimPrefix(t.Raw, result.RawDirectory+"/") + "/", t})
		}
	}
	return list, nil
}

// files lists those of one attempt.
func (s *server) files(w http.ResponseWriter, r *http.Request, root *os.Root, dir string) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		s.missing(w, r, err)
		return
	}
	var list []file
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			list = append(list, file{"./" + url.PathEscape(e.Name()), e.Name(), info.Size()})
		}
	}
	s.frame(w, r, http.StatusOK, "files", framed{Title: dir, Bar: bar{Up: "../../../../"}, Body: map[string]any{"Dir": dir, "Files": list}})
}

// file sends one as it is, as what a browser neither interprets nor runs.
func (s *server) file(w http.ResponseWriter, r *http.Request, root *os.Root, name string) {
	f, err := regular{root}.Open(name)
	if err != nil {
		s.missing(w, r, err)
		return
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		s.missing(w, r, err)
		return
	}
	content, ok := f.(io.ReadSeeker)
	if !ok || info.IsDir() {
		s.missing(w, r, fmt.Errorf("%s is no file", name))
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", "application/octet-stream")
	if texts[path.Ext(name)] {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	http.ServeContent(w, r, path.Base(name), info.ModTime(), content)
}
