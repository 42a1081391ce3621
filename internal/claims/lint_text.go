package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// LintText writes for a terminal what was found, by source.
func LintText(w io.Writer, l Linted) error {
	b := &bytes.Buffer{}
	counts := l.counts()
	fmt.Fprintf(b, "%s: %s\n", prose.Plural(l.Claims, "claim"), countText(counts))
	source := ""
	for _, f := range l.Findings {
		if f.State == NotTestable {
			continue
		}
		if f.Source != source {
			source = f.Source
			fmt.Fprintf(b, "\n%s\n", printable(source))
		}
		b.WriteString(prose.Paragraph("  ", printable(fmt.Sprintf("%s: %s (%s, %s): %s", f.State, f.Claim, atLines(f.Lines), f.Check, f.Statement))))
		b.WriteString(prose.Paragraph("      ", printable(f.Detail)))
	}
	writeUntestable(b, l)
	writeGaps(b, l)
	return flush(w, b)
}

// writeUntestable names what cannot be tested, in one paragraph by source.
func writeUntestable(b *bytes.Buffer, l Linted) {
	var sources []string
	names := map[string][]string{}
	for _, f := range l.Findings {
		if f.State != NotTestable {
			continue
		}
		if names[f.Source] == nil {
			sources = append(sources, f.Source)
		}
		names[f.Source] = append(names[f.Source], f.Claim)
	}
	if len(sources) > 0 {
		b.WriteString("\nnot testable: forecasts, opinions, and figures that the text does not hold\n")
	}
	for _, s := range sources {
		b.WriteString(prose.Paragraph("  ", printable(s+": "+strings.Join(names[s], ", "))))
	}
}

func writeGaps(b *bytes.Buffer, l Linted) {
	if len(l.Gaps) > 0 {
		b.WriteString("\nnot said\n")
	}
	for _, g := range l.Gaps {
		text := g.Source + ": " + g.What
		if len(g.Claims) > 0 {
			text += fmt.Sprintf(" (%s)", prose.Plural(len(g.Claims), "claim"))
		}
		b.WriteString(prose.Paragraph("  ", printable(text)))
	}
}

// counts counts claims by the gravest state that was found.
func (l Linted) counts() map[State]int {
	gravest := map[[2]string]State{}
	for _, f := range l.Findings {
		key := [2]string{f.Source, f.Claim}
		if known, ok := gravest[key]; !ok || graver(f.State, known) {
			gravest[key] = f.State
		}
	}
	counts := map[State]int{}
	for _, s := range gravest {
		counts[s]++
	}
	return counts
}

// countText is "4 implausible, 20 inconsistent".
func countText(counts map[State]int) string {
	var parts []string
	for _, s := range States() {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

// LintMarkdown writes for a pull request what was found.
func LintMarkdown(w io.Writer, l Linted) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "%s: %s.\n\n", prose.Plural(l.Claims, "claim"), countText(l.counts()))
	b.WriteString("| claim | line | claimed | state | why |\n|---|---|---|---|---|\n")
	for _, f := range l.Findings {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(f.Source+"/"+f.Claim), cell(f.Lines), cell(f.Statement), f.State, cell(f.Detail))
	}
	for i, g := range l.Gaps {
		if i == 0 {
			b.WriteString("\nNot said:\n\n")
		}
		fmt.Fprintf(b, "- %s: %s", cell(g.Source), cell(g.What))
		if len(g.Claims) > 0 {
			fmt.Fprintf(b, " (%s)", prose.Plural(len(g.Claims), "claim"))
		}
		b.WriteString("\n")
	}
	return flush(w, b)
}

// LintJSON writes all of it as data.
func LintJSON(w io.Writer, l Linted) error { return writeJSON(w, l) }

func writeJSON(w io.Writer, v any) error {
	b := &bytes.Buffer{}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return flush(w, b)
}

func flush(w io.Writer, b *bytes.Buffer) error {
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing claims: %w", err)
	}
	return nil
}

// printable puts a text on one line and shows what would steer a terminal.
func printable(s string) string { return prose.Printable(strings.Join(strings.Fields(s), " ")) }

// cell is text within a cell of a Markdown table.
func cell(s string) string { return prose.Markdown(printable(s)) }
