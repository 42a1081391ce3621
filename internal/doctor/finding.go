package doctor

import (
	"cmp"
	"slices"
)

// Severity is how much a finding matters.
type Severity string

// The severities, worst first. Unfit means that what is measured here is wrong
// or cannot be had; a warning that it is noisier, slower or less general than
// it need be; info is for readers of the result.
const (
	Unfit   Severity = "unfit"
	Warning Severity = "warning"
	Unknown Severity = "unknown"
	Info    Severity = "info"
	OK      Severity = "ok"
)

// Severities are all of them, worst first.
var Severities = []Severity{Unfit, Warning, Unknown, Info, OK}

// Finding is what one check found at one place.
type Finding struct {
	Check    string   `json:"check"` // its id
	Title    string   `json:"title"`
	Severity Severity `json:"severity"`
	Where    string   `json:"where,omitempty"` // node, pod or object; empty: the cluster as a whole
	// Evidence is what was seen, with its figures. Of an unknown it is the
	// reason.
	Evidence string `json:"evidence"`
	Why      string `json:"why,omitempty"` // it matters
	Fix      string `json:"fix,omitempty"` // the command or change that mends it
}

// SchemaVersion of [Report] in JSON.
const SchemaVersion = "cnibench.io/doctor/v1"

// Report is the answer.
type Report struct {
	Schema   string           `json:"schema"`
	Kind     Kind             `json:"kind"`
	Place    string           `json:"place"`
	Fit      bool             `json:"fit"` // nothing is unfit; it may still be unknown
	Deep     bool             `json:"deep"`
	Counts   map[Severity]int `json:"counts"`   // findings by severity
	Findings []Finding        `json:"findings"` // worst first
}

// Judge runs all checks that have a meaning for the kind of place.
func Judge(s Snapshot) Report {
	r := Report{Schema: SchemaVersion, Kind: s.Kind, Place: s.Place, Deep: s.Deep, Counts: map[Severity]int{}, Findings: []Finding{}}
	for _, c := range Checks() {
		if c.OnlyDeep && !s.Deep || !slices.Contains(c.Kinds, s.Kind) {
			continue
		}
		r.Findings = append(r.Findings, c.run(s)...)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Compare(slices.Index(Severities, a.Severity), slices.Index(Severities, b.Severity))
	})
	for _, f := range r.Findings {
		r.Counts[f.Severity]++
	}
	r.Fit = r.Counts[Unfit] == 0
	return r
}

// run fills in what all findings of a check share.
func (c Check) run(s Snapshot) []Finding {
	findings := c.judge(s)
	for i := range findings {
		f := &findings[i]
		f.Check, f.Title = c.ID, c.Title
		if f.Severity != OK && f.Why == "" {
			f.Why = c.Why
		}
		if f.Severity == Unknown || f.Severity == OK {
			f.Fix = ""
		}
	}
	return findings
}
