package gate

import (
	"bytes"
	"fmt"
	"io"

	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// Text writes the result for a terminal: what does not pass comes first.
func Text(w io.Writer, res Result) error {
	b := &bytes.Buffer{}
	line := func(format string, args ...any) { wrapped(b, "", fmt.Sprintf(format, args...)) }
	line("gate of %s: %s", res.Campaign, res.Headline())
	switch {
	case res.Baseline != "":
		line("against the baseline %s, the same variants, unpaired", res.Baseline)
	case res.Unpaired:
		line("against %s, as independent samples", res.Base)
	case res.Base != "":
		line("against %s, within blocks", res.Base)
	}
	if len(res.Unfit) > 0 {
		fmt.Fprintln(b)
	}
	for _, reason := range res.Unfit {
		line("unfit: %s", reason)
	}
	for _, o := range []stats.Outcome{stats.Regression, stats.Undecided, stats.Pass} {
		for _, c := range res.Checks {
			if c.Outcome == o && res.Outcome != Unfit {
				fmt.Fprintln(b)
				line("%s: %s", o, c.Subject())
				wrapped(b, "  ", c.Explain(res.against()))
			}
		}
	}
	writeRemarks(b, res)
	if res.Outcome != Unfit {
		fmt.Fprintln(b)
		line("%s.", res.family())
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

// writeRemarks writes what stands beside the checks, after an empty line.
func writeRemarks(b *bytes.Buffer, res Result) {
	remarks := &bytes.Buffer{}
	for _, d := range res.Differences {
		if d.Allowed {
			wrapped(remarks, "", "allowed difference: "+d.String())
		}
	}
	for _, warning := range res.Warnings {
		wrapped(remarks, "", "warning: "+warning.Code+": "+warning.Message)
		wrapped(remarks, "  ", "hint: "+warning.Hint)
	}
	if remarks.Len() > 0 {
		b.WriteString("\n" + remarks.String())
	}
}

// wrapped writes a paragraph of what is printable in a text.
func wrapped(b *bytes.Buffer, indent, text string) {
	b.WriteString(prose.Paragraph(indent, prose.Printable(text)))
}
