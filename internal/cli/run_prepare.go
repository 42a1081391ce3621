package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/run"
	"github.com/cnibench/cnibench/internal/scenario"
)

// job is a run that is about to start.
type job struct {
	dir         string
	plan        plan.Plan
	catalog     cni.Catalog
	scenarios   scenario.Set
	writer      *result.Writer
	environment result.Environment
	pending     []plan.Trial
}

func (o runOptions) prepare() (job, error) {
	if o.resume != "" {
		return o.prepareResume()
	}
	d, err := o.read()
	if err != nil {
		return job{}, err
	}
	p := d.plan
	pending, err := o.filter(p, p.Trials())
	if err != nil {
		return job{}, err
	}
	dir := o.out
	if dir == "" {
		dir = filepath.Join("results", p.Name+"-"+time.Now().Format("20060102-150405"))
	}
	topology := "cluster"
	if p.Cluster.Lab != nil {
		topology = "lab"
		if err := lab.CheckMachine(); err != nil {
			return job{}, err
		}
	}
	w, err := result.Create(dir, d.data, p)
	if err != nil {
		return job{}, err
	}
	env := result.Environment{
		Schema: result.SchemaVersion, Created: time.Now().UTC(), Cnibench: version(), Topology: topology,
		Machine: run.DescribeMachine(), Variants: map[string]result.Variant{},
	}
	if err := w.WriteEnvironment(env); err != nil {
		return job{}, errors.Join(err, w.Close())
	}
	return job{dir, p, d.catalog, d.scenarios, w, env, pending}, nil
}

func (o runOptions) prepareResume() (job, error) {
	dir, err := resumeDir(o.resume)
	if err != nil {
		return job{}, err
	}
	if o.file != "" || o.preset.given() || o.profile != "" || o.out != "" {
		return job{}, usage(errors.New("--resume goes with neither --file, --preset, --profile nor --out"), "the results directory holds its own campaign")
	}
	d, err := result.Open(dir)
	if err != nil {
		return job{}, usage(err, "give a directory that `cnibench run` wrote")
	}
	p, err := d.Plan()
	if err != nil {
		return job{}, err
	}
	if p.Imported != nil {
		return job{}, usage(fmt.Errorf("%s holds imported results, which nothing can continue", dir), "import again into another directory with `cnibench import`")
	}
	env, err := d.Environment()
	if err != nil {
		return job{}, err
	}
	catalog, own, err := loadCatalog(o.catalog)
	if err != nil {
		return job{}, err
	}
	scenarios, err := loadScenarios(o.scenarios)
	if err != nil {
		return job{}, err
	}
	if err := own.check(p); err != nil {
		return job{}, err
	}
	if err := checkScenarios(p, scenarios); err != nil {
		return job{}, err
	}
	w, journal, err := result.Resume(dir)
	if err != nil {
		return job{}, err
	}
	done, err := result.ProgressOf(p, journal.Trials)
	if err != nil {
		return job{}, errors.Join(err, w.Close())
	}
	pending, err := o.filter(p, done.Pending(p, o.retryFailed))
	return job{dir, p, catalog, scenarios, w, env, pending}, err
}

// resumeDir finds the newest results directory below results/ unless one is
// given.
func resumeDir(given string) (string, error) {
	if given != newest {
		return given, nil
	}
	plans, err := filepath.Glob("results/*/plan.json")
	if err != nil || len(plans) == 0 {
		return "", usage(errors.New("there is no results directory below results/"), "name one: `cnibench run --resume DIR`")
	}
	var dir string
	var at time.Time
	for _, p := range plans {
		if info, err := os.Stat(p); err == nil && info.ModTime().After(at) {
			dir, at = filepath.Dir(p), info.ModTime()
		}
	}
	return dir, nil
}

// filter keeps the trials that --only names.
func (o runOptions) filter(p plan.Plan, pending []plan.Trial) ([]plan.Trial, error) {
	if len(o.only) == 0 {
		return pending, nil
	}
	names, wanted := map[string]bool{}, map[string]bool{}
	for _, v := range p.Variants {
		names[v.Name] = true
	}
	for _, c := range p.Cells {
		names[c.ID], names[c.Scenario] = true, true
	}
	for _, o := range o.only {
		if !names[o] {
			return nil, usage(fmt.Errorf("--only %s: the plan has no such variant or scenario", o), "`cnibench plan` shows what it has")
		}
		wanted[o] = true
	}
	var kept []plan.Trial
	for _, t := range pending {
		if wanted[t.Variant.Name] || wanted[t.Cell.ID] || wanted[t.Cell.Scenario] {
			kept = append(kept, t)
		}
	}
	return kept, nil
}
