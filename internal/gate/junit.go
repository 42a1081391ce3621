package gate

import (
	"io"

	"github.com/cnibench/cnibench/internal/junit"
	"github.com/cnibench/cnibench/internal/stats"
)

// JUnit writes the result as one test suite: a regression is a failure, an
// inconclusive check is skipped, an unfit environment is an error of a test
// case of its own. Times are left out: a gate measures nothing.
func JUnit(w io.Writer, res Result) error {
	suite := junit.Suite{Name: res.Campaign, Properties: []junit.Property{
		{Name: "outcome", Value: string(res.Outcome)}, {Name: "plan", Value: res.Plan},
		{Name: "against", Value: res.against()}, {Name: "alpha", Value: short(res.Alpha)},
	}}
	if res.Outcome == Unfit {
		suite.Cases = append(suite.Cases, junit.Case{
			Class: junit.Class(res.Campaign, "environment"), Name: "fit for a decision",
			Error: &junit.Said{Message: res.Headline(), Type: "unfit", Text: res.Unfit},
		})
	}
	for _, c := range res.Checks {
		suite.Cases = append(suite.Cases, caseOf(res, c))
	}
	for _, warning := range res.Warnings {
		suite.Output = append(suite.Output, warning.Code+": "+warning.Message)
	}
	suite.Output = append(suite.Output, res.family())
	return junit.Write(w, "cnibench gate", suite)
}

func caseOf(res Result, c Check) junit.Case {
	name := c.Cell + "/" + c.Metric
	if c.Bound != "" {
		name += " " + c.asked()
	}
	text := c.Explain(res.against())
	j := junit.Case{Class: junit.Class(res.Campaign, c.Variant), Name: name, Output: []string{text}}
	switch c.Outcome {
	case stats.Regression:
		j.Failure = &junit.Said{Message: text, Type: string(c.Outcome), Text: []string{text}}
	case stats.Undecided:
		j.Skipped = &junit.Said{Message: "inconclusive: " + text}
	}
	return j
}
