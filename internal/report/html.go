package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// pageFiles are the page, its style, its script and its sections: one file for
// each, which defines a template of the same name that page.tmpl.html calls.
//
//go:embed page
var pageFiles embed.FS

const (
	// pageBytes is what the whole file should stay below: 5 MiB and some room.
	pageBytes = 5_000_000
	// seriesBytes is the most that time series take of it.
	seriesBytes = 1_200_000
	// openCells is the number of cells up to which nothing is folded, and how
	// many are open where others are folded.
	openCells = 3
	// printedCells is the number of cells up to which a page is printed
	// unfolded: 26 of five variants were 289 sheets.
	printedCells = 8
	// namedVariants is the number of variants up to which the head names them.
	namedVariants = 8
	// figureRows is the number of rows of strip plots up to which every metric
	// that is not folded is drawn. Beyond it, only the first of each cell and
	// those that the campaign declared: the file would be mostly the others.
	figureRows = 1500
	// openFindings is the number of findings up to which none is folded.
	openFindings = 12
)

// page is what the template shows, in its order.
type page struct {
	Style     template.CSS
	Script    template.JS
	Values    template.JS
	Name      string
	Tally     string
	Basis     []string
	Stopping  string
	Comparing string
	Unpaired  bool // samples are runs, not blocks
	Brief     bool // few findings: all are shown
	Questions []question
	Matrix    matrix
	Groups    []grouping
	Choice    choice
	Decision  decisionView
	Strips    []figureGroup
	Forests   []figureGroup
	Nodes     []cellNodes
	CPU       []cellCPU
	Numbers   []numberTable
	Costs     *costSection
	Published *publishedView
	Series    []seriesGroup
	Crowded   bool // no room for the series
	Counts    analysis.Counts
	Losses    []loss
	Warnings  []result.Warning
	// Long says that the page has more than fits on paper: what is folded is
	// not printed.
	Long bool
	// WarningGroups are the same, by code.
	WarningGroups []warningGroup
	Scope         scope
	Drawings      []topology
	Undrawn       []string // variants of which nobody knows where they ran
	Differing     []nodeDifference
	Compared      bool // nodes were compared
	Method        []string
	HowToRead     []string
	Machine       []factGroup
	Variants      []variantEnvironment
	Plan          []fact
	Blocks        []blockOrder
	Again         reproduction
	Figures       figures
}

// figureGroup holds the charts of one cell.
type figureGroup struct {
	Section        string // that it is in
	Cell, Subtitle string
	Main           *chart  // of the cell's first metric; nil without results
	Others         []chart // of its other metrics
	Left           int     // other metrics that are not drawn
}

// cellCPU is what is known of the CPU in one cell.
type cellCPU struct {
	Cell      string
	Efficient *chart // CPU per Gbit/s
	Parts     []breakdown
}

