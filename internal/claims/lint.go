package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Finding is what is wrong with a claim, or why it cannot be tested, that no
// measurement is needed for.
type Finding struct {
	Source string `json:"source"`
	Claim  string `json:"claim"` // its id
	Lines  string `json:"lines"`
	// Statement is what is claimed.
	Statement string `json:"statement"`
	State     State  `json:"state"` // implausible, inconsistent or not testable
	// Check is what found it: line-rate, limit, coincidence, formula, evidence,
	// repeated; conflict and impossible are what a person found, who wrote it
	// into the file; kind is that of a forecast or opinion.
	Check  string `json:"check"`
	Detail string `json:"detail"`
}

// Gap is something that a source does not say.
type Gap struct {
	Source string   `json:"source"`
	What   string   `json:"what"`
	Claims []string `json:"claims,omitempty"` // ids; none: of the whole source
}

// Linted is what [Lint] found.
type Linted struct {
	Schema   string    `json:"schema"`
	Claims   int       `json:"claims"` // that were looked at
	Findings []Finding `json:"findings"`
	Gaps     []Gap     `json:"gaps"`
}

// LintSchema names the layout of Linted as JSON.
const LintSchema = "cnibench.io/claims-lint/v1"

// Lint looks at every claim by itself and among those of its source. Formulas
// may refer to claims of all the given sources; Lint fails where one refers to
// a claim that none has.
func Lint(sources []Source) (Linted, error) {
	l := Linted{Schema: LintSchema, Findings: []Finding{}, Gaps: []Gap{}}
	for _, s := range sources {
		x := linter{sources: sources, source: s, quantities: quantities(s)}
		for _, c := range s.Claims {
			l.Claims++
			if err := x.claim(c); err != nil {
				return Linted{}, fmt.Errorf("%s: %w", s.NameOf(c), err)
			}
		}
		l.Findings = append(l.Findings, x.findings...)
		l.Gaps = append(l.Gaps, gaps(s)...)
	}
	return l, nil
}

// Only keeps what was found about these sources.
func (l Linted) Only(sources []Source) Linted {
	kept := Linted{Schema: l.Schema, Findings: []Finding{}, Gaps: []Gap{}}
	for _, s := range sources {
		kept.Claims += len(s.Claims)
		for _, f := range l.Findings {
			if f.Source == s.Name {
				kept.Findings = append(kept.Findings, f)
			}
		}
		for _, g := range l.Gaps {
			if g.Source == s.Name {
				kept.Gaps = append(kept.Gaps, g)
			}
		}
	}
	return kept
}

// Of returns what was found about a claim, the gravest first.
func (l Linted) Of(source, claim string) []Finding {
	var list []Finding
	for _, f := range l.Findings {
		if f.Source == source && f.Claim == claim {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return slices.Index(States(), a.State) - slices.Index(States(), b.State)
	})
	return list
}

// linter looks at the claims of one source.
type linter struct {
	sources  []Source
	source   Source
	findings []Finding
	// quantities are the claims about one quantity, by its key.
	quantities map[string][]Claim
}

func (x *linter) find(c Claim, state State, check, format string, args ...any) {
	x.findings = append(x.findings, Finding{x.source.Name, c.ID, c.Lines, c.Statement, state, check, fmt.Sprintf(format, args...)})
}

func (x *linter) claim(c Claim) error {
	x.lineRate(c)
	if err := x.limits(c); err != nil {
		return err
	}
	if c.Impossible != "" {
		x.find(c, Implausible, "impossible", "%s", c.Impossible)
	}
	if err := x.formula(c); err != nil {
		return err
	}
	if err := x.evidence(c); err != nil {
		return err
	}
	x.repeated(c)
	for _, k := range c.Conflicts {
		x.find(c, Inconsistent, "conflict", "%s: %s", atLines(k.Lines), k.Says)
	}
	switch c.Kind {
	case Unprinted:
		x.find(c, NotTestable, "kind", "its figures are not in the text")
	case Forecast:
		x.find(c, NotTestable, "kind", "a forecast")
	case Opinion:
		x.find(c, NotTestable, "kind", "an opinion or advice")
	}
	return nil
}

// limits compares the number with what bounds it and with what it must not
// equal.
func (x *linter) limits(c Claim) error {
	for _, bound := range []struct {
		e      Expression
		beyond func(limit float64) bool
		word   string
	}{
		{c.Least, func(limit float64) bool { return c.Number.High+c.Number.Half < limit }, "below the least that is possible"},
		{c.Most, func(limit float64) bool { return c.Number.Low-c.Number.Half > limit }, "above the most that is possible"},
	} {
		if bound.e.IsZero() {
			continue
		}
		limit, err := bound.e.Evaluate(x.number)
		if err != nil {
			return err
		}
		if bound.beyond(limit) {
			x.find(c, Implausible, "limit", "%s is %s, %s: %s", c.amount(), bound.word, computed(bound.e, limit), orNone(c.Limit))
		}
	}
	if c.Coincides.IsZero() {
		return nil
	}
	same, err := c.Coincides.Evaluate(x.number)
	if err != nil {
		return err
	}
	if c.Number.Holds(same) {
		x.find(c, Implausible, "coincidence", "%s is, rounded as it is printed, %s: %s", c.amount(), computed(c.Coincides, same), orNone(c.Why))
	}
	return nil
}

func orNone(why string) string {
	if why == "" {
		return "the file does not say why"
	}
	return why
}

// formula computes what the number must be.
func (x *linter) formula(c Claim) error {
	if c.Formula.IsZero() {
		return nil
	}
	want, err := c.Formula.Evaluate(x.number)
	if err != nil {
		return err
	}
	if !c.Number.Holds(want) {
		why := ""
		if c.Why != "" {
			why = "; " + c.Why
		}
		x.find(c, Inconsistent, "formula", "%s is claimed; its own figures give %s = %s%s", c.amount(), x.spelled(c.Formula), c.show(want), why)
	}
	return nil
}

// number is what a reference stands for: the printed number, in its unit.
func (x *linter) number(reference string) (float64, error) {
	c, err := x.lookup(reference)
	if err != nil {
		return 0, err
	}
	if c.Number == nil || !c.Number.Single() {
		return 0, fmt.Errorf("the claim %s has no single number", reference)
	}
	return c.Number.Low, nil
}

func (x *linter) lookup(reference string) (Claim, error) {
	source, id := x.source.Name, reference
	if before, after, other := strings.Cut(reference, "/"); other {
		source, id = before, after
	}
	for _, s := range x.sources {
		if s.Name != source {
			continue
		}
		for _, c := range s.Claims {
			if c.ID == id {
				return c, nil
			}
		}
	}
	return Claim{}, fmt.Errorf("there is no claim %s/%s", source, id)
}

// spelled is a formula with the lines that its numbers are from.
func (x *linter) spelled(e Expression) string {
	text := e.String()
	for _, reference := range e.References() {
		if c, err := x.lookup(reference); err == nil {
			text = strings.ReplaceAll(text, "["+reference+"]", fmt.Sprintf("%s (%s)", plain(c.Number.Low), atLines(c.Lines)))
		}
	}
	return text
}
