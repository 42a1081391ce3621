package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// commentBytes is what a comment on GitHub may have, 65,536 characters, less
// some room for words around it.
const commentBytes = 60_000

// Markdown writes the report as a comment on a pull request or an issue, in the
// dialect of GitHub and GitLab: the verdicts first, what limits them and what
// to choose folded below, and of all numbers as many cells as a comment has
// room for. Of the source it needs the analysis and, if there are any, the
// rankings with the decision matrix, and the claims.
func Markdown(w io.Writer, s Source) error {
	a, b := s.Analysis, &bytes.Buffer{}
	fmt.Fprintf(b, "### %s: %s\n\n%s.\n", md(a.Plan.Name), md(tally(a)), md(capital(strings.Join(basis(a), ", "))))
	if text := stopping(a); text != "" {
		fmt.Fprintf(b, "%s.\n", md(capital(text)))
	}
	fmt.Fprintf(b, "Variants: %s.\n\n", md(comparing(a)))
	markdownVerdicts(b, a)
	end := &bytes.Buffer{}
	if lost := losses(a); len(lost) > 0 {
		rows := [][]string{{"cell", "variant", "what", "attempts", "reason", "where"}}
		for _, l := range lost {
			rows = append(rows, []string{l.Cell, l.Variant, l.Status, fmt.Sprint(l.Count), l.Reason, l.BlockList()})
		}
		fold(end, fmt.Sprintf("Trials without a result: %d of %d", a.Counts.Planned-a.Counts.OK, a.Counts.Planned), func() { markdownTable(end, rows) })
	}
	fold(end, "How to read this", func() {
		for _, line := range howToRead(a) {
			fmt.Fprintf(end, "- %s\n", md(line))
		}
		fmt.Fprintf(end, "- Plan %s, seed %d.\n", md(a.Plan.Hash), a.Plan.Seed)
	})
	foldedWarnings(b, a)
	if len(s.Rankings) > 0 {
		choice := &bytes.Buffer{}
		if err := ChoiceMarkdown(choice, Rankings{Rankings: s.Rankings, Decision: s.Decision, Brief: true}); err != nil {
			return err
		}
		fold(b, "What to choose, and what to decide by", func() { _, _ = choice.WriteTo(b) }) // a buffer takes everything
	}
	publishedMarkdown(b, s.Claims)
	markdownCells(b, a, commentBytes-b.Len()-end.Len())
	if _, err := io.Copy(w, io.MultiReader(b, end)); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// markdownVerdicts writes a row for every primary comparison.
func markdownVerdicts(b *bytes.Buffer, a analysis.Analysis) {
	rows := [][]string{{"variant", "cell", "metric", "change against " + a.Plan.Analysis.Base, "95 % interval", "margin", "verdict"}}
	for _, q := range answers(a) {
		found := false
		for _, c := range a.Cells {
			for _, m := range c.Metrics {
				if c.ID == q.Cell && m.Name == q.Metric {
					verdicts := verdictRows(c, m)
					rows, found = append(rows, verdicts...), len(verdicts) > 0
				}
			}
		}
		if !found {
			rows = append(rows, []string{"", q.Cell, q.Metric, "", "", "", q.Findings[0].Text})
		}
	}
	if len(rows) == 1 {
		fmt.Fprint(b, "The plan declares no primary comparison: everything below is exploratory.\n")
		return
	}
	markdownTable(b, rows)
}

func verdictRows(c analysis.Cell, m analysis.Metric) [][]string {
	var rows [][]string
	text := newEffectText(m)
	for _, k := range m.Comparisons {
		if !k.Primary {
			continue
		}
		row := []string{k.B, c.ID, m.Name, "–", "–", text.margin(m), "not compared: " + k.Open}
		if k.Effect != nil {
			row[3], row[4], row[6] = text.estimate(*k.Effect), joined(text.interval(*k.Effect), twinInterval(m, text)), string(k.Verdict)
			if k.Verdict == stats.Inconclusive {
				row[6] += "; " + outlook(k)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// foldedWarnings folds them behind their codes.
func foldedWarnings(b *bytes.Buffer, a analysis.Analysis) {
	if len(a.Warnings) == 0 {
		return
	}
	var codes []string
	for _, warning := range a.Warnings {
		if !slices.Contains(codes, warning.Code) {
			codes = append(codes, warning.Code)
		}
	}
	fold(b, prose.Plural(len(a.Warnings), "warning")+": "+strings.Join(codes, ", "), func() {
		for _, warning := range a.Warnings {
			fmt.Fprintf(b, "- **%s**: %s.", md(warning.Code), md(warning.Message))
			if warning.Hint != "" {
				fmt.Fprintf(b, " %s.", md(capital(warning.Hint)))
			}
			fmt.Fprintln(b)
		}
	})
}

// markdownCells folds every cell's tables, while there is room.
func markdownCells(b *bytes.Buffer, a analysis.Analysis, room int) {
	var left []string
	for _, c := range a.Cells {
		cell := &bytes.Buffer{}
		fold(cell, "All numbers of "+cellHeading(c), func() {
			for _, m := range c.Metrics {
				if !m.Folded() {
					markdownMetric(cell, m)
				}
			}
			markdownDetails(cell, c)
		})
		if room -= cell.Len(); room < 0 {
			left = append(left, c.ID)
			continue
		}
		_, _ = cell.WriteTo(b) // a buffer takes everything
	}
	if len(left) > 0 {
		fold(b, "Cells that a comment has no room for: "+fmt.Sprint(len(left)), func() {
			fmt.Fprintf(b, "%s. The HTML and JSON reports have them.\n", md(strings.Join(left, ", ")))
		})
	}
}

// fold hides what write writes behind a line.
func fold(b *bytes.Buffer, summary string, write func()) {
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", html.EscapeString(oneLine(summary)))
	write()
	fmt.Fprint(b, "\n</details>\n")
}

// oneLine keeps a name from ending the HTML that it stands in, which ends with
// an empty line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// markdownMetric writes a table of the variants and one of all pairs.
func markdownMetric(b *bytes.Buffer, m analysis.Metric) {
	show, effects := measureOf(m), newEffectText(m)
	fmt.Fprintf(b, "\n**%s**\n\n", md(metricTitle(m, show.unit)))
	rows := [][]string{{"variant", "n", "median", "95 % interval"}}
	for _, arm := range m.Arms {
		rows = append(rows, append([]string{arm.Variant}, armText(show, arm)...))
	}
	markdownTable(b, rows)
	rows = [][]string{{"pair", "effect", "95 % interval, unadjusted", "verdict", "family"}}
	for i, c := range withTwin(m) {
		family := "exploratory"
		switch {
		case c.Primary:
			family = "primary"
		case i == len(m.Comparisons):
			family = "A/A"
		}
		row := append([]string{c.B + " vs " + c.A}, comparisonText(effects, c)...)
		rows = append(rows, append(row, family))
	}
	if len(rows) > 1 {
		fmt.Fprintln(b)
		markdownTable(b, rows)
	}
}

// markdownTable writes rows, the first of them as the head.
func markdownTable(b *bytes.Buffer, rows [][]string) {
	for i, row := range rows {
		escaped := make([]string, len(row))
		for j, cell := range row {
			escaped[j] = md(cell)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(escaped, " | "))
		if i == 0 {
			fmt.Fprintf(b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
}

func md(s string) string { return prose.Markdown(s) }

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
