package cli

import (
	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/scenario"
)

// warnOfSlips warns of names in profiles of the user's that are nearly those of
// something there is.
func warnOfSlips(s streams, profiles []profile.Profile, a analysis.Analysis) error {
	own, err := profile.All()
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if p.File == "" {
			continue
		}
		for _, slip := range p.Slips(figuresOf(a, own)) {
			s.tell("cnibench: warning: %s: %s\n", p.File, slip)
		}
	}
	return nil
}

// figuresOf are the metrics of every scenario that cnibench has, that its own
// profiles name, as those of imported results, or that the campaign measured.
func figuresOf(a analysis.Analysis, own []profile.Profile) map[string][]string {
	known := map[string][]string{}
	for _, s := range scenario.All() {
		for _, m := range s.Info().Metrics {
			known[s.Name] = append(known[s.Name], m.Name)
		}
	}
	for _, p := range own {
		for _, w := range p.Weights {
			for _, of := range w.Of {
				known[of.Scenario] = append(known[of.Scenario], of.Metric)
			}
		}
	}
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			known[c.Scenario] = append(known[c.Scenario], m.Name)
		}
	}
	return known
}
