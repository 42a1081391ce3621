package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/result"
)

// CheckSchema names the layout of Checked as JSON.
const CheckSchema = "cnibench.io/claims/v1"

// Checked is every claim held against one campaign's results.
type Checked struct {
	Schema   string    `json:"schema"`
	Campaign string    `json:"campaign"`
	Plan     string    `json:"plan"` // its hash
	Topology string    `json:"topology"`
	Outcomes []Outcome `json:"claims"`
}

// Outcome is what became of one claim.
type Outcome struct {
	Source    string `json:"source"`
	Title     string `json:"title"` // of the source
	Date      string `json:"date,omitempty"`
	ID        string `json:"id"`
	Lines     string `json:"lines"`
	Kind      Kind   `json:"kind"`
	Statement string `json:"statement"`
	Amount    string `json:"amount,omitempty"` // what is claimed, as it is printed
	// State is the source's own where it refutes the claim, and otherwise
	// Measured.
	State State `json:"state"`
	// Measured is what the results alone say: confirmed, contradicted,
	// undecided, not comparable or not measured; empty where there is nothing to
	// measure.
	Measured State  `json:"measured,omitempty"`
	Why      string `json:"why"`
	// Findings are those of Lint about this claim.
	Findings []Finding `json:"findings,omitempty"`
	Readings []Reading `json:"readings,omitempty"`
	// Doubts is what is not as the source has it, of a claim that could be
	// compared in spite of it.
	Doubts []string `json:"doubts,omitempty"`
	// Needs is what would measure it; nil when it is measured or nothing could.
	Needs *Needs `json:"needs,omitempty"`
}

// Reading is one figure of the results that a claim was held against.
type Reading struct {
	Cell    string `json:"cell"`
	Metric  string `json:"metric"`
	Unit    string `json:"unit,omitempty"` // empty: a fraction
	Variant string `json:"variant"`
	Against string `json:"against,omitempty"` // variant or cell
	N       int    `json:"n"`
	// Estimate is a median, or a Hodges–Lehmann change; Low and High are its
	// 95 % interval, absent where there are too few values.
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	// From and To are what the claim allows, rounding and margin included; an
	// open end is absent.
	From  *float64 `json:"from,omitempty"`
	To    *float64 `json:"to,omitempty"`
	State State    `json:"state"`
}

// Results are what claims are held against.
type Results struct {
	Analysis    analysis.Analysis
	Environment result.Environment
	// Known translates names of imported results; nil: names are as they are.
	Known *campaign.Known
}

// Check holds all claims against the results.
func Check(sources []Source, r Results) (Checked, error) {
	l, err := Lint(sources)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{
		Schema: CheckSchema, Campaign: r.Analysis.Plan.Name, Plan: r.Analysis.Plan.Hash, Topology: r.Analysis.Topology, Outcomes: []Outcome{},
	}
	for _, s := range sources {
		for _, claim := range s.Claims {
			o := Outcome{
				Source: s.Name, Title: s.Title, Date: s.Date, ID: claim.ID, Lines: claim.Lines, Kind: claim.Kind,
				Statement: claim.Statement, Amount: claim.amount(), Findings: l.Of(s.Name, claim.ID),
			}
			x := checker{results: r, claim: claim}
			x.measure(&o)
			o.conclude(claim, s)
			c.Outcomes = append(c.Outcomes, o)
		}
	}
	return c, nil
}

// conclude puts together what the source and the results say.
func (o *Outcome) conclude(c Claim, s Source) {
	if o.Measured == NotMeasured {
		o.Needs = needsOf(c, s)
	}
	if len(o.Findings) > 0 {
		o.State = o.Findings[0].State
		var details []string
		for _, f := range o.Findings {
			if f.State == o.State {
				details = append(details, f.Detail)
			}
		}
		o.Why = strings.Join(details, "; ")
		return
	}
	o.State = o.Measured
	if o.State != "" {
		return
	}
	o.State, o.Why = NotMeasured, "no scenario measures it as the source does"
	if c.Kind == Consistency || len(c.Evidence) > 0 || !c.Formula.IsZero() {
		o.State, o.Why = Consistent, "it agrees with the source's own figures; cnibench does not measure it"
	}
}

// checker holds one claim against the results.
type checker struct {
	results  Results
	claim    Claim
	readings []Reading
	// lacks says why a measure has no reading, doubts what is not as the source
	// has it.
	lacks, barriers, doubts []string
	marks                   []string // qualities of trials behind the readings
	unread                  int      // pairs of an order that the results do not have
}

