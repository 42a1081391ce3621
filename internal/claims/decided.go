package claims

import (
	"cmp"
	"fmt"
	"slices"
)

// Count says how many claims are in a state.
type Count struct {
	State  State `json:"state"`
	Claims int   `json:"claims"`
}

// asked are the states that are counted first, and if no claim is in them.
var asked = []State{Confirmed, Contradicted, NotComparable, NotMeasured}

// Counts counts the outcomes by state, what the results say first. States other
// than confirmed, contradicted, not comparable and not measured that no claim is
// in are left out.
func (c Checked) Counts() []Count {
	counts := c.counts()
	list := []Count{}
	for _, s := range asked {
		list = append(list, Count{s, counts[s]})
	}
	for _, s := range order() {
		if counts[s] > 0 && !slices.Contains(asked, s) {
			list = append(list, Count{s, counts[s]})
		}
	}
	return list
}

// Decided lists the claims that the results confirm or contradict, the
// weightiest first: what is contradicted before what is confirmed, fewer doubts
// before more, then more values before fewer. Equals stay in the order of the
// sources.
func (c Checked) Decided() []Outcome {
	list := append(c.in(Contradicted), c.in(Confirmed)...)
	slices.SortStableFunc(list, func(a, b Outcome) int {
		if a.State != b.State {
			return 0 // they are apart already
		}
		return cmp.Or(cmp.Compare(len(a.Doubts), len(b.Doubts)), cmp.Compare(b.fewest(), a.fewest()))
	})
	return list
}

// fewest is the number of values behind the reading that has the fewest.
func (o Outcome) fewest() int {
	n := 0
	for i, r := range o.Readings {
		if i == 0 || r.N < n {
			n = r.N
		}
	}
	return n
}

// Reason is why claims are in a state other than confirmed and contradicted.
type Reason struct {
	State  State
	Why    string   // empty for what is about the source alone
	Claims []string // their names
}

// Reasons groups the claims that the results neither confirm nor contradict by
// state, in the order of Counts, and by reason. What is about the source alone
// is in one group for each state: Lint says why.
func (c Checked) Reasons() []Reason {
	var list []Reason
	for _, count := range c.Counts() {
		first := len(list)
		for _, o := range c.in(count.State) {
			r := Reason{State: o.State, Why: o.Why}
			switch o.State {
			case Confirmed, Contradicted:
				continue
			case Implausible, Inconsistent, Consistent, NotTestable:
				r.Why = ""
			}
			i := slices.IndexFunc(list[first:], func(known Reason) bool { return known.Why == r.Why })
			if i < 0 {
				i, list = len(list)-first, append(list, r)
			}
			list[first+i].Claims = append(list[first+i].Claims, o.Name())
		}
	}
	return list
}

// Name is the claim among all, SOURCE/ID.
func (o Outcome) Name() string { return o.Source + "/" + o.ID }

// Where is its place in the source, such as "line 18".
func (o Outcome) Where() string { return atLines(o.Lines) }

// Decisive is the reading that stands for the outcome: the first of its state;
// of is how many readings there are, and agreeing how many of them are in that
// state. It reports false where there is none.
func (o Outcome) Decisive() (r Reading, agreeing, of int, ok bool) {
	for _, reading := range o.Readings {
		if reading.State != o.Measured {
			continue
		}
		if agreeing == 0 {
			r, ok = reading, true
		}
		agreeing++
	}
	return r, agreeing, len(o.Readings), ok
}

// Subject says what was read: metric, cell and variants.
func (r Reading) Subject() string {
	text := fmt.Sprintf("%s %s, %s", r.Cell, r.Metric, r.Variant)
	if r.Against != "" {
		text += " against " + r.Against
	}
	return text
}

// Figure is what was read, for people, and Interval its 95 % interval, such as
// "−18.0 % to −15.2 %"; empty where there are too few values for one.
func (r Reading) Figure() string { return r.show(r.Estimate) }

// Interval is described at Figure.
func (r Reading) Interval() string {
	if r.Low == nil {
		return ""
	}
	return r.show(*r.Low) + " to " + r.show(*r.High)
}

// Allowed is what the claim allows, rounding and margin included.
func (r Reading) Allowed() string {
	switch {
	case r.From != nil && r.To != nil:
		return r.show(*r.From) + " to " + r.show(*r.To)
	case r.From != nil:
		return "more than " + r.show(*r.From)
	case r.To != nil:
		return "less than " + r.show(*r.To)
	}
	return ""
}

func (r Reading) show(x float64) string {
	if r.Unit == "" {
		return signedPercentage(x)
	}
	return inUnit(x, r.Unit)
}
