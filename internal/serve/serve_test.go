package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// The campaigns of these tests are made up; nobody measured their figures.

var start = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// small is two variants, one cell, three blocks.
func small(t testing.TB) plan.Plan {
	t.Helper()
	p, err := plan.Seal(plan.Plan{
		Schema: plan.SchemaVersion, Name: "small", Seed: 1,
		Cluster:  plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}},
		Variants: []plan.Variant{{Name: "host", Entry: "host"}, {Name: "flannel-vxlan", Entry: "flannel-vxlan"}},
		Cells:    []plan.Cell{{ID: "tcp-pod-single", Scenario: "tcp-pod-single", Parameters: parameter.Values{"placement": "cross-node"}}},
		Blocks: []plan.Block{
			{Index: 1, Order: []string{"host", "flannel-vxlan"}, Cells: []string{"tcp-pod-single"}},
			{Index: 2, Order: []string{"flannel-vxlan", "host"}, Cells: []string{"tcp-pod-single"}},
			{Index: 3, Order: []string{"host", "flannel-vxlan"}, Cells: []string{"tcp-pod-single"}},
		},
		Analysis: plan.Analysis{Base: "host", Primary: []string{"tcp-pod-single/throughput"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trial is the made-up first attempt at the planned trial of that number,
// from 0. A minute lies between two of them, half of it measured.
func trial(p plan.Plan, number int) result.Trial {
	planned := p.Trials()[number]
	begun := start.Add(time.Duration(number) * time.Minute)
	key := result.KeyOf(planned)
	return result.Trial{
		Schema: result.SchemaVersion, Block: key.Block, Position: planned.Position, Variant: key.Variant, Cell: key.Cell,
		Scenario: planned.Cell.Scenario, Attempt: 1, Status: result.OK, Start: begun, End: begun.Add(30 * time.Second),
		Window: &result.Window{Start: begun, End: begun.Add(10 * time.Second)}, Raw: result.RawPath(key, 1),
		Values: []result.Value{{
			Metric: result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03},
			Value:  float64(20+number) * 1e9,
		}},
	}
}

// campaigned is a results directory that a run writes.
type campaigned struct {
	t *testing.T
	*result.Writer
	plan plan.Plan
	next int
}

func create(t *testing.T, dir string) *campaigned {
	t.Helper()
	p := small(t)
	w, err := result.Create(dir, []byte("kind: Campaign\n"), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // may be closed before
	c := &campaigned{t: t, Writer: w, plan: p}
	if err := w.WriteEnvironment(result.Environment{Schema: result.SchemaVersion, Created: start, Topology: "lab"}); err != nil {
		t.Fatal(err)
	}
	return c
}

// measure appends the next trials, with a file of evidence.
func (c *campaigned) measure(trials int) {
	c.t.Helper()
	for range trials {
		next := trial(c.plan, c.next)
		dir, _, err := c.MakeRaw(next.Key(), 1)
		if err != nil {
			c.t.Fatal(err)
		}
		write(c.t, filepath.Join(dir, "client.json"), `{"made up": true}`)
		if err := c.Append(next); err != nil {
			c.t.Fatal(err)
		}
		c.next++
	}
}

// end releases the lock, as the end of a run does in any way.
func (c *campaigned) end() {
	c.t.Helper()
	if err := c.Close(); err != nil {
		c.t.Fatal(err)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// page writes the report of the command line, without what it takes from raw/.
func page(w io.Writer, d *result.Dir) error {
	p, err := d.Plan()
	if err != nil {
		return err
	}
	journal, err := d.Journal()
	if err != nil {
		return err
	}
	env, err := d.Environment()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	a, err := analysis.Analyze(p, journal.Trials, env)
	if err != nil {
		return err
	}
	return report.HTML(w, report.Source{Analysis: a, Environment: env})
}

// names writes what was compared.
func names(w io.Writer, first, second *result.Dir) error {
	_, err := fmt.Fprintf(w, "%s <with> %s", filepath.Base(first.Path()), filepath.Base(second.Path()))
	return err
}

// watch is a clock that tests put forward. Files have the time of the machine.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func (w *watch) read() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watch) forward(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// served is a server of a directory.
type served struct {
	t *testing.T
	*httptest.Server
	clock *watch
}

func serve(t *testing.T, path string, change ...func(*Options)) *served {
	t.Helper()
	clock := &watch{now: start}
	o := Options{Path: path, Report: page, Compare: names, rate: rate{least: 1}, clock: clock.read}
	for _, f := range change {
		f(&o)
	}
	ctx, end := context.WithCancel(t.Context())
	handler, err := New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t, httptest.NewServer(handler), clock}
	t.Cleanup(s.Close)
	t.Cleanup(end) // first, so that streams end
	return s
}

// get asks as a reader a while after the last one does.
func (s *served) get(path string) (int, string) {
	s.t.Helper()
	s.clock.forward(time.Minute)
	code, body, _ := s.ask(http.MethodGet, path, nil)
	return code, body
}

func (s *served) ask(method, path string, header http.Header) (int, string, http.Header) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

// want fails unless a page has a status and, in its text, all of the words.
func (s *served) want(path string, code int, words ...string) string {
	s.t.Helper()
	got, body := s.get(path)
	if got != code {
		s.t.Errorf("GET %s: status %d, want %d\n%s", path, got, code, body)
	}
	for _, word := range words {
		if !strings.Contains(html.UnescapeString(body), word) {
			s.t.Errorf("GET %s does not say %q:\n%.3000s", path, word, body)
		}
	}
	return body
}

// listen returns the statuses that a page is sent.
func (s *served) listen(path string) <-chan status {
	s.t.Helper()
	answer, err := http.Get(s.URL + path)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "text/event-stream" {
		s.t.Fatalf("GET %s: %s, %s", path, answer.Status, kind)
	}
	events := make(chan status, 100)
	go func() {
		defer close(events)
		defer func() { _ = answer.Body.Close() }() // only read from
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			var st status
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &st) == nil {
				events <- st
			}
		}
	}()
	return events
}

// await waits for a status of which something holds.
func await(t *testing.T, events <-chan status, what string, holds func(status) bool) status {
	t.Helper()
	var last status
	limit := time.After(2 * time.Minute) // far beyond what any machine needs
	for {
		select {
		case st, ok := <-events:
			if !ok {
				t.Fatalf("the stream ended before %s; last %+v", what, last)
			}
			if last = st; holds(st) {
				return st
			}
		case <-limit:
			t.Fatalf("waited in vain for %s; last %+v", what, last)
		}
	}
}
