package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// Summary writes what fits on a screen: the primary metrics, what was lost,
// and the warnings in a line each. Text writes all there is.
func Summary(w io.Writer, a analysis.Analysis) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "%s: %s\n%s\n", a.Plan.Name, tally(a), strings.Join(basis(a), ", "))
	writeStopping(b, a)
	writeWrapped(b, "", "variants: "+comparing(a))
	for _, c := range a.Cells {
		fmt.Fprintln(b)
		writeWrapped(b, "", cellHeading(c))
		primary := 0
		for _, m := range c.Metrics {
			if m.Primary {
				writeMetric(b, m)
				primary++
			}
		}
		if primary == 0 {
			fmt.Fprintln(b, "\n  no primary metric of this cell has a result")
		}
	}
	fmt.Fprintln(b)
	for _, q := range answers(a) {
		for _, f := range q.Findings {
			writeWrapped(b, "", q.Cell+": "+f.Text)
		}
	}
	fmt.Fprintln(b)
	writeLosses(b, a)
	for _, warning := range a.Warnings {
		writeWrapped(b, "", "warning: "+warning.Code+": "+warning.Message)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing summary: %w", err)
	}
	return nil
}
