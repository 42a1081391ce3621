package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/scenario/workload"
)

// scenariosUsage describes the flag --scenarios.
const scenariosUsage = "directory with scenarios of your own, one YAML file each"

// loadScenarios returns cnibench's own scenarios and, unless dir is empty, the
// user's beside them.
func loadScenarios(dir string) (scenario.Set, error) {
	var all scenario.Set
	if dir == "" {
		return all, nil
	}
	const hint = "--scenarios takes a directory with one YAML file for each scenario, as docs/scenarios.md describes it"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return all, usage(err, hint)
	}
	var problems []error
	found := 0
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		name := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return all, usage(err, hint)
		}
		w, err := workload.Parse(name, data, besides(name))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found++
		if all, err = all.With(w); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w\n    hint: give it another name", name, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return all, usage(err, "")
	}
	if found == 0 {
		return all, usage(fmt.Errorf("%s has no *.yaml", dir), hint)
	}
	return all, nil
}

// checkScenarios makes sure that the scenarios of the user's own are those
// that the plan was made with.
func checkScenarios(p plan.Plan, all scenario.Set) error {
	for _, c := range p.Cells {
		s, err := all.Find(c.Scenario)
		switch {
		case c.Definition == "" || err == nil && s.Definition == c.Definition:
		case err != nil:
			return usage(fmt.Errorf("scenario %s is one of your own, which is not given", c.Scenario),
				"add --scenarios DIR, the directory that the run was started with")
		default:
			return usage(fmt.Errorf("the definition of scenario %s has changed since the run was started", c.Scenario),
				"bring the old files back, or start a new run")
		}
	}
	return nil
}
