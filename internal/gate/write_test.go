package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var writers = map[string]func(io.Writer, Result) error{"txt": Text, "json": JSON, "xml": JUnit, "github": GitHub}

// examples are results with everything in them that writers write.
func examples(t testing.TB) map[string]Result {
	t.Helper()
	within := single("slow", around(15, 11)...)
	within.values["good"] = map[result.Metric][]float64{throughput: times(1e9, around(20.7, 11))}
	within.values["near"] = map[result.Metric][]float64{throughput: times(1e9, []float64{20, 19, 20.5, 19.9, 20, 20.8, 19.6, 20.3, 19.4, 21, 20.1})}
	within.spoilt = map[string][]result.Trial{"broken": spoilt(11, result.Failed, "agent not ready after 3m0s")}
	now := within.analyze(t, "host", "slow", "good", "near", "broken")
	now.Cells[0].Metrics[0].Arms[1].Samples[0].Marks = []string{"generator-limited"}
	now.Counts.Missing = 2
	before := single("slow", around(15.4, 9)...)
	before.duration = "30s"
	baseline := before.analyze(t, "host", "slow")
	difference := analysis.EnvironmentDifference{Name: "kernel.release", A: "6.1.0-30-amd64", B: "6.12.4, mine: 100%", Places: []analysis.Place{{}}}
	limits := []Limit{mustLimit(t, Min, "throughput=9Gbit/s"), mustLimit(t, Max, "throughput=16Gbit/s")}
	compared := Request{Now: now, Baseline: &baseline, Variants: []string{"slow"}, Differences: []analysis.EnvironmentDifference{difference}, Allow: []string{"scenario.duration"}}
	allowed := compared
	allowed.Allow = []string{AllowAll}
	return map[string]Result{
		"within":   mustDecide(t, Request{Now: now, Margins: []Margin{mustMargin(t, "2.5%")}}),
		"unfit":    mustDecide(t, compared),
		"baseline": mustDecide(t, allowed),
		"limits":   mustDecide(t, Request{Now: now, Limits: limits, LimitsOnly: true, Variants: []string{"slow", "good"}}),
	}
}

func write(t testing.TB, format string, res Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := writers[format](&b, res); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, res := range examples(t) {
		for format := range writers {
			file := filepath.Join("testdata", name+"."+format)
			got := write(t, format, res)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got; -update accepts):\n%s", file, diff)
			}
		}
	}
}

const hostile = "::error::x%0A\r\n::stop-commands::t</testsuite>]]>&\"'<script>\x1b[31m\u202e\x00\xff,:"

// Names and reasons of others stay text, whatever is in them.
func TestHostileNames(t *testing.T) {
	m := single("cni", around(15, 6)...)
	m.name, m.cell = hostile, "cell"+hostile
	m.values[hostile] = m.values["cni"]
	m.spoilt = map[string][]result.Trial{"third": spoilt(6, result.Failed, hostile)}
	now := m.analyze(t, "host", hostile, "third")
	decided := mustDecide(t, Request{Now: now})
	difference := analysis.EnvironmentDifference{Name: hostile, A: hostile, B: "b", Places: []analysis.Place{{Variant: hostile}}}
	refused := mustDecide(t, Request{Now: now, Baseline: &now, Differences: []analysis.EnvironmentDifference{difference}})
	refused.Warnings = []result.Warning{{Code: hostile, Message: hostile, Hint: hostile}}
	for _, res := range []Result{decided, refused} {
		for _, format := range []string{"txt", "github", "xml"} {
			text := write(t, format, res)
			if strings.ContainsAny(text, "\x1b\x00\r\u202e") || strings.Contains(text, "\xff") {
				t.Errorf("%s has characters that a terminal acts on:\n%q", format, text)
			}
		}
		for line := range strings.Lines(write(t, "github", res)) {
			command, rest, _ := strings.Cut(strings.TrimPrefix(line, "::"), " title=")
			title, _, _ := strings.Cut(rest, "::")
			if !slices.Contains([]string{"error", "warning", "notice"}, command) || strings.ContainsAny(title, ":,") {
				t.Errorf("a line that is no annotation of ours: %q", line)
			}
		}
		var suites struct {
			Suite struct {
				Name string `xml:"name,attr"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(write(t, "xml", res)), &suites); err != nil {
			t.Error(err)
		}
		if want := prose.Printable(hostile); suites.Suite.Name != want {
			t.Errorf("the suite is called %q, want %q", suites.Suite.Name, want)
		}
		var again Result
		if err := json.Unmarshal([]byte(write(t, "json", res)), &again); err != nil || len(again.Checks) != len(res.Checks) {
			t.Errorf("%d checks, %v", len(again.Checks), err)
		}
	}
}
