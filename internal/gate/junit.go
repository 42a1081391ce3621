package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/stats"
)

// The elements of JUnit's format that CI servers read, in the order that
// Jenkins' schema junit-10.xsd asks for. Times are left out: a gate measures
// nothing.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suite junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Output     *junitText      `xml:"system-out"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Skipped *junitSaid `xml:"skipped"`
		Error   *junitSaid `xml:"error"`
		Failure *junitSaid `xml:"failure"`
		Output  *junitText `xml:"system-out"`
	}
	junitSaid struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	junitText struct {
		Text string `xml:",chardata"`
	}
)

// JUnit writes the result as one test suite: a regression is a failure, an
// inconclusive check is skipped, an unfit environment is an error of a test
// case of its own.
func JUnit(w io.Writer, res Result) error {
	suite := junitSuite{Name: printable(res.Campaign), Properties: []junitProperty{
		{"outcome", string(res.Outcome)}, {"plan", printable(res.Plan)}, {"against", printable(res.against())}, {"alpha", short(res.Alpha)},
	}}
	if res.Outcome == Unfit {
		suite.Cases = append(suite.Cases, junitCase{
			Class: className(res, "environment"), Name: "fit for a decision",
			Error: &junitSaid{res.Headline(), "unfit", printableLines(res.Unfit)},
		})
	}
	for _, c := range res.Checks {
		suite.Cases = append(suite.Cases, caseOf(res, c))
	}
	for _, c := range suite.Cases {
		suite.Tests++
		suite.Failures += one(c.Failure)
		suite.Errors += one(c.Error)
		suite.Skipped += one(c.Skipped)
	}
	var said []string
	for _, warning := range res.Warnings {
		said = append(said, warning.Code+": "+warning.Message)
	}
	said = append(said, res.family())
	suite.Output = &junitText{printableLines(said)}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Name: "cnibench gate", junitCounts: suite.junitCounts, Suite: suite}); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	return nil
}

func caseOf(res Result, c Check) junitCase {
	name := c.Cell + "/" + c.Metric
	if c.Bound != "" {
		name += " " + c.allowance()
	}
	text := printable(c.Explain(res.against()))
	j := junitCase{Class: className(res, c.Variant), Name: printable(name), Output: &junitText{text}}
	switch c.Outcome {
	case stats.Regression:
		j.Failure = &junitSaid{text, string(c.Outcome), text}
	case stats.Undecided:
		j.Skipped = &junitSaid{Message: "inconclusive: " + text}
	}
	return j
}

// className groups test cases by variant: servers cut it at its last dot.
func className(res Result, variant string) string {
	return printable(strings.ReplaceAll(res.Campaign, ".", "_") + "." + strings.ReplaceAll(variant, ".", "_"))
}

func one(said *junitSaid) int {
	if said == nil {
		return 0
	}
	return 1
}

func printableLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(printable(l) + "\n")
	}
	return b.String()
}
