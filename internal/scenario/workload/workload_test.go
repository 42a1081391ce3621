package workload_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/workload"
)

var update = flag.Bool("update", false, "write the golden files anew")

// readFile has the files that definitions of these tests name.
func readFile(name string) ([]byte, error) {
	if name == "bin/echo" {
		return []byte("\x7fELF"), nil
	}
	return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
}

func everything(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) workload.Workload {
	t.Helper()
	w, err := workload.Parse("own.yaml", data, readFile)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestParse(t *testing.T) {
	got := parse(t, everything(t))
	if !strings.HasPrefix(got.Digest, "sha256:") {
		t.Errorf("digest %q", got.Digest)
	}
	got.Digest = ""
	want := workload.Workload{
		Name: "echo-rate", Title: "echoes at a fixed rate", Description: "One connection, open loop.", Image: "registry.example.com/echo:1",
		Files: []workload.File{{Name: "echo", Executable: true, Content: []byte("\x7fELF")}, {Name: "words.txt", Content: []byte("a b\n")}},
		Parameters: []parameter.Parameter{
			{Name: "duration", Kind: parameter.Duration, Default: []string{"10s"}, Min: "1s", Max: "1h", Step: "1s", Help: "what is measured"},
			{Name: "rate", Kind: parameter.Integer, Default: []string{"100", "1000"}, Min: "1", Max: "100000"},
			{Name: "size", Kind: parameter.Bytes, Default: []string{"1KiB"}},
			{Name: "limit", Kind: parameter.Rate, Default: []string{"1Gbit"}},
			{Name: "mode", Kind: parameter.Choice, Choices: []string{"plain", "tls"}, Default: []string{"plain"}},
		},
		Requires: []string{"services", "dns"},
		Server:   &workload.Server{Command: []string{"/load/echo", "serve", "--port", "7000", "--mode", "${mode}"}, Listen: []int{7000, 7001}, UDP: true},
		Client:   got.Client,
		Window: &workload.Window{
			Start: workload.Source{From: "stdout", JSONPath: "{.began}"},
			End:   workload.Source{From: "/load/out.json", JSONPath: "{.ended}"},
		},
		Values: []workload.Value{
			{
				Metric: result.Metric{Name: "latency-p99", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.1, Help: "from call to answer"},
				Source: workload.Source{From: "stdout", JSONPath: "{.latency.p99}"}, Factor: 1e-3,
			},
			{
				Metric: result.Metric{Name: "errors", Unit: "1", Better: result.Lower, Scale: result.Difference, Margin: 1},
				Source: workload.Source{From: "stderr", Pattern: `errors: (\d+)`}, Factor: 1,
			},
		},
		Facts: []workload.Fact{{Name: "echo", Source: workload.Source{From: "stderr", Pattern: `version (\S+)`}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestArgv(t *testing.T) {
	w := parse(t, everything(t))
	v := parameter.Values{"duration": "1m30s", "rate": "100", "size": "2KiB", "limit": "2500Mbit", "mode": "tls"}
	server, err := w.ServerArgv(v)
	if diff := cmp.Diff([]string{"/load/echo", "serve", "--port", "7000", "--mode", "tls"}, server); diff != "" || err != nil {
		t.Errorf("server %v (-want +got):\n%s", err, diff)
	}
	client, err := w.ClientArgv(v, workload.Target{Host: "10.0.0.9", Ports: []int{30001, 30002}})
	want := []string{
		"/load/echo", "call", "10.0.0.9:30001", "--control=30002", "--for", "90", "--wait=90000", "--rate=100", "--bytes=2048", "--limit=2500000000", "${HOME}",
	}
	if diff := cmp.Diff(want, client); diff != "" || err != nil {
		t.Errorf("client %v (-want +got):\n%s", err, diff)
	}
}

// Every testdata/refused/NAME.yaml is refused with the words of NAME.err.
func TestParseRefuses(t *testing.T) {
	files, err := filepath.Glob("testdata/refused/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = workload.Parse("own.yaml", data, readFile)
		var problems document.Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v", file, err)
			continue
		}
		golden := strings.TrimSuffix(file, ".yaml") + ".err"
		if *update {
			if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// A digest changes with what the definition says and with its files, and not
// with a comment.
func TestDigest(t *testing.T) {
	base := parse(t, everything(t)).Digest
	for _, tt := range []struct {
		name, old, new string
		same           bool
	}{
		{"comment", "requires:", "# a comment\n  requires:", true},
		{"command", "serve,", "listen,", false},
		{"margin", "10%", "11%", false},
		{"content", "a b", "a c", false},
	} {
		changed := strings.Replace(string(everything(t)), tt.old, tt.new, 1)
		if got := parse(t, []byte(changed)).Digest; (got == base) != tt.same {
			t.Errorf("%s: same digest is %t", tt.name, got == base)
		}
	}
	other, err := workload.Parse("own.yaml", everything(t), func(string) ([]byte, error) { return []byte("other"), nil })
	if err != nil || other.Digest == base {
		t.Errorf("another file has the same digest (%v)", err)
	}
}

func TestSource(t *testing.T) {
	out := workload.Output{
		"stdout": `{"p99": 0.25, "name": "x", "many": [1, 2], "big": 12345678901234567, "none": null, "at": {"p99": "7"}}`,
		"stderr": "rate 10/s\nrate 20/s\nerrors 3\n",
		"/log":   "starting\n{}",
	}
	for _, tt := range []struct {
		source    workload.Source
		want, err string
	}{
		{workload.Source{From: "stdout", JSONPath: "{.p99}"}, "0.25", ""},
		{workload.Source{From: "stdout", JSONPath: "{.at.p99}"}, "7", ""},
		{workload.Source{From: "stdout", JSONPath: "{.big}"}, "12345678901234567", ""},
		{workload.Source{From: "stdout", JSONPath: "{.many[1]}"}, "2", ""},
		{workload.Source{From: "stdout", JSONPath: "{.many[*]}"}, "", "finds 2 values"},
		{workload.Source{From: "stdout", JSONPath: "{.many}"}, "", "list or an object"},
		{workload.Source{From: "stdout", JSONPath: "{.none}"}, "", "null"},
		{workload.Source{From: "stdout", JSONPath: "{.other}"}, "", "other is not found"},
		{workload.Source{From: "/log", JSONPath: "{.p99}"}, "", `not JSON`},
		{workload.Source{From: "stderr", Pattern: `errors (\d+)`}, "3", ""},
		{workload.Source{From: "stderr", Pattern: `rate (\d+)`}, "", "more than one place"},
		{workload.Source{From: "stderr", Pattern: `late (\d+)x`}, "", "nothing in stderr matches"},
		{workload.Source{From: "/gone", Pattern: `(.)`}, "", "there is no /gone"},
	} {
		got, err := tt.source.Text(out)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%+v: %q, %v", tt.source, got, err)
		}
	}
}

func TestMeasured(t *testing.T) {
	w := parse(t, everything(t))
	out := workload.Output{"stdout": `{"latency": {"p99": 2.5}}`, "stderr": "version 1.2 errors: 4"}
	values, err := w.Measured(out)
	if err != nil || len(values) != 2 || values[0].Value != 0.0025 || values[1].Value != 4 {
		t.Errorf("%+v, %v", values, err)
	}
	facts, err := w.FactsOf(out)
	if diff := cmp.Diff(map[string]string{"echo": "1.2"}, facts); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	// A figure that is none fails all.
	_, err = w.Measured(workload.Output{"stdout": `{"latency": {"p99": "fast"}}`, "stderr": ""})
	if err == nil || !strings.Contains(err.Error(), `finding latency-p99: "fast" is not a number`) || !strings.Contains(err.Error(), "finding errors") {
		t.Errorf("%v", err)
	}
}

func TestWindowOf(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	life := sample.Window{Start: start, End: start.Add(20 * time.Second)}
	stamped := workload.Workload{Window: &workload.Window{
		Start: workload.Source{From: "stdout", JSONPath: "{.a}"}, End: workload.Source{From: "stdout", JSONPath: "{.b}"},
	}}
	plain := workload.Workload{}
	unix := func(d time.Duration) string { return fmt.Sprintf("%.3f", float64(start.Add(d).UnixMilli())/1000) }
	for _, tt := range []struct {
		name       string
		w          workload.Workload
		stdout     string
		v          parameter.Values
		begin, end time.Duration
		err        string
	}{
		{"life", plain, "", nil, 0, 20 * time.Second, ""},
		{"after the warm-up", plain, "", parameter.Values{"omit": "2s"}, 2 * time.Second, 20 * time.Second, ""},
		{"nothing left", plain, "", parameter.Values{"omit": "20s"}, 0, 0, "nothing was measured"},
		{"Unix seconds", stamped, `{"a": ` + unix(1500*time.Millisecond) + `, "b": "` + unix(19*time.Second) + `"}`, nil, 1500 * time.Millisecond, 19 * time.Second, ""},
		{"RFC 3339", stamped, `{"a": "2026-01-02T04:04:06+01:00", "b": "2026-01-02T03:04:07.5Z"}`, nil, time.Second, 2500 * time.Millisecond, ""},
		{"another clock", stamped, `{"a": ` + unix(-time.Second) + `, "b": ` + unix(19*time.Second) + `}`, nil, 0, 0, "and the client ran from"},
		{"no time", stamped, `{"a": -1, "b": 2}`, nil, 0, 0, "neither Unix seconds"},
	} {
		got, err := tt.w.WindowOf(workload.Output{"stdout": tt.stdout}, tt.v, life)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, %v", tt.name, got, err)
			}
			continue
		}
		if err != nil || got.Start.Sub(start) != tt.begin || got.End.Sub(start) != tt.end {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

func resolveSchema(t testing.TB) func([]byte) error {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(workload.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) error {
		var document any
		if err := yaml.Unmarshal(data, &document); err != nil {
			return err
		}
		return resolved.Validate(document)
	}
}

func TestSchema(t *testing.T) {
	validate := resolveSchema(t)
	if err := validate(everything(t)); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ old, new string }{
		{"kind: Scenario", "kind: Campaign"},
		{"title:", "titel:"},
		{"listen: [7000, 7001]", "listen: many"},
		{"better: lower", "better: faster"},
		{"executable: true", "executable: maybe"},
		{"kind: bytes", "kind: byte"},
		{"pattern: 'errors: (\\d+)'", "jsonpath: x"},
		{"requires: [services, dns]", "requires: [mesh]"},
	} {
		changed := strings.Replace(string(everything(t)), tt.old, tt.new, 1)
		if changed == string(everything(t)) {
			t.Fatalf("there is no %q", tt.old)
		}
		if validate([]byte(changed)) == nil {
			t.Errorf("accepted %s", tt.new)
		}
	}
}

// Whatever a file holds, reading it ends with a workload or with problems, and
// what is accepted can be filled in.
func FuzzParse(f *testing.F) {
	f.Add(everything(f))
	files, _ := filepath.Glob("testdata/refused/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	validate := resolveSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := workload.Parse("own.yaml", data, readFile)
		var problems document.Problems
		if err != nil {
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("%v", err)
			}
			return
		}
		if err := validate(data); err != nil {
			t.Errorf("accepted, against the schema: %v", err)
		}
		v := parameter.Values{}
		for _, p := range w.Parameters {
			v[p.Name] = p.Defaults()[0]
		}
		to := workload.Target{Host: "10.0.0.1"}
		if w.Server != nil {
			to.Ports = w.Server.Listen
			if _, err := w.ServerArgv(v); err != nil {
				t.Error(err)
			}
		}
		if _, err := w.ClientArgv(v, to); err != nil {
			t.Error(err)
		}
		if w.Duration(v) < 0 || w.Digest == "" {
			t.Errorf("%+v", w)
		}
	})
}

// Whatever a program prints, looking for figures in it ends.
func FuzzOutput(f *testing.F) {
	f.Add("{.a.b}", `(\d+)`, `{"a": {"b": 1}}`)
	f.Add("{.a[*].b}", `x=(.)`, `{"a": [{"b": 1}, {"b": 2}]}`)
	f.Add(`{.a[?(@.b>1)].b}`, `x=(.)`, `{"a": [{"b": 1}, {"b": 2}]}`)
	f.Add(`{range .a[*]}{.b}{end}`, `x=(.)`, `{"a": [{"b": 1}, {"b": 2}]}`)
	f.Fuzz(func(t *testing.T, path, pattern, text string) {
		for _, s := range []workload.Source{{From: "stdout", JSONPath: path}, {From: "stdout", Pattern: pattern}} {
			if s.JSONPath == "" && s.Pattern == "" {
				continue
			}
			w := workload.Workload{
				Values: []workload.Value{{Source: s, Factor: 1}},
				Window: &workload.Window{Start: s, End: s},
			}
			values, err := w.Measured(workload.Output{"stdout": text})
			if err == nil && len(values) != 1 {
				t.Errorf("%+v in %q: %v", s, text, values)
			}
			_, _ = w.WindowOf(workload.Output{"stdout": text}, nil, sample.Window{})
		}
	})
}
