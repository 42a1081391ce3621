package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
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
	fmt.Fprintf(b, "  %-17s %s\n", f.Check, oneLine(f.at()+f.Evidence))
	const under = "                    "
	if f.Severity == Unfit || f.Severity == Warning || f.Severity == Info {
		if f.Why != "" {
			fmt.Fprintf(b, "%swhy: %s\n", under, oneLine(f.Why))
		}
		if f.Fix != "" {
			fmt.Fprintf(b, "%sfix: %s\n", under, oneLine(f.Fix))
		}
	}
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

// Summary says it in one line.
func (r Report) Summary() string {
	answer := "fit to be measured"
	if !r.Fit {
		answer = "not fit to be measured"
	}
	return fmt.Sprintf("%s is %s: %d unfit, %d warnings, %d unknown, %d for information, %d ok",
		oneLine(r.Place), answer, r.Counts[Unfit], r.Counts[Warning], r.Counts[Unknown], r.Counts[Info], r.Counts[OK])
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