// measure takes all readings and combines them.
func (x *checker) measure(o *Outcome) {
	if len(x.claim.Measures) == 0 {
		return
	}
	for _, m := range x.claim.Measures {
		x.take(m)
	}
	o.Readings, o.Doubts = x.readings, append(unique(x.doubts), unique(x.marks)...)
	switch barriers := unique(x.barriers); {
	case len(barriers) > 0:
		o.Measured, o.Why = NotComparable, strings.Join(barriers, "; ")
		o.Doubts = nil
		for i := range o.Readings {
			o.Readings[i].State = NotComparable
		}
	case len(x.readings) == 0:
		o.Measured, o.Why = NotMeasured, strings.Join(unique(x.lacks), "; ")
	default:
		o.Measured, o.Why = combine(x.readings)
		if o.Measured == Confirmed && x.unread > 0 {
			o.Measured = Undecided
			o.Why = fmt.Sprintf("confirmed where it was measured (%s); %s", o.Why, strings.Join(unique(x.lacks), "; "))
		}
	}
}

// combine is the state that all readings share. Readings that contradict make
// the claim contradicted: it is then not so everywhere.
func combine(readings []Reading) (State, string) {
	counts := map[State]int{}
	for _, r := range readings {
		counts[r.State]++
	}
	state := Confirmed
	switch {
	case counts[Contradicted] > 0:
		state = Contradicted
	case counts[Undecided] > 0:
		state = Undecided
	}
	if counts[state] == len(readings) {
		return state, readings[0].words()
	}
	i := slices.IndexFunc(readings, func(r Reading) bool { return r.State == state })
	return state, fmt.Sprintf("%d of %d readings, such as %s", counts[state], len(readings), readings[i].words())
}

func unique(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// take reads what one measure says, in every cell and for every variant of the
// results that it is about.
func (x *checker) take(m Measure) {
	cells := x.cells(m.Scenario, m.Parameters)
	if len(cells) == 0 {
		x.lack("no cell is %s", describe(m.Scenario, m.Parameters))
		return
	}
	for _, c := range cells {
		i := slices.IndexFunc(c.Metrics, func(k analysis.Metric) bool { return k.Name == m.Metric })
		if i < 0 {
			x.lack("%s has no values of %s", c.ID, m.Metric)
			continue
		}
		x.readMetric(m, c, c.Metrics[i])
	}
}

func (x *checker) lack(format string, args ...any) {
	x.lacks = append(x.lacks, fmt.Sprintf(format, args...))
}

func (x *checker) readMetric(m Measure, c analysis.Cell, k analysis.Metric) {
	switch x.claim.Kind {
	case Ordering, Equal:
		x.readOrder(c, k)
	case Ratio:
		if m.Against == nil {
			x.readRatio(c, k)
		} else {
			x.readAcross(m, c, k)
		}
	default:
		x.readLevel(m, c, k)
	}
}

// cells are those of a scenario that have the parameters. Imported results do
// not say all of theirs: those are taken, and doubted.
func (x *checker) cells(scenario string, parameters map[string]string) []analysis.Cell {
	var list []analysis.Cell
	for _, c := range x.results.Analysis.Cells {
		if x.scenarioOf(c) != scenario {
			continue
		}
		fits := true
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			value, said := c.Parameters[name]
			switch {
			case !said && x.results.Analysis.Plan.Imported != nil:
				x.doubts = append(x.doubts, "these results do not say the parameter "+name)
			case value != parameters[name]:
				fits = false
			}
		}
		if fits {
			list = append(list, c)
		}
	}
	return list
}

func (x *checker) scenarioOf(c analysis.Cell) string {
	if x.results.Known != nil && c.Definition == "" {
		if s, ok := x.results.Known.Scenario(c.Scenario); ok {
			return s.Name
		}
	}
	return c.Scenario
}

// entries are the variants of the results that are the named entry of the
// catalog, without A/A twins.
func (x *checker) entries(entry string) []analysis.Variant {
	var list []analysis.Variant
	for _, v := range x.results.Analysis.Variants {
		if x.entryOf(v) == entry && !x.results.Analysis.Plan.IsTwin(v.Name) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		x.lack("%s is not in these results", entry)
	}
	return list
}

func (x *checker) entryOf(v analysis.Variant) string {
	if x.results.Analysis.Plan.Imported == nil {
		return v.Entry
	}
	if v.Name == "baremetal" {
		return "host" // as another benchmark calls it
	}
	if x.results.Known != nil {
		if known, ok := x.results.Known.Variant(v.Name); ok {
			return known.Name
		}
	}
	return v.Name
}

// describe names a scenario with parameters.
func describe(scenario string, parameters map[string]string) string {
	text := scenario
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		text += " " + name + "=" + parameters[name]
	}
	return text
}
