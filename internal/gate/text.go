package gate

import (
	"bytes"
	"fmt"
	"io"

	"github.com/cnibench/cnibench/internal/stats"
)

// Text writes the result for a terminal: what does not pass comes first.
func Text(w io.Writer, res Result) error {
	b := &bytes.Buffer{}
	line := func(format string, args ...any) { fmt.Fprintln(b, printable(fmt.Sprintf(format, args...))) }
	line("gate of %s: %s", res.Campaign, res.Headline())
	switch {
	case res.Baseline != "":
		line("against the baseline %s, the same variants, unpaired", res.Baseline)
	case res.Base != "":
		line("against %s, within blocks", res.Base)
	}
	if len(res.Unfit) > 0 {
		line("")
	}
	for _, reason := range res.Unfit {
		line("unfit: %s", reason)
	}
	for _, o := range []stats.Outcome{stats.Regression, stats.Undecided, stats.Pass} {
		for _, c := range res.Checks {
			if c.Outcome == o && res.Outcome != Unfit {
				line("")
				line("%s: %s", o, c.Subject())
				line("  %s", c.Explain(res.against()))
			}
		}
	}
	line("")
	for _, d := range res.Differences {
		if d.Allowed {
			line("allowed difference: %s", d)
		}
	}
	for _, warning := range res.Warnings {
		line("warning: %s: %s", warning.Code, warning.Message)
		line("  hint: %s", warning.Hint)
	}
	line("%s.", res.family())
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}
