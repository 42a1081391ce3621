package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// GitHub writes the result as workflow commands, which GitHub shows as
// annotations: an error for every regression and everything unfit, a warning
// for what is inconclusive, and a notice with the whole.
func GitHub(w io.Writer, res Result) error {
	b := &bytes.Buffer{}
	for _, reason := range res.Unfit {
		annotate(b, "error", "unfit", reason)
	}
	for _, c := range res.Checks {
		text := c.Subject() + ": " + c.Explain(res.against())
		switch {
		case res.Outcome == Unfit:
		case c.Outcome == stats.Regression:
			annotate(b, "error", "regression", text)
		case c.Outcome == stats.Undecided:
			annotate(b, "warning", "inconclusive", text)
		}
	}
	for _, warning := range res.Warnings {
		annotate(b, "warning", warning.Code, warning.Message)
	}
	annotate(b, "notice", string(res.Outcome), res.Campaign+": "+res.Headline())
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing annotations: %w", err)
	}
	return nil
}

var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate writes one workflow command. Escaping is that of GitHub's own
// toolkit (packages/core/src/command.ts): in data %, CR and LF, in properties
// also the colon and the comma.
func annotate(b *bytes.Buffer, level, title, message string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", level, githubProperty.Replace("cnibench gate"+": "+prose.Printable(title)), githubData.Replace(prose.Printable(message)))
}
