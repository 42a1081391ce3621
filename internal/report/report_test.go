package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
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
		{"synthetic.md", func(w io.Writer) error { return Markdown(w, a) }},
		{"synthetic.csv", func(w io.Writer) error { return CSV(w, a) }},
		{"synthetic.html", func(w io.Writer) error { return HTML(w, a, env, series) }},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := test.write(&got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", test.file)
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
				t.Errorf("%s (-golden +got):\n%s", test.file, diff)
			}
		})
	}
}

func TestJSONHoldsTheAnalysis(t *testing.T) {
	a, _, _ := synthetic(t)
	var b bytes.Buffer
	if err := JSON(&b, a); err != nil {
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

// hostile is a campaign whose names, units and reasons are markup.
func hostile(t *testing.T) (analysis.Analysis, result.Environment, []Series) {
	t.Helper()
	const evil = `"><script>alert('1')</script>{{.}}`
	a, env, series := synthetic(t)
	a.Plan.Name = evil
	for i := range a.Plan.Variants {
		if a.Plan.Variants[i].Name == "cilium-kpr" {
			a.Plan.Variants[i].Name = evil
		}
	}
	for i := range a.Cells {
		a.Cells[i].ID += evil
		a.Cells[i].Scenario += evil
		for j := range a.Cells[i].Metrics {
			m := &a.Cells[i].Metrics[j]
			m.Name += evil
			m.Unit += evil
			m.Help = evil
			for k := range m.Arms {
				m.Arms[k].Variant += evil
			}
			for k := range m.Comparisons {
				m.Comparisons[k].A += evil
				m.Comparisons[k].B += evil
				m.Comparisons[k].Open = evil
			}
		}
	}
	for i := range a.Dropped {
		a.Dropped[i].Reason = evil
	}
	a.Warnings = append(a.Warnings, result.Warning{Code: evil, Message: evil, Hint: evil})
	env.Machine.CPU = evil
	env.Machine.Sysctls[evil] = evil
	env.Variants[evil] = result.Variant{Versions: map[string]string{evil: evil}, Nodes: []result.Node{{Name: evil}}}
	for i := range series {
		series[i].Cell += evil
		if series[i].Variant == "cilium-kpr" {
			series[i].Variant = evil
		}
	}
	return a, env, series
}

func TestHTMLEscapesEveryName(t *testing.T) {
	var b bytes.Buffer
	a, env, series := hostile(t)
	if err := HTML(&b, a, env, series); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), `"><`+"script") {
		t.Error("markup from a name reached the page")
	}
	if n := strings.Count(b.String(), "&lt;script&gt;"); n < 100 {
		t.Errorf("only %d escaped names: the test does not reach the places it is for", n)
	}
}

func TestMarkdownEscapesEveryName(t *testing.T) {
	var b bytes.Buffer
	a, _, _ := hostile(t)
	if err := Markdown(&b, a); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<") {
		t.Error("markup from a name reached the text")
	}
}

// The page fetches nothing: no address, no script, no style or picture from
// elsewhere.
func TestHTMLIsSelfContained(t *testing.T) {
	var b bytes.Buffer
	a, env, series := synthetic(t)
	if err := HTML(&b, a, env, series); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{`https?:`, `<script`, `<link`, `<img`, `<iframe`, `@import`, `url\(`, `src=`, `href="[^#]`} {
		if found := regexp.MustCompile(pattern).FindString(b.String()); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
}

// Every anchor and every grid that is pointed at exists once.
func TestHTMLReferencesResolve(t *testing.T) {
	var b bytes.Buffer
	a, env, series := synthetic(t)
	if err := HTML(&b, a, env, series); err != nil {
		t.Fatal(err)
	}
	for _, ref := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(b.String(), -1) {
		if n := strings.Count(b.String(), fmt.Sprintf(`id="%s"`, ref[1])); n != 1 {
			t.Errorf("%s is defined %d times", ref[1], n)
		}
	}
}

// Nothing depends on the order in which maps or the caller hand things over.
func TestHTMLIsDeterministic(t *testing.T) {
	a, env, series := synthetic(t)
	var first bytes.Buffer
	if err := HTML(&first, a, env, series); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(series), func(i, j int) { series[i], series[j] = series[j], series[i] })
		var again bytes.Buffer
		if err := HTML(&again, a, env, series); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Fatal("the same input gave another page")
		}
	}
}

// A large campaign with 10 Hz series stays below 2 MB.
func TestHTMLStaysSmall(t *testing.T) {
	var variants []syntheticVariant
	for i := range 12 {
		v := syntheticVariants[i%4]
		if i >= 4 {
			v.name = fmt.Sprintf("%s-%d", v.name, i)
		}
		variants = append(variants, v)
	}
	p, trials := syntheticCampaign(variants, 20)
	// The same trials once more in six more cells.
	for i := range 6 {
		c := p.Cells[0]
		c.ID = fmt.Sprintf("copy-%d", i)
		p.Cells = append(p.Cells, c)
		for j := range p.Blocks {
			p.Blocks[j].Cells = append(p.Blocks[j].Cells, c.ID)
		}
		for _, trial := range trials {
			if trial.Cell == p.Cells[0].ID {
				trial.Cell = c.ID
				trials = append(trials, trial)
			}
		}
	}
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := HTML(&b, a, env, syntheticSeries(trials, 10)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
	if b.Len() > 2_000_000 {
		t.Errorf("%d bytes for 8 cells, 12 variants and 20 blocks", b.Len())
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
		"Markdown": func(w io.Writer) error { return Markdown(w, a) },
		"HTML":     func(w io.Writer) error { return HTML(w, a, result.Environment{}, nil) },
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
