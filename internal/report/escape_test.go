package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

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
	if err := HTML(&b, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	// Its own two scripts: the values and what shows them.
	if strings.Count(b.String(), "<script") != 2 || strings.Count(b.String(), "</script") != 2 || strings.Contains(b.String(), `"><`+"script") {
		t.Error("markup from a name reached the page")
	}
	if n := strings.Count(b.String(), "&lt;script&gt;"); n < 100 {
		t.Errorf("only %d escaped names: the test does not reach the places it is for", n)
	}
}

func TestMarkdownEscapesEveryName(t *testing.T) {
	var b bytes.Buffer
	a, _, _ := hostile(t)
	if err := Markdown(&b, Source{Analysis: a}); err != nil {
		t.Fatal(err)
	}
	own := strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "")
	if strings.Contains(own.Replace(b.String()), "<") {
		t.Error("markup from a name reached the text")
	}
	if n := strings.Count(b.String(), "&lt;script&gt;"); n < 100 {
		t.Errorf("only %d escaped names: the test does not reach the places it is for", n)
	}
}

// A comment has a bounded size, begins with the verdicts, and names what it
// leaves out; an empty line in a name does not end what is folded.
func TestMarkdownFitsIntoAComment(t *testing.T) {
	a, _, _ := synthetic(t)
	one := a.Cells[0]
	for i := range 40 {
		one.ID = fmt.Sprintf("copy-%d\n\nof", i)
		a.Cells = append(a.Cells, one)
	}
	var b bytes.Buffer
	if err := Markdown(&b, Source{Analysis: a}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := utf8.RuneCountInString(text); n > 65536 {
		t.Errorf("%d characters", n)
	}
	if !strings.Contains(text, "copy-39  of. The HTML and JSON reports have them.") || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
		t.Errorf("the end is %s", text[len(text)-1500:])
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "<details>") != strings.Contains(line, "</summary>") {
			t.Errorf("a summary is torn: %q", line)
		}
	}
	if lines := strings.Split(text, "\n"); !strings.HasPrefix(lines[5], "| variant | cell |") {
		t.Errorf("line 6 is not the head of the verdicts: %q", lines[5])
	}
}

// What to choose is folded between the verdicts and the numbers, once.
func TestMarkdownFoldsTheChoice(t *testing.T) {
	a, _, _ := synthetic(t)
	choice := syntheticRankings(t, a)
	var b bytes.Buffer
	if err := Markdown(&b, Source{Analysis: a, Rankings: choice.Rankings, Decision: choice.Decision}); err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, part := range []string{"| variant | cell |", "10 warnings", "<summary>What to choose, and what to decide by</summary>", "## Decision matrix", "All numbers of tcp-pod-single"} {
		at := strings.Index(b.String(), part)
		if at <= last || strings.Count(b.String(), part) != 1 {
			t.Errorf("%q is at %d, %d times, after %d", part, at, strings.Count(b.String(), part), last)
		}
		last = at
	}
}
