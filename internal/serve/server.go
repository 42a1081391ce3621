package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/cnibench/cnibench/internal/result"
)

const (
	// pollEvery is how often files are looked at while somebody watches.
	pollEvery = time.Second
	// mostConnections are served at once, and mostStreams of them may wait for
	// changes.
	mostConnections = 256
	mostStreams     = 64
	// mostPages are kept in memory.
	mostPages = 8
	// patience is how long answers in progress may take when the server ends.
	patience = 3 * time.Second
)

// Options are what is served and how.
type Options struct {
	// Path is a results directory, or a directory of results directories.
	Path string
	// Report writes the report of a campaign as a page, the same as in a file.
	Report func(io.Writer, *result.Dir) error
	// Scripts are the sources of a content security policy, such as
	// 'sha256-…', for the scripts that the report itself has.
	Scripts []string
	// Compare writes a comparison of two campaigns as text.
	Compare func(w io.Writer, first, second *result.Dir) error
	// Names are host names that the server goes by besides localhost.
	Names []string
	// Log gets a line for each fault of the server itself; nil: nobody does.
	Log io.Writer

	rate  rate             // zero: that of a machine which may be measuring
	clock func() time.Time // nil: time.Now
}

// server is the one that New makes.
type server struct {
	Options
	many    bool // Path holds results directories
	busy    sync.Mutex
	streams chan struct{}

	mu        sync.Mutex
	campaigns map[string]*campaign
	recent    []*campaign // with a report, the last one last
}

// Check tells why Path cannot be served; what is in it may come and go.
func (o Options) Check() error {
	root, err := os.OpenRoot(o.Path)
	if err != nil {
		return fmt.Errorf("serving results: %w", err)
	}
	return root.Close()
}

// New returns a handler that serves Path. It fails when there is no such
// directory; what is in it may come and go. Streams of events end with ctx.
func New(ctx context.Context, o Options) (http.Handler, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("serving results: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("serving results: %w", err)
	}
	o.Path = path
	if o.clock == nil {
		o.clock = time.Now
	}
	if o.rate == (rate{}) {
		o.rate = rate{least: 2 * time.Second, share: 0.05}
	}
	s := &server{Options: o, many: !isResults(root), streams: make(chan struct{}, mostStreams), campaigns: map[string]*campaign{}}
	if err := root.Close(); err != nil {
		return nil, fmt.Errorf("serving results: %w", err)
	}
	return guard(lower(o.Names), policy(o.Scripts), s.routes(ctx)), nil
}

// routes are the paths that there are. Those of a campaign are the same below
// / and below /c/NAME/.
func (s *server) routes(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live.js", serveScript)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.problem(w, r, http.StatusNotFound, problem{Title: "There is no such page", Text: "Nothing is at this address.", Up: "/"})
	})
	prefix := "/"
	if s.many {
		prefix = "/c/{name}/"
		mux.HandleFunc("GET /{$}", s.overview)
		mux.HandleFunc("GET /compare", s.compare)
		mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
			s.stream(ctx, w, r, func() status { return s.list().status() })
		})
	}
	mux.HandleFunc("GET "+prefix+"{$}", s.with(s.campaign))
	mux.HandleFunc("GET "+prefix+"raw/{path...}", s.with(s.evidence))
	mux.HandleFunc("GET "+prefix+"events", s.with(func(w http.ResponseWriter, r *http.Request, c *campaign) {
		s.stream(ctx, w, r, func() status { return c.look().status })
	}))
	return mux
}

// with finds the campaign that a request is about.
func (s *server) with(answer func(http.ResponseWriter, *http.Request, *campaign)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := s.find(r.PathValue("name"))
		if c == nil {
			s.problem(w, r, http.StatusNotFound, problem{
				Title: "There is no such campaign", Text: fmt.Sprintf("%s has no directory %q.", s.Path, r.PathValue("name")), Up: "/",
			})
			return
		}
		answer(w, r, c)
	}
}

// find returns the campaign of a name; nil if there never was one. One whose
// directory has gone is found: it says so.
func (s *server) find(name string) *campaign {
	if s.many != (name != "") || name == "." || name == ".." || strings.ContainsAny(name, `/\`) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.campaigns[name]; c != nil {
		return c
	}
	p := place{s.Path, name}
	if _, err := os.Lstat(p.path()); s.many && err != nil {
		return nil
	}
	c := &campaign{place: p, report: s.Report, busy: &s.busy, rate: s.rate, clock: s.clock}
	s.campaigns[name] = c
	return c
}

// rendered returns a campaign's report and keeps a few of them.
func (s *server) rendered(c *campaign) rendering {
	page := c.render()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.recent {
		if other == c {
			s.recent = append(s.recent[:i], s.recent[i+1:]...)
			break
		}
	}
	if s.recent = append(s.recent, c); len(s.recent) > mostPages {
		s.recent[0].forget()
		s.recent = s.recent[1:]
	}
	return page
}

func (s *server) log(format string, args ...any) {
	if s.Log != nil {
		_, _ = fmt.Fprintf(s.Log, format+"\n", args...) // nobody can be told that this failed
	}
}

// Run serves on a listener until ctx ends, and returns when all connections are
// closed.
func Run(ctx context.Context, l net.Listener, o Options) error {
	streams, end := context.WithCancel(ctx)
	defer end()
	handler, err := New(streams, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	faults := io.Discard
	if o.Log != nil {
		faults = o.Log
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      2 * time.Minute, // streams have their own for each event
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(faults, "cnibench: serve: ", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, mostConnections)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving results: %w", err)
	case <-ctx.Done():
	}
	end()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return errors.Join(server.Close(), ignoreTimeout(err))
	}
	return nil
}

// ignoreTimeout is for answers that are cut off: whoever ended the server knows.
func ignoreTimeout(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

func lower(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, strings.ToLower(name))
	}
	return list
}
