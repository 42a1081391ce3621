package scenario

import (
	"slices"
	"testing"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

func TestRegistry(t *testing.T) {
	if s, err := Find("no-such-scenario"); err == nil {
		t.Errorf("no-such-scenario is %+v", s)
	}
	defer func() {
		if recover() == nil {
			t.Error("two scenarios may have one name")
		}
	}()
	register(Scenario{Name: "idle"})
}

// What every scenario declares can stand in a journal and in a campaign.
func TestScenariosAreWellFormed(t *testing.T) {
	named := map[string]string{}
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			for _, name := range append([]string{s.Name}, s.Aliases...) {
				if found, err := Find(name); err != nil || found.Name != s.Name {
					t.Errorf("Find(%q) gives %+v, %v", name, found, err)
				}
				if other := named[name]; other != "" {
					t.Errorf("%s is a name of %s too", name, other)
				}
				named[name] = s.Name
			}
			if s.Title == "" || s.Description == "" || s.Run == nil {
				t.Errorf("incomplete: %+v", s)
			}
			taken := map[string]bool{"name": true} // the key that names the scenario
			values := parameter.Values{}
			for _, p := range s.Parameters {
				if taken[p.Name] || p.Help == "" || len(p.Default) == 0 {
					t.Errorf("parameter %+v has a name that is taken, no help or no default", p)
				}
				taken[p.Name] = true
				values[p.Name] = p.Defaults()[0]
			}
			if s.Duration(values) <= 0 {
				t.Error("a trial takes no time")
			}
			if err := trialWith(s).Validate(); err != nil {
				t.Error(err)
			}
			for _, m := range s.Metrics {
				if m.Margin <= 0 || m.Help == "" {
					t.Errorf("%s has the margin %v and the help %q", m.Name, m.Margin, m.Help)
				}
			}
		})
	}
}

// trialWith is a trial that reports every metric of the scenario.
func trialWith(s Scenario) result.Trial {
	t := result.Trial{
		Schema: result.SchemaVersion, Block: 1, Position: 1, Variant: "host", Cell: s.Name, Scenario: s.Name, Attempt: 1, Status: result.OK,
	}
	for _, m := range s.Metrics {
		t.Values = append(t.Values, result.Value{Metric: m, Value: 1})
	}
	return t
}

// Metrics of one name are the same metric wherever they are reported. Only
// their help differs: it says how a scenario measures them.
func TestMetricsAgreeBetweenScenarios(t *testing.T) {
	seen := map[string]result.Metric{}
	for _, s := range All() {
		for _, m := range s.Metrics {
			m.Help = ""
			if old, ok := seen[m.Name]; ok && old != m {
				t.Errorf("%s of %s is %+v, elsewhere it is %+v", m.Name, s.Name, m, old)
			}
			seen[m.Name] = m
		}
	}
}

// Scenarios that sample have details; those that do not have none.
func TestScenariosHaveDetails(t *testing.T) {
	for _, s := range All() {
		samples := slices.ContainsFunc(s.Metrics, func(m result.Metric) bool { return m.Name == stage.CPU.Name })
		if details := s.Details(); samples != (len(details) > 0) {
			t.Errorf("%s has %d details", s.Name, len(details))
		}
		for _, m := range s.Details() {
			if slices.ContainsFunc(s.Metrics, func(other result.Metric) bool { return other.Name == m.Name }) {
				t.Errorf("%s declares %s twice", s.Name, m.Name)
			}
		}
	}
}
