package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/scenario/workload"
)

// Set is the scenarios that a run may use: those of this program, and those
// that the user defines. The zero value has only the former.
type Set struct{ own []Scenario }

// With returns the set with scenarios of the user's. Names must be free.
func (s Set) With(workloads ...workload.Workload) (Set, error) {
	for _, w := range workloads {
		if other, err := s.Find(w.Name); err == nil {
			return s, fmt.Errorf("there is a scenario %s already: %s", w.Name, other.Title)
		}
		s.own = append(slices.Clone(s.own), ofWorkload(w))
	}
	return s, nil
}

// All lists the scenarios by name.
func (s Set) All() []Scenario {
	all := append(All(), s.own...)
	slices.SortFunc(all, func(a, b Scenario) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns a scenario by name or alias.
func (s Set) Find(name string) (Scenario, error) {
	for _, own := range s.own {
		if own.Name == name {
			return own, nil
		}
	}
	return Find(name)
}
