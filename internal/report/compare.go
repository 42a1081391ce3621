package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// differencesShown is how many differences of environment text lists; the other
// formats have all.
const differencesShown = 20

// CompareText writes comparisons as tables for a terminal.
func CompareText(w io.Writer, c analysis.Compared) error {
	v := viewCompared(c)
	b := &bytes.Buffer{}
	fmt.Fprintln(b, v.Title)
	for _, line := range v.Intro {
		writeWrapped(b, "", line)
	}
	for _, cell := range v.Cells {
		fmt.Fprintln(b)
		writeWrapped(b, "", cell.Title)
		for _, m := range cell.Metrics {
			fmt.Fprintf(b, "\n  %s\n", m.Title)
			writeRows(b, "    ", m.Rows, m.Right)
			writeRows(b, "    ", m.Pairs, []bool{false, true, true, false, false})
			for _, note := range m.Notes {
				writeWrapped(b, "    ", note)
			}
		}
		if cell.Others != "" {
			fmt.Fprintln(b)
			writeWrapped(b, "  ", cell.Others)
		}
	}
	if len(v.Differences) > 0 {
		fmt.Fprintf(b, "\nThe environments differ\n")
		shown := narrow(v.Differences[:min(len(v.Differences), differencesShown+1)])
		writeRows(b, "  ", shown, []bool{false, false, false, false})
		if more := len(v.Differences) - len(shown); more > 0 {
			fmt.Fprintf(b, "  … %d more: --format md, json or csv\n", more)
		}
	}
	if len(v.Omitted) > 0 {
		fmt.Fprintf(b, "\nNot compared\n")
		for _, line := range v.Omitted {
			writeWrapped(b, "  ", line)
		}
	}
	writeWarnings(b, c.Warnings)
	fmt.Fprintln(b)
	for _, line := range v.Legend {
		writeWrapped(b, "", line)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

// narrow cuts long values.
func narrow(rows [][]string) [][]string {
	const widest = 40
	var cut [][]string
	for _, row := range rows {
		row = slices.Clone(row)
		for i := range row[:3] {
			if runes := []rune(row[i]); len(runes) > widest {
				row[i] = string(runes[:widest-1]) + "…"
			}
		}
		cut = append(cut, row)
	}
	return cut
}

// writeRows writes a table if it has rows. Right may name more columns than
// there are.
func writeRows(b *bytes.Buffer, indent string, rows [][]string, right []bool) {
	if len(rows) == 0 {
		return
	}
	t := table{indent: indent, right: right[:len(rows[0])], rows: rows}
	t.write(b)
}

// CompareMarkdown writes comparisons for a pull request or an issue.
func CompareMarkdown(w io.Writer, c analysis.Compared) error {
	v := viewCompared(c)
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# %s\n\n", md(v.Title))
	for _, line := range v.Intro {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
	for _, cell := range v.Cells {
		markdownCell(b, cell)
	}
	if len(v.Differences) > 0 {
		fmt.Fprint(b, "\n## The environments differ\n\n")
		markdownTable(b, v.Differences)
	}
	if len(v.Omitted) > 0 {
		fmt.Fprint(b, "\n## Not compared\n\n")
		for _, line := range v.Omitted {
			fmt.Fprintf(b, "- %s\n", md(line))
		}
	}
	markdownWarnings(b, c.Warnings)
	fmt.Fprintln(b)
	for _, line := range v.Legend {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

func markdownCell(b *bytes.Buffer, cell compareCell) {
	fmt.Fprintf(b, "\n## %s\n", md(cell.Title))
	for _, m := range cell.Metrics {
		fmt.Fprintf(b, "\n### %s\n\n", md(m.Title))
		markdownTable(b, m.Rows)
		if len(m.Pairs) > 0 {
			fmt.Fprintln(b)
			markdownTable(b, m.Pairs)
		}
		for _, note := range m.Notes {
			fmt.Fprintf(b, "\n%s\n", md(capital(note)))
		}
	}
	if cell.Others != "" {
		fmt.Fprintf(b, "\n%s\n", md(capital(cell.Others)))
	}
}

func markdownWarnings(b *bytes.Buffer, warnings []result.Warning) {
	if len(warnings) > 0 {
		fmt.Fprint(b, "\n## Warnings\n\n")
		for _, warning := range warnings {
			fmt.Fprintf(b, "- **%s**: %s.", md(warning.Code), md(warning.Message))
			if warning.Hint != "" {
				fmt.Fprintf(b, " Hint: %s.", md(warning.Hint))
			}
			fmt.Fprintln(b)
		}
	}
}

// CompareJSON writes all comparisons, indented, with a newline at the end.
func CompareJSON(w io.Writer, c analysis.Compared) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
