//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dashboard is what of Grafana's model the tests look at.
type dashboard struct {
	Title      string
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		Title   string
		Targets []struct {
			RefID   string
			Instant bool
			Expr    string
		}
	}
}

// readDashboards returns the dashboards by file.
func readDashboards(t testing.TB) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob("../deploy/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	all := map[string]dashboard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = d
	}
	return all
}

// span is a range of time that dashboards show.
type span struct{ from, to time.Time }

// wantDashboards runs every query of every dashboard, with the variables as
// Grafana fills them in, and wants an answer. Choices are for variables whose
// first value will not do.
func wantDashboards(t *testing.T, s *server, shown span, choices map[string]string) {
	for file, d := range readDashboards(t) {
		t.Run(file, func(t *testing.T) {
			s := &server{t: t, name: s.name, url: s.url}
			variables := s.fillIn(d, shown, choices)
			for _, p := range d.Panels {
				for _, target := range p.Targets {
					expression := interpolate(t, target.Expr, variables, shown)
					var answer []timeseries
					if target.Instant {
						answer = s.query(expression, shown.to)
					} else {
						answer = s.queryRange(expression, shown.from, shown.to, time.Second)
					}
					if len(answer) == 0 {
						t.Errorf("%s, query %s has no data: %s", p.Title, target.RefID, expression)
					}
				}
			}
		})
	}
}

var labelValues = regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`)

// fillIn gives every variable its first value, as a dashboard that is opened.
func (s *server) fillIn(d dashboard, shown span, choices map[string]string) map[string]string {
	s.t.Helper()
	variables := map[string]string{}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		parts := labelValues.FindStringSubmatch(v.Query)
		if parts == nil {
			s.t.Fatalf("variable %s asks %q", v.Name, v.Query)
		}
		var answer struct{ Data []string }
		body := s.get("/api/v1/label/"+parts[2]+"/values", url.Values{
			"match[]": {interpolate(s.t, parts[1], variables, shown)}, "start": {seconds(shown.from)}, "end": {seconds(shown.to)},
		})
		if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data) == 0 {
			s.t.Fatalf("variable %s of %s has no value: %v\n%s", v.Name, d.Title, err, body)
		}
		variables[v.Name] = slices.Min(answer.Data)
		if choice, ok := choices[v.Name]; ok {
			if !slices.Contains(answer.Data, choice) {
				s.t.Fatalf("variable %s cannot be %s: %q", v.Name, choice, answer.Data)
			}
			variables[v.Name] = choice
		}
	}
	return variables
}

var variable = regexp.MustCompile(`\$[a-z_]+`)

// interpolate fills variables in, and those that Grafana has itself: its rate
// interval is four times the panel's minimum step of a second.
func interpolate(t testing.TB, text string, variables map[string]string, shown span) string {
	t.Helper()
	own := map[string]string{"__range": shown.to.Sub(shown.from).Round(time.Second).String(), "__interval": "1s", "__rate_interval": "4s"}
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := variables[name[1:]]
		if !ok {
			value, ok = own[name[1:]]
		}
		if !ok {
			t.Errorf("%s uses %s, which nobody defines", text, name)
		}
		return value
	})
}

// wantMakeDashboards runs the script of `make dashboards`, which the build
// comes before, asks its server for a number, interrupts it, and looks for
// what it left.
func wantMakeDashboards(t *testing.T, dir, expression string, want float64) {
	temporary := t.TempDir()
	cmd := exec.Command("../hack/dashboards.sh", dir)
	cmd.Env = append(os.Environ(), "NO_OPEN=1", "WITH=packages", "CNIBENCH="+program, "TMPDIR="+temporary)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // if the test ends early
	t.Cleanup(kill)
	address := ""
	pages := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "Ctrl-C ends it." {
		if name, after, ok := strings.Cut(lines.Text(), ":"); ok && name == "VictoriaMetrics" {
			address = strings.TrimSpace(after)
		}
		if link := strings.TrimSpace(lines.Text()); strings.HasPrefix(link, "http") {
			pages++
			wantPage(t, link)
		}
	}
	if address == "" {
		t.Fatalf("the script names no VictoriaMetrics:\n%s", said.String())
	}
	if pages == 0 {
		t.Error("the script names no page to look at")
	}
	s := &server{t: t, name: "make dashboards", url: address}
	if got := s.value(expression, time.Now()); !s.near(got, want) {
		t.Errorf("make dashboards shows %v, the report has %v", got, want)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // until everybody has closed it
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted, the script ends with %v:\n%s", err, said.String())
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("the script leaves %v, %v", left, err)
	}
	if response, err := http.Get(address + "/health"); err == nil {
		_ = response.Body.Close() // only that there is one matters
		t.Error("the script's server still answers")
	}
}

// wantPage wants a page, and its query to be one that the server takes.
func wantPage(t *testing.T, link string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, name: "make dashboards", url: u.Scheme + "://" + u.Host}
	s.get(u.Path, u.Query())
	if len(s.query(u.Query().Get("g0.expr"), time.Now())) == 0 {
		t.Errorf("the query of %s has no data", link)
	}
}
