package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// State says whether a variant has what is asked of it.
type State string

// The three states. What nobody wrote down is unknown, never unmet.
const (
	Met     State = "met"
	Unmet   State = "unmet"
	Unknown State = "unknown"
)

// Traits are facts about one variant of a campaign, read and not measured.
type Traits struct {
	Variant string `json:"variant"`
	// Baseline says that no plugin is in the path: it is what others are
	// compared with, and nothing to choose.
	Baseline bool `json:"baseline,omitempty"`
	// What a decision matrix shows.
	DataPlane Fact `json:"dataPlane,omitzero"`
	Policy    Fact `json:"policy,omitzero"`
	Kernel    Fact `json:"kernel,omitzero"` // the oldest, "5.10"; empty: nobody says
	Effort    Fact `json:"effort,omitzero"`
	// Features by the names of [Features]; one that is not there is unknown.
	Features map[string]Feature `json:"features,omitempty"`
}

// Fact is something that was read.
type Fact struct {
	Value  string `json:"value"`
	Source string `json:"source,omitempty"`
	Date   string `json:"date,omitempty"` // on which it was read: "2026-08-30"
}

// Feature is what is known of one feature of a variant.
type Feature struct {
	State State `json:"state"`
	Fact
}

// Need is what became of one thing that a profile requires or wants.
type Need struct {
	Name     string `json:"name"` // a feature, or "kernel 5.4"
	Required bool   `json:"required"`
	State    State  `json:"state"`
	Fact
}

// kernelNeed begins the name of a need of a kernel.
const kernelNeed = "kernel "

func (n Need) kernel() bool { return strings.HasPrefix(n.Name, kernelNeed) }

// Words say a need in plain words, such as "encryption: not met (the pods'
// packets travel as they are; catalog, read on 2026-08-30)".
func (n Need) Words() string {
	text := n.Name + map[State]string{Met: ": met", Unmet: ": not met", Unknown: ": unknown"}[n.State]
	var about []string
	for _, part := range []string{n.Value, n.Source} {
		if part != "" {
			about = append(about, part)
		}
	}
	if n.Date != "" {
		about = append(about, "read on "+n.Date)
	}
	if len(about) == 0 {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(about, "; "))
}

// check holds a variant against the needs.
func (needs Needs) check(t Traits) []Need {
	var list []Need
	for _, name := range needs.Requires {
		list = append(list, t.need(name, true))
	}
	if needs.Kernel != "" {
		list = append(list, t.kernel(needs.Kernel))
	}
	for _, name := range needs.Wants {
		list = append(list, t.need(name, false))
	}
	return list
}

func (t Traits) need(name string, required bool) Need {
	f, known := t.Features[name]
	if !known || f.State == "" {
		f = Feature{State: Unknown, Fact: Fact{Value: "nobody wrote it down"}}
	}
	return Need{Name: name, Required: required, State: f.State, Fact: f.Fact}
}

// kernel tells whether a variant runs on nodes with that kernel.
func (t Traits) kernel(oldest string) Need {
	n := Need{Name: kernelNeed + oldest, Required: true, State: Unknown, Fact: t.Kernel}
	if t.Kernel.Value == "" {
		n.Value = "nobody wrote down which kernel it needs"
		return n
	}
	n.Value = "needs " + t.Kernel.Value
	order, ok := compareVersions(oldest, t.Kernel.Value)
	switch {
	case !ok:
	case order < 0:
		n.State = Unmet
	default:
		n.State = Met
	}
	return n
}

// compareVersions compares numbers separated by dots; a missing one is 0.
func compareVersions(a, b string) (order int, ok bool) {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		var m, n int
		var err, also error
		if i < len(x) {
			m, err = strconv.Atoi(x[i])
		}
		if i < len(y) {
			n, also = strconv.Atoi(y[i])
		}
		if err != nil || also != nil {
			return 0, false
		}
		if m != n {
			return m - n, true
		}
	}
	return 0, true
}

// traitsOf finds a variant's; what is not there is unknown.
func traitsOf(all []Traits, variant string) Traits {
	if i := slices.IndexFunc(all, func(t Traits) bool { return t.Variant == variant }); i >= 0 {
		return all[i]
	}
	return Traits{Variant: variant}
}
