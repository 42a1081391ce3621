package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	a, env, series := synthetic(t)
	tests := []struct {
		file  string
		write func(io.Writer) error
	}{
		{"synthetic.txt", func(w io.Writer) error { return Text(w, a) }},
		{"synthetic.md", func(w io.Writer) error { return Markdown(w, Source{Analysis: a}) }},
		{"synthetic.csv", func(w io.Writer) error { return CSV(w, a) }},
		{"synthetic.html", func(w io.Writer) error { return HTML(w, Source{Analysis: a, Environment: env, Series: series}) }},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			wantGolden(t, test.file, test.write)
		})
	}
}

// wantGolden compares what is written with a golden file, or rewrites that.
func wantGolden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", name, diff)
	}
}

func TestJSONHoldsTheAnalysis(t *testing.T) {
	a, env, series := synthetic(t)
	var b bytes.Buffer
	if err := JSON(&b, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	var back analysis.Analysis
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, back); diff != "" {
		t.Errorf("analysis (-written +read):\n%s", diff)
	}
}

// Every sample and every lost attempt is a row, no more and no less.
func TestCSVHasEverySampleAndEveryLoss(t *testing.T) {
	a, _, _ := synthetic(t)
	var b bytes.Buffer
	if err := CSV(&b, a); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1 + len(a.Dropped) + len(a.Missing)
	for _, c := range a.Cells {
		want += len(c.Gaps)
		for _, m := range c.Metrics {
			for _, arm := range m.Arms {
				want += len(arm.Samples)
			}
		}
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
}

// An aborted campaign, without a single result, is still reported.
func TestNothingMeasured(t *testing.T) {
	p := syntheticPlan(syntheticVariants, 10)
	a, err := analysis.Analyze(p, nil, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return Text(w, a) },
		"Markdown": func(w io.Writer) error { return Markdown(w, Source{Analysis: a}) },
		"HTML":     func(w io.Writer) error { return HTML(w, Source{Analysis: a}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{"6 not measured", "80 missing", "nothing can be said"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}
