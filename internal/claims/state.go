package claims

import "slices"

// State is what became of a claim.
type State string

// The states, in the order in which they are listed. Of a claim that its own
// source refutes, that is the state, whatever results say beside it.
const (
	Implausible   State = "implausible"    // breaks line rate or physics of its stated hardware, or cannot have been measured as described
	Inconsistent  State = "inconsistent"   // contradicts its own source
	Contradicted  State = "contradicted"   // all of the 95 % interval is outside of what is claimed
	Confirmed     State = "confirmed"      // all of it is inside
	Undecided     State = "undecided"      // part of it is inside
	NotComparable State = "not comparable" // the conditions are others
	NotMeasured   State = "not measured"   // the results do not have it
	Consistent    State = "consistent"     // about the source alone, and nothing contradicts it
	NotTestable   State = "not testable"   // a forecast or an opinion
)

// States lists all states.
func States() []State {
	return []State{Implausible, Inconsistent, Contradicted, Confirmed, Undecided, NotComparable, NotMeasured, Consistent, NotTestable}
}

// graver tells whether a comes before b among the states.
func graver(a, b State) bool { return slices.Index(States(), a) < slices.Index(States(), b) }
