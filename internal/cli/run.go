package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/run"
)

type runOptions struct {
	file, out   string
	resume      string
	only        []string
	retryFailed bool
	keep        bool
	json        bool
}

func newRun(s streams) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [-f campaign.yaml]",
		Short: "measure; without -f: the quick campaign on the lab",
		Long: `run measures a campaign and writes a results directory with a report.

Without -f it runs the quick campaign: the host network and two Flannel
datapaths, each in a three-node Kubernetes on this machine, about five minutes.

Exit status: 0 every trial ok, 1 a trial failed or the run could not go on,
2 usage or campaign file, 5 this machine cannot run a lab, 130 interrupted.`,
		Example: `  cnibench run
  cnibench run -f campaign.yaml --out results/monday
  cnibench run --resume results/monday`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "campaign file")
	f.StringVar(&o.out, "out", "", "results directory (default: results/NAME-TIME)")
	f.StringVar(&o.resume, "resume", "", "carry on with the results directory DIR, or with the newest one")
	f.Lookup("resume").NoOptDefVal = newest
	f.BoolVar(&o.retryFailed, "retry-failed", false, "with --resume: measure failed and invalid trials again")
	f.StringSliceVar(&o.only, "only", nil, "measure only these variants or scenarios of the plan")
	f.BoolVar(&o.keep, "keep", false, "leave the labs running at the end")
	f.BoolVar(&o.json, "json", false, "write progress as JSON events, one a line, to stderr")
	// `--resume DIR` reads better than `--resume=DIR`, and the flag's value is
	// optional: the argument after it is the directory.
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 && o.resume == newest {
			o.resume = args[0]
			return nil
		}
		return cobra.NoArgs(cmd, args)
	}
	return cmd
}

// newest stands for a --resume without a directory.
const newest = "newest"

func (o runOptions) run(ctx context.Context, s streams) error {
	job, err := o.prepare()
	if err != nil {
		return err
	}
	defer job.writer.Close()
	progress := newProgress(s.err, o.json)
	defer progress.close()
	if _, err := lab.Recover(); err != nil {
		return err
	}
	kit, err := lab.Supply(ctx, progress.supply)
	if err != nil {
		return err
	}
	owner, err := lab.Self()
	if err != nil {
		return err
	}
	shape := job.plan.Cluster.Lab
	config := lab.Config{Nodes: shape.Nodes, MTU: shape.MTU, KubeProxy: shape.KubeProxy, MaxPods: shape.MaxPods, Note: "run " + job.plan.Name}
	if !o.keep {
		config.Owner = &owner
	}
	runner := run.Runner{
		Plan: job.plan, Writer: job.writer, Catalog: job.catalog, Charts: kit.Charts, Environment: job.environment,
		Provider: cluster.LabProvider{Kit: kit, Config: config},
		Prefix:   "run-" + strings.TrimPrefix(job.plan.Hash, "sha256:")[:6] + "-",
		Keep:     o.keep, Events: progress.event,
	}
	progress.plan(job.plan, job.pending, job.dir)
	runErr := runner.Run(ctx, job.pending)
	progress.close()
	if runErr != nil {
		return failed(runErr, "what was measured is kept; carry on with `cnibench run --resume "+job.dir+"`")
	}
	return job.finish(s)
}

// job is a run that is about to start.
type job struct {
	dir         string
	plan        plan.Plan
	catalog     cni.Catalog
	writer      *result.Writer
	environment result.Environment
	pending     []plan.Trial
}

func (o runOptions) prepare() (job, error) {
	if o.resume != "" {
		return o.prepareResume()
	}
	data, p, catalog, err := readCampaign(o.file)
	if err != nil {
		return job{}, err
	}
	dir := o.out
	if dir == "" {
		dir = filepath.Join("results", p.Name+"-"+time.Now().Format("20060102-150405"))
	}
	if err := lab.CheckMachine(); err != nil {
		return job{}, err
	}
	w, err := result.Create(dir, data, p)
	if err != nil {
		return job{}, err
	}
	env := result.Environment{
		Schema: result.SchemaVersion, Created: time.Now().UTC(), Cnibench: version(), Topology: "lab",
		Machine: run.DescribeMachine(), Variants: map[string]result.Variant{},
	}
	if err := w.WriteEnvironment(env); err != nil {
		return job{}, errors.Join(err, w.Close())
	}
	pending, err := o.filter(p, p.Trials())
	return job{dir, p, catalog, w, env, pending}, err
}

func (o runOptions) prepareResume() (job, error) {
	dir, err := resumeDir(o.resume)
	if err != nil {
		return job{}, err
	}
	if o.file != "" || o.out != "" {
		return job{}, usage(errors.New("--resume goes with neither --file nor --out"), "the results directory holds its own campaign")
	}
	d, err := result.Open(dir)
	if err != nil {
		return job{}, usage(err, "give a directory that `cnibench run` wrote")
	}
	p, err := d.Plan()
	if err != nil {
		return job{}, err
	}
	env, err := d.Environment()
	if err != nil {
		return job{}, err
	}
	catalog, err := cni.Builtin()
	if err != nil {
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
	return job{dir, p, catalog, w, env, pending}, err
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

// finish writes the report, prints the table, and tells whether all went well.
func (j job) finish(s streams) error {
	if err := j.writer.Close(); err != nil {
		return err
	}
	d, err := result.Open(j.dir)
	if err != nil {
		return err
	}
	html := filepath.Join(j.dir, "report.html")
	a, err := writeHTML(d, html)
	if err != nil {
		return err
	}
	if err := report.Summary(s.out, a); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nAll metrics: cnibench report %s\nReport: %s\n", j.dir, html)
	if n := a.Counts.Planned - a.Counts.OK - a.Counts.Unsupported; n > 0 {
		return failed(fmt.Errorf("%d of %d trials have no result", n, a.Counts.Planned), "their reasons are in the report, the evidence below "+filepath.Join(j.dir, "raw"))
	}
	return nil
}
