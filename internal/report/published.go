package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/claims"
	"github.com/cnibench/cnibench/internal/prose"
)

const (
	// openClaims is the most claims whose outcome is not folded.
	openClaims = 10
	// saidClaims is the most that a terminal shows more of than the name.
	saidClaims = 3
)

// Published is what others published, held against these results.
type Published struct {
	Counts []claims.Count `json:"counts"`
	Claims []NamedClaim   `json:"claims"`
}

// NamedClaim is what became of a claim, with its name among all, SOURCE/ID.
type NamedClaim struct {
	Name string `json:"name"`
	claims.Outcome
}

// newPublished is nil where nothing was held against the results.
func newPublished(c *claims.Checked) *Published {
	if c == nil {
		return nil
	}
	p := &Published{Counts: c.Counts(), Claims: []NamedClaim{}}
	for _, o := range c.Outcomes {
		p.Claims = append(p.Claims, NamedClaim{o.Name(), o})
	}
	return p
}

// publishedView lays out what others published: what these results decide as a
// table, the rest by reason.
type publishedView struct {
	Tally  string // what the results say
	Beside string // what they do not change; may be empty
	Open   []claimRow
	More   []claimRow // folded
	Rest   []claimsOfState
}

// claimRow is a claim that the results confirm or contradict.
type claimRow struct {
	State                string
	Source               string // its title, with its date
	Name, Where          string // of the claim
	Statement, Published string
	Allowed              string // by the claim, with rounding and margin
	Figure, Interval     string // as measured
	Subject              string // of the figure
	Doubts               string
}

// claimsOfState are claims in one state, by reason.
type claimsOfState struct {
	State   string
	Claims  int
	Reasons []claimReason
}

type claimReason struct{ Why, Claims string }

func newPublishedView(c *claims.Checked) *publishedView {
	if c == nil || len(c.Outcomes) == 0 {
		return nil
	}
	v := &publishedView{}
	v.Tally, v.Beside = claimTally(c)
	for i, o := range c.Decided() {
		if i < openClaims {
			v.Open = append(v.Open, newClaimRow(o))
		} else {
			v.More = append(v.More, newClaimRow(o))
		}
	}
	for _, r := range c.Reasons() {
		if n := len(v.Rest); n == 0 || v.Rest[n-1].State != string(r.State) {
			v.Rest = append(v.Rest, claimsOfState{State: string(r.State)})
		}
		v.Rest[len(v.Rest)-1].Claims += len(r.Claims)
		if r.Why == "" {
			r.Why = "whatever these results say"
		}
		last := &v.Rest[len(v.Rest)-1]
		last.Reasons = append(last.Reasons, claimReason{Why: r.Why, Claims: strings.Join(r.Claims, ", ")})
	}
	return v
}

// claimTally is such as "3 confirmed, 1 contradicted, 40 not comparable, 120
// not measured" and, of what no results change, "31 implausible, 5 not testable".
func claimTally(c *claims.Checked) (results, others string) {
	var said, beside []string
	for _, count := range c.Counts() {
		text := fmt.Sprintf("%d %s", count.Claims, count.State)
		switch count.State {
		case claims.Implausible, claims.Inconsistent, claims.Consistent, claims.NotTestable:
			beside = append(beside, text)
		default:
			said = append(said, text)
		}
	}
	return strings.Join(said, ", "), strings.Join(beside, ", ")
}

// tally is both in one.
func (v publishedView) tally() string {
	if v.Beside == "" {
		return v.Tally
	}
	return v.Tally + "; whatever the results say, " + v.Beside
}

func newClaimRow(o claims.Outcome) claimRow {
	source := o.Title
	if o.Date != "" {
		source += " (" + o.Date + ")"
	}
	row := claimRow{
		Source: source, State: string(o.State), Name: o.Name(), Where: o.Where(), Statement: o.Statement, Published: o.Amount, Doubts: strings.Join(o.Doubts, "; "),
	}
	if r, agreeing, of, ok := o.Decisive(); ok {
		row.Allowed, row.Figure, row.Interval, row.Subject = r.Allowed(), r.Figure(), r.Interval(), r.Subject()
		if of > agreeing {
			row.Subject += fmt.Sprintf("; %d of %d readings are %s", agreeing, of, o.State)
		}
	}
	return row
}

// texts are the cells of the row in text and Markdown, with claimHead.
func (r claimRow) texts() []string {
	published := r.Published
	switch {
	case r.Allowed != "" && published == "":
		published = "allows " + r.Allowed
	case r.Allowed != "":
		published += "; allows " + r.Allowed
	}
	figure := r.Figure
	if r.Interval != "" {
		figure += " (" + r.Interval + ")"
	}
	return []string{r.State, r.Statement, r.Source + ", " + r.Name + ", " + r.Where, published, figure, r.Subject, r.Doubts}
}

var claimHead = []string{"state", "claim", "source", "published", "measured, 95 % interval", "what was measured", "doubts"}

// publishedRule says how claims are decided.
const publishedRule = "Confirmed: all of the 95 % interval lies within what the claim allows, which is what was published, its rounding and the metric's margin; contradicted: none of it does. Each is held against an interval of its own: of twenty claims that are right about one is contradicted by chance."

// PublishedText writes for a terminal what became of published claims, those
// that the results decide; nothing where c is nil.
func PublishedText(w io.Writer, c *claims.Checked) error {
	b := &bytes.Buffer{}
	v := newPublishedView(c)
	if v == nil {
		return nil
	}
	fmt.Fprintln(b, "What others published")
	writeWrapped(b, "  ", fmt.Sprintf("%s: %s; `cnibench claims` says why", prose.Plural(len(c.Outcomes), "claim"), v.tally()))
	decided := append(slices.Clone(v.Open), v.More...)
	said := min(saidClaims, len(decided))
	for _, row := range decided[:said] {
		cells := row.texts()
		writeWrapped(b, "  ", fmt.Sprintf("%s: %s, %s: %s", row.State, row.Name, row.Where, row.Statement))
		if cells[3] != "" {
			writeWrapped(b, "      ", "published: "+cells[3])
		}
		writeWrapped(b, "      ", fmt.Sprintf("measured: %s; %s", cells[4], cells[5]))
		if row.Doubts != "" {
			writeWrapped(b, "      ", "doubt: "+row.Doubts)
		}
	}
	if len(decided) > said {
		var names []string
		for _, row := range decided[said:] {
			names = append(names, row.State+" "+row.Name)
		}
		writeWrapped(b, "  ", "besides: "+strings.Join(names, ", "))
	}
	return flush(b, w, "text")
}

// publishedMarkdown folds the same.
func publishedMarkdown(b *bytes.Buffer, c *claims.Checked) {
	v := newPublishedView(c)
	if v == nil {
		return
	}
	fold(b, "What others published: "+v.tally(), func() {
		if len(v.Open) > 0 {
			rows := [][]string{claimHead}
			for _, row := range v.Open {
				rows = append(rows, row.texts())
			}
			markdownTable(b, rows)
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%s The HTML and JSON reports have the others.\n", md(publishedRule))
	})
}
