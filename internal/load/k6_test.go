package load

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// k6Fixture is what the probe reported of a real k6 v1.8.1, run against its own
// web server on the loopback of a busy machine.
func k6Fixture(t testing.TB, name string) probe.ProcessReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "k6", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var p probe.ProcessReport
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseK6(t *testing.T) {
	for _, name := range []string{"ok", "many", "delay", "pause", "dropped", "killed-server"} {
		t.Run(name, func(t *testing.T) {
			r, err := ParseK6(k6Fixture(t, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "k6", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// TestK6SeesAPause: the server answered nobody for the last 200 ms of every
// second. A fifth of the requests wait, equally long ones equally often, so
// 5 % wait 150 ms or longer and 1 % 190 ms. A generator that stops asking while
// it waits would have seen three slow requests.
func TestK6SeesAPause(t *testing.T) {
	r, err := ParseK6(k6Fixture(t, "pause"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ got, want time.Duration }{
		"p95": {r.P95, 150 * time.Millisecond}, "p99": {r.P99, 190 * time.Millisecond}, "mean": {r.Mean, 20 * time.Millisecond},
	} {
		if off := (tt.got - tt.want).Abs(); off > 10*time.Millisecond {
			t.Errorf("%s is %s, want about %s", name, tt.got, tt.want)
		}
	}
}

func TestParseK6Errors(t *testing.T) {
	edit := func(change func(*probe.ProcessReport)) probe.ProcessReport {
		p := k6Fixture(t, "ok")
		change(&p)
		return p
	}
	replace := func(old, new string) probe.ProcessReport {
		return edit(func(p *probe.ProcessReport) {
			if !strings.Contains(p.Stdout, old) {
				t.Fatalf("the fixture has no %s", old)
			}
			p.Stdout = strings.Replace(p.Stdout, old, new, 1)
		})
	}
	latency := func(name string, value float64) probe.ProcessReport {
		return edit(func(p *probe.ProcessReport) {
			var summary k6Summary
			if err := json.Unmarshal([]byte(p.Stdout), &summary); err != nil {
				t.Fatal(err)
			}
			summary.Metrics["cnibench_latency"].Values[name] = value
			data, err := json.Marshal(summary)
			if err != nil {
				t.Fatal(err)
			}
			p.Stdout = string(data)
		})
	}
	const refused = ` requests was answered: request failed: GoError: Get "http://127.0.0.1:8080/": dial tcp 127.0.0.1:8080: connect: connection refused`
	for name, tt := range map[string]struct {
		report probe.ProcessReport
		want   string
	}{
		"refused":       {k6Fixture(t, "refused"), refused},
		"too slow":      {k6Fixture(t, "slow"), `request failed: GoError: Get "http://127.0.0.1:8080/": request timeout`},
		"stuck":         {k6Fixture(t, "stuck"), `all users still waited for answers: request failed: GoError: Get "http://127.0.0.1:18098/": request timeout`},
		"exception":     {k6Fixture(t, "exception"), `k6 exited with status 104: could not initialize '-': could not load JS test 'file:///-': time: invalid duration "NaNms"`},
		"syntax":        {k6Fixture(t, "syntax"), `k6 exited with status 107: could not initialize '-': could not load JS test 'file:///-': file:///-: Line 1:13 Unexpected ";"`},
		"flag":          {k6Fixture(t, "flag"), "k6 exited with status 255: unknown flag: --no-such-flag"},
		"timeout":       {k6Fixture(t, "timeout"), "k6 ran into its timeout"},
		"killed":        {edit(func(p *probe.ProcessReport) { p.Signal, p.ExitCode = "SIGTERM", -1 }), "k6 was ended by SIGTERM"},
		"not there":     {edit(func(p *probe.ProcessReport) { p.Error = "exec: k6: not found" }), "k6: exec: k6: not found"},
		"cut by us":     {edit(func(p *probe.ProcessReport) { p.Truncated = true }), "k6 wrote more than was kept"},
		"without words": {edit(func(p *probe.ProcessReport) { p.ExitCode = 1 }), "k6 exited with status 1: it gives no reason"},
		"other words":   {edit(func(p *probe.ProcessReport) { p.ExitCode, p.Stderr = 2, "panic: x\n" }), `k6 exited with status 2: "panic: x"`},
		"cut short":     {edit(func(p *probe.ProcessReport) { p.Stdout = p.Stdout[:len(p.Stdout)/2] }), "k6's summary is not its complete JSON"},
		"nothing":       {edit(func(p *probe.ProcessReport) { p.Stdout = "" }), "k6's summary is not its complete JSON, but 0 bytes"},
		"no metrics":    {edit(func(p *probe.ProcessReport) { p.Stdout = "{}" }), "k6's summary: there is no passes of cnibench_errors"},
		"no latency":    {replace("cnibench_latency\"", "other\""), "k6's summary: there is no count of cnibench_latency"},
		"negative":      {latency("p(95)", -1), "k6's summary: p(95) of cnibench_latency is -1"},
		"a year":        {latency("max", 1e10), "k6's summary: max of cnibench_latency is 1e+10"},
		"unordered":     {latency("p(95)", 1e5), "k6's summary: its percentiles do not rise"},
		"miscounted":    {latency("count", 7), "k6's summary: 201 requests were answered, and it has the latencies of 7"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ParseK6(tt.report)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v; want %q", r, err, tt.want)
			}
		})
	}
}

func TestK6Limited(t *testing.T) {
	for name, want := range map[string]string{"delay": "", "dropped": "requests were not begun because all users waited for answers"} {
		r, err := ParseK6(k6Fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		r.LateP99 = 0 // of the machine that made the fixture
		if got := r.Limited(); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: limited by %q", name, got)
		}
	}
	if got := (K6Result{LateP99: 6 * time.Millisecond}).Limited(); got != "one request in a hundred began 6ms late or later" {
		t.Errorf("a late generator: %q", got)
	}
}

func TestK6Rate(t *testing.T) {
	r := K6Result{Requests: 201, Failed: 20, Window: sample.Window{Start: time.UnixMilli(5000), End: time.UnixMilli(7000)}}
	if got, err := r.Rate(); math.Abs(got-100*181./201) > 1e-9 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	r.Requests = 1
	if got, err := r.Rate(); err == nil {
		t.Errorf("one request has rate %v", got)
	}
}

func TestK6Process(t *testing.T) {
	k := K6{Targets: []string{"http://10.96.0.1:8080/", "http://x/\u2028"}, Rate: 100, Users: 10, Duration: time.Second, Omit: 0, Timeout: time.Second}
	p, err := k.Process()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"k6", "run", "--quiet", "--no-color", "--no-usage-report", "--address", "", "-"}, p.Argv); diff != "" {
		t.Error(diff)
	}
	first, rest, _ := strings.Cut(p.Stdin, "\n")
	want := `const load = {"targets":["http://10.96.0.1:8080/","http://x/\u2028"],"rate":100,"users":10,"durationMs":1000,"omitMs":0,"timeoutMs":1000};`
	if first != want || rest != k6Script {
		t.Errorf("the script begins with\n%s\nwant\n%s", first, want)
	}
	for name, change := range map[string]func(*K6){
		"targets": func(k *K6) { k.Targets = nil }, "rate": func(k *K6) { k.Rate = 0 }, "users": func(k *K6) { k.Users = 0 },
		"duration": func(k *K6) { k.Duration = 0 }, "omit": func(k *K6) { k.Omit = -1 }, "timeout": func(k *K6) { k.Timeout = 0 },
	} {
		wrong := k
		change(&wrong)
		if _, err := wrong.Process(); err == nil {
			t.Errorf("wrong %s was accepted", name)
		}
	}
}

// FuzzParseK6: whatever k6 writes, a result is one that can be.
func FuzzParseK6(f *testing.F) {
	for _, name := range []string{"ok", "many", "dropped", "refused", "slow", "syntax"} {
		p := k6Fixture(f, name)
		f.Add(p.Stdout, p.Stderr, p.ExitCode)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code int) {
		r, err := ParseK6(probe.ProcessReport{Stdout: stdout, Stderr: stderr, ExitCode: code})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		ordered := 0 <= r.P50 && r.P50 <= r.P95 && r.P95 <= r.P99 && r.P99 <= r.Max
		if !ordered || r.Mean < 0 || r.SD < 0 || r.Failed < 0 || r.Requests <= r.Failed || r.Dropped < 0 || r.Window.Duration() < 0 {
			t.Errorf("%+v", r)
		}
		if r.P999 != nil && r.Requests < p999Answers {
			t.Errorf("p99.9 of %d requests", r.Requests)
		}
		if rate, err := r.Rate(); err == nil && !(rate > 0 && !math.IsInf(rate, 0)) {
			t.Errorf("rate %v of %s", rate, fmt.Sprintf("%+v", r))
		}
	})
}