// HTML writes the report as one file that needs no network, and no script to
// be read. Its time series are thinned to the room that the rest of the page
// leaves, so that the file stays below 5 MiB.
func HTML(w io.Writer, s Source) error {
	if err := writePage(w, s); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

func writePage(w io.Writer, s Source) error {
	t, err := pageTemplate(s.Analysis)
	if err != nil {
		return err
	}
	p, err := newPage(s)
	if err != nil {
		return err
	}
	p.Figures = newFigures(s)
	var rest bytes.Buffer
	if err := t.ExecuteTemplate(&rest, "page.tmpl.html", p); err != nil {
		return err
	}
	var room bool
	p.Series, room = seriesGroups(s.Analysis, s.Series, min(seriesBytes, pageBytes-rest.Len()))
	p.Crowded = !room
	return t.ExecuteTemplate(w, "page.tmpl.html", p)
}

// pageTemplate reads all sections. They may call anchor with a section and a
// cell for the id of the cell's place in it, and unfolded to know what is open
// from the beginning.
func pageTemplate(a analysis.Analysis) (*template.Template, error) {
	names := newAnchors(a.Cells)
	return template.New("").Funcs(template.FuncMap{
		"anchor":   names.of,
		"unfolded": unfolded(a),
		"count":    func(n int, noun string) string { return prose.Plural(n, noun) },
	}).ParseFS(pageFiles, "page/*.tmpl.html")
}

// unfolded tells which cells are open from the beginning: all where there are
// few, otherwise the first whose metrics the plan declared primary. Without a
// cell it tells whether all are.
func unfolded(a analysis.Analysis) func(cell ...string) bool {
	all := len(a.Cells) <= openCells
	var first []string
	for _, c := range a.Cells {
		primary := slices.ContainsFunc(c.Metrics, func(m analysis.Metric) bool { return m.Primary })
		if primary && len(first) < openCells {
			first = append(first, c.ID)
		}
	}
	return func(cell ...string) bool {
		return all || len(cell) > 0 && slices.Contains(first, cell[0])
	}
}

func newPage(s Source) (page, error) {
	a := s.Analysis
	p := page{
		Name: a.Plan.Name, Tally: capital(tally(a)), Basis: basis(a), Stopping: stopping(a),
		Unpaired: a.Plan.Unpaired(), Questions: keepUnits(answers(a)), Matrix: newMatrix(a), Numbers: numberTables(a),
		Counts: a.Counts, Losses: losses(a), Warnings: a.Warnings, WarningGroups: groupWarnings(a.Warnings), Scope: conclusions(a), Method: method(a), HowToRead: howToRead(a),
		Machine: machineGroups(s.Environment), Variants: variantEnvironments(a.Plan, s.Environment),
		Plan: planFacts(a), Blocks: blockOrders(a.Blocks()), Again: reproduce(s),
		Choice: newChoice(s.Rankings), Decision: newDecisionView(s.Decision), Costs: newCosts(s.Costs),
		Published: newPublishedView(s.Claims),
	}
	if len(a.Plan.Variants) <= namedVariants {
		p.Comparing = comparing(a)
	}
	p.Drawings, p.Undrawn = topologies(a, s.Environment)
	p.Differing, p.Compared = nodeDifferences(a, s.Environment)
	findings := 0
	for _, q := range p.Questions {
		findings += len(q.Findings)
	}
	p.Brief = findings <= openFindings
	p.Long = len(a.Cells) > printedCells
	p.figures(a)
	if err := p.embed(s); err != nil {
		return page{}, err
	}
	var err error
	p.Groups, err = groupings(a)
	return p, err
}

// embed adds what the page brings with it.
func (p *page) embed(s Source) error {
	style, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return err
	}
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		return err
	}
	p.Style, p.Script = template.CSS(string(style)+figure.Style), template.JS(script)
	p.Values, err = newPageValues(s)
	return err
}

// figures draws what the sections show, with fewer titles and pairs the more
// there is to draw.
func (p *page) figures(a analysis.Analysis) {
	comparisons, important := comparisonCounts(a)
	samples := sampleCount(a)
	p.Strips = figureGroups(a, "blocks", func(m analysis.Metric, id string) chart {
		return stripChart(a, m, id, samples <= dotTitles)
	})
	p.Forests = figureGroups(a, "effects", func(m analysis.Metric, id string) chart {
		return forestChart(m, id, comparisons <= forestRows || (m.Main || m.Primary) && important <= forestRows)
	})
	p.Nodes = nodeMatrices(a)
	for i, c := range a.Cells {
		cpu := cellCPU{Cell: c.ID, Parts: breakdowns(c, fmt.Sprintf("p%d", i))}
		if chart, ok := efficiencyChart(c, len(a.Blocks()), fmt.Sprintf("e%d", i)); ok {
			cpu.Efficient = &chart
		}
		if cpu.Efficient != nil || len(cpu.Parts) > 0 {
			p.CPU = append(p.CPU, cpu)
		}
	}
}

// comparisonCounts counts the comparisons of the metrics that are not folded,
// and of those that are main or primary.
func comparisonCounts(a analysis.Analysis) (all, important int) {
	for _, c := range a.Cells {
		for _, m := range shownMetrics(c) {
			all += len(m.Comparisons)
			if m.Main || m.Primary {
				important += len(m.Comparisons)
			}
		}
	}
	return all, important
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

// figureGroups draws a chart of every metric that is not folded, if they are
// not too many, with ids that are unique in the page.
func figureGroups(a analysis.Analysis, section string, draw func(analysis.Metric, string) chart) []figureGroup {
	rows := 0
	for _, c := range a.Cells {
		rows += len(shownMetrics(c)) * len(a.Plan.Variants)
	}
	var groups []figureGroup
	for i, c := range a.Cells {
		g := figureGroup{Section: section, Cell: c.ID, Subtitle: strings.TrimPrefix(cellSubtitle(c), c.ID+", ")}
		for j, m := range shownMetrics(c) {
			if rows > figureRows && !m.Main && !m.Primary {
				g.Left++
				continue
			}
			chart := draw(m, fmt.Sprintf("%s%d-%d", section[:1], i, j))
			chart.key(i, j, m)
			if m.Main {
				g.Main = &chart
			} else {
				g.Others = append(g.Others, chart)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// key joins each row to the values of its variant.
func (c *chart) key(cell, metric int, m analysis.Metric) {
	for i := range c.Rows {
		for v, arm := range m.Arms {
			if arm.Variant == c.Rows[i].Name {
				c.Rows[i].Key = dataKey(cell, metric, v)
			}
		}
	}
}
