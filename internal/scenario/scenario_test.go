package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

func TestRegistry(t *testing.T) {
	var got []string
	for _, s := range All() {
		got = append(got, s.Name)
	}
	want := []string{"idle", "tcp-pod-multi", "tcp-pod-single", "tcp-service-multi", "tcp-service-single"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
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
	primary := map[string]string{
		"idle": "cpu", "tcp-pod-multi": "throughput", "tcp-pod-single": "throughput", "tcp-service-multi": "throughput", "tcp-service-single": "throughput",
	}
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			if found, err := Find(s.Name); err != nil || found.Name != s.Name {
				t.Errorf("Find gives %+v, %v", found, err)
			}
			if s.Title == "" || s.Run == nil || s.Defaults.Duration < time.Second || s.Defaults.Streams < 1 {
				t.Errorf("incomplete: %+v", s)
			}
			if got := s.Metrics[0].Name; got != primary[s.Name] {
				t.Errorf("the primary metric is %s, want %s", got, primary[s.Name])
			}
			known := []string{"duration", "omit", "streams", "placement"}
			for _, p := range s.Parameters {
				if !slices.Contains(known, p) {
					t.Errorf("a campaign cannot set the parameter %s", p)
				}
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

// Metrics of one name are the same metric wherever they are reported.
func TestMetricsAgreeBetweenScenarios(t *testing.T) {
	seen := map[string]result.Metric{}
	for _, s := range All() {
		for _, m := range s.Metrics {
			if old, ok := seen[m.Name]; ok && old != m {
				t.Errorf("%s of %s is %+v, elsewhere it is %+v", m.Name, s.Name, m, old)
			}
			seen[m.Name] = m
		}
	}
}
