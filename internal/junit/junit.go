package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/prose"
)

// Suite is a list of test cases.
type Suite struct {
	Name string
	// Began is when the first case began; zero: nobody says.
	Began      time.Time
	Properties []Property
	Cases      []Case
	Output     []string // lines
}

// Property is a fact about a suite.
type Property struct{ Name, Value string }

// Case is one test. At most one of Skipped, Error and Failure is set; without
// any the test passed.
type Case struct {
	// Class groups cases, see [Class].
	Class, Name string
	// Took is 0 where nothing was timed.
	Took                    time.Duration
	Skipped, Error, Failure *Said
	Output                  []string // lines
}

// Said is why a test did not pass: in one line, by kind, and in full.
type Said struct {
	Message, Type string
	Text          []string // lines
}

// Class joins names to a class name. Servers cut it at its last dot, so names
// lose theirs.
func Class(names ...string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.ReplaceAll(name, ".", "_")
	}
	return strings.Join(parts, ".")
}

// Write writes suites under a name, as one document.
func Write(w io.Writer, name string, suites ...Suite) error {
	doc := document{Name: prose.Printable(name)}
	for _, s := range suites {
		x := s.element()
		doc.add(x.counts)
		doc.Suites = append(doc.Suites, x)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	return nil
}

// The elements, in the order that the schema asks for.
type (
	document struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		counts
		Suites []suite `xml:"testsuite"`
	}
	suite struct {
		Name string `xml:"name,attr"`
		counts
		Time       string      `xml:"time,attr,omitempty"`
		Timestamp  string      `xml:"timestamp,attr,omitempty"`
		Properties *properties `xml:"properties"`
		Cases      []testCase  `xml:"testcase"`
		Output     *text       `xml:"system-out"`
	}
	properties struct {
		List []property `xml:"property"`
	}
	counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCase struct {
		Class   string `xml:"classname,attr"`
		Name    string `xml:"name,attr"`
		Time    string `xml:"time,attr,omitempty"`
		Skipped *said  `xml:"skipped"`
		Error   *said  `xml:"error"`
		Failure *said  `xml:"failure"`
		Output  *text  `xml:"system-out"`
	}
	said struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	text struct {
		Text string `xml:",chardata"`
	}
)

func (s Suite) element() suite {
	x := suite{Name: prose.Printable(s.Name), Output: output(s.Output)}
	if !s.Began.IsZero() {
		x.Timestamp = s.Began.UTC().Format("2006-01-02T15:04:05")
	}
	if len(s.Properties) > 0 {
		x.Properties = &properties{}
	}
	for _, p := range s.Properties {
		x.Properties.List = append(x.Properties.List, property{prose.Printable(p.Name), prose.Printable(p.Value)})
	}
	var took time.Duration
	for _, c := range s.Cases {
		took += c.Took
		x.Cases = append(x.Cases, testCase{
			Class: prose.Printable(c.Class), Name: prose.Printable(c.Name), Time: seconds(c.Took),
			Skipped: c.Skipped.element(), Error: c.Error.element(), Failure: c.Failure.element(), Output: output(c.Output),
		})
		x.add(counts{1, one(c.Failure), one(c.Error), one(c.Skipped)})
	}
	x.Time = seconds(took)
	return x
}

func (s *Said) element() *said {
	if s == nil {
		return nil
	}
	return &said{prose.Printable(s.Message), prose.Printable(s.Type), lines(s.Text)}
}

func (c *counts) add(more counts) {
	c.Tests += more.Tests
	c.Failures += more.Failures
	c.Errors += more.Errors
	c.Skipped += more.Skipped
}

func one(s *Said) int {
	if s == nil {
		return 0
	}
	return 1
}

func output(list []string) *text {
	if len(list) == 0 {
		return nil
	}
	return &text{lines(list)}
}

// lines ends each of several lines; a single one is left as it is.
func lines(list []string) string {
	if len(list) == 1 {
		return prose.Printable(list[0])
	}
	var b strings.Builder
	for _, l := range list {
		b.WriteString(prose.Printable(l) + "\n")
	}
	return b.String()
}

// seconds writes a time to the millisecond, as servers expect it.
func seconds(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}
