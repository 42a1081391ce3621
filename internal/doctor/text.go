package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// headings stand above the findings of a severity.
var headings = map[Severity]string{
	Unfit: "UNFIT: what is measured here would be wrong", Warning: "WARNINGS", Unknown: "UNKNOWN", Info: "FOR YOUR INFORMATION", OK: "OK",
}

// Text writes a report for people: problems first, one line each, with why it
// matters and what mends it below; the answer last.
func Text(w io.Writer, r Report) error {
	var b strings.Builder
	for _, severity := range Severities {
		if r.Counts[severity] == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", headings[severity])
		for _, f := range together(r.Findings) {
			if f.Severity == severity {
				line(&b, f)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(r.Summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// together makes one finding of those that differ in their places alone.
func together(findings []Finding) []Finding {
	var all []Finding
	for _, f := range findings {
		same := func(other Finding) bool {
			other.Where = f.Where
			return other == f
		}
		if i := slices.IndexFunc(all, same); i >= 0 && f.Where != "" {
			all[i].Where += ", " + f.Where
			continue
		}
		all = append(all, f)
	}
	return all
}

func line(b *strings.Builder, f Finding) {
	paragraph(b, fmt.Sprintf("  %-17s ", f.Check), f.at()+f.Evidence)
	const under = "                    "
	if f.Severity == Unfit || f.Severity == Warning || f.Severity == Info {
		if f.Why != "" {
			paragraph(b, under+"why: ", f.Why)
		}
		if f.Fix != "" {
			paragraph(b, under+"fix: ", f.Fix)
		}
	}
}

// paragraph writes a text beside a label, in lines that stay right of it.
func paragraph(b *strings.Builder, label, text string) {
	lines := prose.Lines(oneLine(text), prose.Width-len(label))
	b.WriteString(label + strings.Join(lines, "\n"+strings.Repeat(" ", len(label))) + "\n")
}

func (f Finding) at() string {
	if f.Where == "" {
		return ""
	}
	return f.Where + ": "
}

// oneLine keeps what clusters say from moving a terminal's cursor.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// Summary says it in one line. Fit is only what has neither warnings nor
// unknowns: a machine that others use up is not what readers understand by it.
func (r Report) Summary() string {
	place, warnings, unknowns := oneLine(r.Place), r.Counts[Warning], r.Counts[Unknown]
	switch {
	case !r.Fit:
		return fmt.Sprintf("%s is not fit to be measured: %s", place, r.counts(Unfit, Warning, Unknown, Info, OK))
	case warnings > 0:
		say := "say"
		if warnings == 1 {
			say = "says"
		}
		return fmt.Sprintf("nothing makes %s unfit, but %s %s what results will suffer from (%s)",
			place, prose.Plural(warnings, "warning"), say, r.counts(Unknown, Info, OK))
	case unknowns > 0:
		return fmt.Sprintf("nothing makes %s unfit, as far as is known: %s", place, r.counts(Unknown, Info, OK))
	}
	return fmt.Sprintf("%s is fit to be measured: %s", place, r.counts(Info, OK))
}

// counts lists how many findings there are of severities that have any.
func (r Report) counts(of ...Severity) string {
	var parts []string
	for _, s := range of {
		switch n := r.Counts[s]; {
		case n == 0 && s != OK:
		case s == Warning:
			parts = append(parts, prose.Plural(n, "warning"))
		case s == Info:
			parts = append(parts, fmt.Sprintf("%d for information", n))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(parts, ", ")
}

// JSON writes a report for programs.
func JSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// Markdown writes a report for issues and wikis.
func Markdown(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| | check | where | found | why | fix |\n|---|---|---|---|---|---|\n", cell(r.Summary()))
	for _, f := range together(r.Findings) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", f.Severity, f.Check, cell(f.Where), cell(f.Evidence), cell(f.Why), cell(f.Fix))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell makes a text one cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(oneLine(s))
}
