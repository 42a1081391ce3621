package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// pageFiles are the page, its style and its sections: one file for each, which
// defines a template of the same name that page.tmpl.html calls.
//
//go:embed page
var pageFiles embed.FS

const (
	// pageBytes is what the whole file should stay below: 2 MB and some room.
	pageBytes = 1_900_000
	// seriesBytes is the most that time series take of it.
	seriesBytes = 700_000
)

// page is what the template shows, in its order.
type page struct {
	Style     template.CSS
	Name      string
	Tally     string
	Basis     []string
	Stopping  string
	Comparing string
	Unpaired  bool // samples are runs, not blocks
	Questions []question
	Strips    []figureGroup
	Forests   []figureGroup
	Efficient []chart
	Parts     []breakdown
	Numbers   []numberTable
	Series    []seriesGroup
	Crowded   bool // no room for the series
	Counts    analysis.Counts
	Losses    []loss
	Warnings  []result.Warning
	Machine   []factGroup
	Variants  []variantEnvironment
	Plan      []fact
	Blocks    []blockOrder
	Scope     scope
	HowToRead []string
}

// figureGroup holds the charts of one cell.
type figureGroup struct {
	Cell, Subtitle string
	Main           *chart  // of the cell's first metric; nil without results
	Others         []chart // of its other metrics
}

// HTML writes the report as one file that needs no network and no script. Its
// time series are thinned to the room that the rest of the page leaves, so that
// the file stays below 2 MB.
func HTML(w io.Writer, s Source) error {
	if err := writePage(w, s); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

func writePage(w io.Writer, s Source) error {
	t, err := template.ParseFS(pageFiles, "page/*.tmpl.html")
	if err != nil {
		return err
	}
	style, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return err
	}
	p := newPage(s.Analysis, s.Environment)
	p.Style = template.CSS(style)
	var rest bytes.Buffer
	if err := t.ExecuteTemplate(&rest, "page.tmpl.html", p); err != nil {
		return err
	}
	var room bool
	p.Series, room = seriesGroups(s.Analysis, s.Series, min(seriesBytes, pageBytes-rest.Len()))
	p.Crowded = !room
	return t.ExecuteTemplate(w, "page.tmpl.html", p)
}

func newPage(a analysis.Analysis, env result.Environment) page {
	p := page{
		Name: a.Plan.Name, Tally: capital(tally(a)), Basis: basis(a), Stopping: stopping(a), Comparing: comparing(a),
		Unpaired: a.Plan.Unpaired(), Questions: keepUnits(answers(a)), Numbers: numberTables(a),
		Counts: a.Counts, Losses: losses(a), Warnings: a.Warnings,
		Machine: machineGroups(env), Variants: variantEnvironments(a.Plan, env),
		Plan: planFacts(a), Blocks: blockOrders(a.Blocks()), Scope: conclusions(a), HowToRead: howToRead(a),
	}
	samples, comparisons := 0, 0
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			if m.Folded() {
				continue
			}
			comparisons += len(m.Comparisons)
			for _, arm := range m.Arms {
				samples += len(arm.Samples)
			}
		}
	}
	p.Strips = figureGroups(a, "s", func(m analysis.Metric, id string) chart {
		return stripChart(a, m, id, samples <= dotTitles)
	})
	p.Forests = figureGroups(a, "f", func(m analysis.Metric, id string) chart {
		return forestChart(m, id, m.Main || m.Primary || comparisons <= forestRows)
	})
	for i, c := range a.Cells {
		if figure, ok := efficiencyChart(c, len(a.Blocks()), fmt.Sprintf("e%d", i)); ok {
			p.Efficient = append(p.Efficient, figure)
		}
		p.Parts = append(p.Parts, breakdowns(c, fmt.Sprintf("p%d", i))...)
	}
	return p
}

// keepUnits ties each per cent sign to its number, so that no line begins with
// it.
func keepUnits(questions []question) []question {
	for _, q := range questions {
		for i := range q.Findings {
			q.Findings[i].Text = strings.ReplaceAll(q.Findings[i].Text, " %", "\u00a0%")
		}
	}
	return questions
}

// basis says what the answer rests on.
func basis(a analysis.Analysis) []string {
	trials := fmt.Sprintf("%d of %d trials ok", a.Counts.OK, a.Counts.Planned)
	for _, other := range []struct {
		count int
		name  string
	}{{a.Counts.Unsupported, "unsupported"}, {a.Counts.Failed, "failed"}, {a.Counts.Invalid, "invalid"}, {a.Counts.Missing, "missing"}} {
		if other.count > 0 {
			trials += fmt.Sprintf(", %d %s", other.count, other.name)
		}
	}
	return []string{
		prose.Plural(len(a.Plan.Variants), "variant"),
		prose.Plural(len(a.Cells), "cell"),
		prose.Plural(len(a.Blocks()), "block"),
		trials,
		"base " + a.Plan.Analysis.Base,
	}
}

// figureGroups draws a chart of every metric that is not folded, with ids that
// are unique in the page.
func figureGroups(a analysis.Analysis, prefix string, draw func(analysis.Metric, string) chart) []figureGroup {
	var groups []figureGroup
	for i, c := range a.Cells {
		g := figureGroup{Cell: c.ID, Subtitle: cellSubtitle(c)}
		for j, m := range c.Metrics {
			if m.Folded() {
				continue
			}
			figure := draw(m, fmt.Sprintf("%s%d-%d", prefix, i, j))
			if m.Main {
				g.Main = &figure
			} else {
				g.Others = append(g.Others, figure)
			}
		}
		groups = append(groups, g)
	}
	return groups
}
