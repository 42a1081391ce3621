package claims

import (
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Kind says what sort of statement a claim is.
type Kind string

// The kinds of claims.
const (
	// Value is an amount that one variant reaches.
	Value Kind = "value"
	// Ratio is a change of one variant, or of one set of conditions, against
	// another, as a fraction.
	Ratio Kind = "ratio"
	// Ordering says which variants are better than which.
	Ordering Kind = "ordering"
	// Equal says that variants do not differ by more than matters.
	Equal Kind = "equal"
	// Threshold is an amount that is at least or at most reached.
	Threshold Kind = "threshold"
	// Consistency is a statement about the source's own figures or programs.
	Consistency Kind = "consistency"
	// Unprinted is a figure that the source shows and its text does not hold,
	// such as an image that is lost.
	Unprinted Kind = "unprinted"
	// Forecast is about the future.
	Forecast Kind = "forecast"
	// Opinion is advice or taste.
	Opinion Kind = "opinion"
)

var kinds = []string{
	string(Value), string(Ratio), string(Ordering), string(Equal), string(Threshold), string(Consistency), string(Unprinted), string(Forecast), string(Opinion),
}

// Source is one document that says something, and what it says.
type Source struct {
	Name   string // a label, such as seed-003
	Title  string
	Author string
	Date   string // as far as the source tells: 2024, 2024-01 or 2024-01-31
	URL    string
	Preset string // that measures by the source's protocol; empty: none
	Claims []Claim
}

// Claim is one statement of a source.
type Claim struct {
	ID        string // unique within its source
	Lines     string // of the source, such as 18 or 18-22
	Statement string
	Kind      Kind
	// Variants are entries of the catalog: of a value one, of a ratio the one
	// that is said to differ, of an ordering all of them, the best first. A
	// ratio with Measure.Against that names none is about every plugin.
	Variants []string
	// Base is that of a ratio, empty where only Measure.Against says what
	// differs. With both, the gap between variant and base is what differs.
	Base string
	// Number is what is claimed: of a value in Unit as it is written, of a
	// ratio the change as a fraction. Nil for an ordering and for opinions.
	Number *Number
	Unit   Unit
	// Within is the largest relative difference that an equality allows; 0: the
	// metric's margin.
	Within float64
	// Better is the direction of the quantity, "higher" or "lower"; empty where
	// nothing is ordered.
	Better string
	When   string // conditions that are part of the quantity and no parameter
	Setup  Setup
	// Measures say what of cnibench measures it, each by itself; none: nothing
	// does.
	Measures []Measure
	// Formula gives what Number must be by the source's own figures.
	Formula Expression
	// Least and Most bound what is possible, and Limit says why.
	Least, Most Expression
	Limit       string
	// Coincides is a number that Number equals although it should not, as Why
	// says.
	Coincides Expression
	Why       string
	// Evidence are value claims of the same source that an ordering must follow
	// from, or whose likeness an equality must, in the order of Variants.
	Evidence []string
	// Conflicts are what a person found to contradict the claim in the same
	// source, Impossible what contradicts it elsewhere.
	Conflicts  []Conflict
	Impossible string
}

// Conflict is a place of the source that says or does something else.
type Conflict struct {
	Lines string
	Says  string
}

// Setup says under which conditions something was measured. What the source
// leaves out is zero.
type Setup struct {
	Hardware  string  // in words; "any": the claim is about all hardware
	CPU       string  // part of the processor's model name
	Instance  string  // type of a cloud's instance
	NICRate   float64 // bit/s
	MTU       int     // bytes
	Placement string  // cross-node or same-node
	// Encapsulation is what a tunnel adds to a packet, in bytes.
	Encapsulation int
	// Directions is 2 where the figure sums both directions of a link.
	Directions int
	N          int // repetitions
	// Versions holds the version of each plugin, by the beginning of the names
	// of its variants.
	Versions map[string]string
}

// Measure maps a claim to what cnibench measures.
type Measure struct {
	Scenario   string
	Metric     string
	Parameters parameter.Values // that the cell must have
	// Against replaces parameters for the cell that a ratio is taken against;
	// nil where a ratio is between two variants alone.
	Against parameter.Values
	// PerNode says that the claim is about one node; metrics are sums over all
	// nodes that carry load, so that only changes can be compared.
	PerNode bool
}

// NameOf is the claim's name among all sources, SOURCE/ID.
func (s Source) NameOf(c Claim) string { return s.Name + "/" + c.ID }

// Version is that of a variant's plugin, empty where the source has none.
func (s Setup) Version(variant string) string {
	for plugin, version := range s.Versions {
		if variant == plugin || strings.HasPrefix(variant, plugin+"-") {
			return version
		}
	}
	return ""
}
