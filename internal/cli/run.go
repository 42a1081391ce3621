package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/run"
)

type runOptions struct {
	sources
	command     string // that the user gave, where it is not run
	out         string
	charts      string
	resume      string
	only        []string
	retryFailed bool
	keep        bool
	json        bool
}

func newRun(s streams) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [-f campaign.yaml | --preset NAME | --profile NAME]",
		Short: "measure; without -f: the quick campaign on the lab",
		Long: `run measures a campaign and writes a results directory with a report.

A campaign runs on labs, which cnibench starts on this machine as root, on a
cluster that you have, or on clusters that commands of yours make.

A block during which somebody else used the machine is measured again, once. A
campaign with "stop" ends when its intervals are narrow enough.

--profile measures what a need weighs, so that ` + "`cnibench rank`" + ` can rank by it:
on its own choice of variants, or with -f on that file's cluster and variants.

Without -f it runs the quick campaign: the host network and two Flannel
datapaths, each in a three-node Kubernetes on this machine, about five minutes.

Exit status: 0 every trial ok, 1 a trial failed or the run could not go on,
2 usage or campaign file, 5 this machine cannot run a lab, 130 interrupted.`,
		Example: `  cnibench run
  cnibench run -f campaign.yaml --out results/monday
  cnibench run --preset seed-001 --scale 20
  cnibench run --profile latency-sensitive
  cnibench run --resume results/monday`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	o.flags(f)
	f.StringVar(&o.charts, "charts", "", "directory with Helm charts, tried before the network; labs have their own")
	f.StringVar(&o.out, "out", "", "results directory (default: results/NAME-TIME)")
	f.StringVar(&o.resume, "resume", "", "carry on with the results directory DIR, or with the newest one")
	f.Lookup("resume").NoOptDefVal = newest
	f.BoolVar(&o.retryFailed, "retry-failed", false, "with --resume: measure failed and invalid trials again")
	f.StringSliceVar(&o.only, "only", nil, "measure only these variants or scenarios of the plan")
	f.BoolVar(&o.keep, "keep", false, "leave the clusters running at the end")
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
	if err := o.warn(s, job); err != nil {
		return errors.Join(err, job.writer.Close())
	}
	if err := o.measure(ctx, s, job); err != nil {
		return err
	}
	return job.finish(s)
}

// warn says what plan warns of: that the design cannot reach any verdict, and
// which trials are known to be unsupported. Who resumes has been told.
func (o runOptions) warn(s streams, job job) error {
	if o.json {
		return nil
	}
	var warnings []string
	if text := job.plan.Undecidable(); text != "" {
		warnings = append(warnings, text)
	}
	if o.resume == "" {
		lost, err := unsupported(job.plan, job.catalog, job.scenarios)
		if err != nil {
			return err
		}
		warnings = append(warnings, lost...)
	}
	for _, text := range warnings {
		s.tell("cnibench: warning: %s\n", text)
	}
	return nil
}

// measure executes what is pending of a job and closes its journal.
func (o runOptions) measure(ctx context.Context, s streams, job job) (err error) {
	defer func() { err = errors.Join(err, job.writer.Close()) }()
	progress := newProgress(s.err, o.json)
	defer progress.close()
	server, err := run.ConnectPrometheus(job.plan.Prometheus)
	if err != nil {
		return failed(err, "the campaign says in spec.prometheus where it is; it is not kept with the results")
	}
	where, err := o.siteFor(ctx, job, s, progress)
	if err != nil {
		return err
	}
	runner := run.Runner{
		Plan: job.plan, Writer: job.writer, Catalog: job.catalog, Scenarios: job.scenarios, Charts: where.charts, Environment: job.environment,
		Provider: where.provider, Peer: where.peer, Prometheus: server,
		Prefix: runPrefix(),
		Keep:   o.keep, Events: progress.event, Enough: enough(job.plan),
	}
	progress.plan(job.plan, job.pending, job.dir)
	runErr := runner.Run(ctx, job.pending)
	progress.close()
	if runErr != nil {
		hint := "what was measured is kept; carry on with `cnibench " + cmp.Or(o.command, "run") + " --resume " + job.dir + "`"
		if first := hintOf(runErr); first != "" {
			hint = first + "; " + hint
		}
		return failed(runErr, hint)
	}
	return nil
}

// runPrefix begins the names of this run's clusters: two runs at once must not
// take each other's.
func runPrefix() string { return fmt.Sprintf("run-%d-", os.Getpid()) }

// finish writes the report, prints the table, and tells whether all went well.
func (j job) finish(s streams) error {
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
	if _, err := fmt.Fprintf(s.out, "\nAll metrics: cnibench report %s\nReport: %s\n", j.dir, html); err != nil {
		return err
	}
	return j.losses(a)
}

// losses is an error when trials have no result.
func (j job) losses(a analysis.Analysis) error {
	if n := a.Counts.Planned - a.Counts.OK - a.Counts.Unsupported; n > 0 {
		return failed(fmt.Errorf("%d of %d trials have no result", n, a.Counts.Planned), "their reasons are in the report, the evidence below "+filepath.Join(j.dir, "raw"))
	}
	return nil
}
