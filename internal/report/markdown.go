package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// Markdown writes the analysis for a pull request or an issue, in the dialect
// with tables that GitHub and GitLab share.
func Markdown(w io.Writer, a analysis.Analysis) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# %s\n\n%s. %s; plan %s, seed %d.\n", md(a.Plan.Name),
		capital(tally(a)), md(capital(strings.Join(basis(a), ", "))), md(a.Plan.Hash), a.Plan.Seed)
	if text := stopping(a); text != "" {
		fmt.Fprintf(b, "\n%s.\n", md(capital(text)))
	}
	fmt.Fprintf(b, "\nVariants: %s.\n", md(comparing(a)))
	for _, q := range answers(a) {
		fmt.Fprintf(b, "\n**%s, %s**\n\n", md(q.Cell), md(q.Metric))
		for _, f := range q.Findings {
			fmt.Fprintf(b, "- %s\n", md(f.Text))
		}
	}
	for _, c := range a.Cells {
		fmt.Fprintf(b, "\n## %s\n\n%s\n", md(c.ID), md(cellSubtitle(c)))
		for _, m := range c.Metrics {
			if !m.Folded() {
				markdownMetric(b, m)
			}
		}
		markdownDetails(b, c)
	}
	if lost := losses(a); len(lost) > 0 {
		fmt.Fprint(b, "\n## Trials without a result\n\n")
		rows := [][]string{{"cell", "variant", "what", "attempts", "reason", "where"}}
		for _, l := range lost {
			rows = append(rows, []string{l.Cell, l.Variant, l.Status, fmt.Sprint(l.Count), l.Reason, l.BlockList()})
		}
		markdownTable(b, rows)
	}
	if len(a.Warnings) > 0 {
		fmt.Fprint(b, "\n## Warnings\n\n")
		for _, warning := range a.Warnings {
			fmt.Fprintf(b, "- **%s**: %s. %s\n", md(warning.Code), md(warning.Message), md(warning.Hint))
		}
	}
	fmt.Fprint(b, "\n## How to read this\n\n")
	for _, line := range howToRead(a) {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// markdownMetric writes a table of the variants and one of all pairs.
func markdownMetric(b *bytes.Buffer, m analysis.Metric) {
	show, effects := measureOf(m), newEffectText(m)
	fmt.Fprintf(b, "\n### %s\n\n", md(metricTitle(m, show.unit)))
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

// markdownEscapes keeps names and reasons from being taken for markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`, "\n", " ", "\r", " ",
)

func md(s string) string { return markdownEscapes.Replace(s) }

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
