package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cnibench/cnibench/internal/calibration"
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// calibrateOptions are the flags of calibrate.
type calibrateOptions struct {
	runOptions
	twins       campaign.Twins
	fresh       bool
	kubeconfig  string
	kubecontext string
	ask         calibration.Options
	effect      string
	format      string
	given       func(flag string) bool
}

// calibrationFormats are how a calibration is printed.
var calibrationFormats = map[string]func(io.Writer, calibration.Calibration) error{
	"text": report.Calibration, "json": report.CalibrationJSON,
}

func newCalibrate(s streams) *cobra.Command {
	var o calibrateOptions
	o.preset.scale = 1 // of a preset, which is not taken
	cmd := &cobra.Command{
		Use:   "calibrate [-f campaign.yaml] | DIR",
		Short: "measure one variant under two names: the noise, and what can be found in it",
		Long: `calibrate measures a variant against itself, in the order and by the machinery
of run, and prints of every metric how far the differences scatter where there
is none, whether the tests raise false alarms, the smallest effects that so many
blocks find, and what fits into a budget of time.

Without -f it measures flannel-vxlan on the lab, TCP throughput and latency, one
installation of each twin: some ten minutes. With --kubeconfig it measures the
plugin that a cluster has. From -f come cluster, scenarios and margins, and
whether every block has new clusters; the base or --variant takes the place of
the variants. With DIR it reads what was measured before.

Exit status: 0 calibrated, 1 a trial failed, the run could not go on, or DIR
holds nothing measured under two names, 2 usage or campaign file, 5 this machine
cannot run a lab, 130 interrupted.`,
		Example: `  cnibench calibrate
  cnibench calibrate -f campaign.yaml --variant cilium-kpr --blocks 30
  cnibench calibrate --scenario tcp-pod-single --duration 5s --out results/noise
  cnibench calibrate results/noise --effect 5% --budget 2h --variants 4
  cnibench calibrate --resume results/noise`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			return o.run(cmd.Context(), s, args)
		},
	}
	o.calibrateFlags(cmd.Flags())
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 && o.resume == newest {
			o.resume = args[0] // `--resume DIR`, as run takes it
			return nil
		}
		if o.resume != "" {
			return cobra.NoArgs(cmd, args)
		}
		return cobra.MaximumNArgs(1)(cmd, args)
	}
	return cmd
}

func (o *calibrateOptions) calibrateFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.file, "file", "f", "", "campaign file (default: flannel-vxlan on the lab)")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.StringVar(&o.scenarios, "scenarios", "", scenariosUsage)
	f.StringVar(&o.twins.Variant, "variant", "", "what is measured twice, of campaign or catalog (default: base)")
	f.StringSliceVar(&o.twins.Scenarios, "scenario", nil, "without -f: what is measured (default: tcp-pod-single, tcp-rr)")
	f.StringVar(&o.twins.Duration, "duration", "", "without -f: of every trial, such as 5s (default: 2s)")
	f.IntVar(&o.twins.Blocks, "blocks", 20, "how often both twins are measured")
	f.BoolVar(&o.fresh, "fresh-cluster", false, "a new cluster for every twin in every block (default: the file's)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "measure the plugin of this cluster, without changing it")
	f.StringVar(&o.kubecontext, "context", "", "of the kubeconfig (default: its current one)")
	f.StringVar(&o.charts, "charts", "", "directory with Helm charts; labs have their own")
	f.StringVar(&o.out, "out", "", "results directory (default: results/NAME-TIME)")
	f.StringVar(&o.resume, "resume", "", "carry on with results directory DIR, or the newest")
	f.Lookup("resume").NoOptDefVal = newest
	f.BoolVar(&o.retryFailed, "retry-failed", false, "with --resume: measure failed and invalid trials again")
	f.BoolVar(&o.keep, "keep", false, "leave the clusters running at the end")
	f.BoolVar(&o.json, "json", false, "write progress as JSON events, one a line, to stderr")
	f.StringVar(&o.effect, "effect", "", "say how many blocks an effect of this size takes, such as 5%")
	f.DurationVar(&o.ask.Budget, "budget", 0, "say what campaigns fit into this time, such as 2h")
	f.IntSliceVar(&o.ask.Variants, "variants", nil, "with --budget: of how many variants (default: 2,3,5,10)")
	f.StringVar(&o.format, "format", "text", "text or json")
}

// run measures what has to be measured, and prints the calibration.
func (o calibrateOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if len(args) == 1 && o.resume == "" {
		if flag := o.measuring(); flag != "" {
			return usage(fmt.Errorf("--%s goes with a measurement, and DIR was measured before", flag), "leave out one of the two; `cnibench calibrate --resume DIR` goes on measuring")
		}
		return o.print(s, args[0])
	}
	if err := o.design(); err != nil {
		return err
	}
	job, err := o.prepare()
	if err != nil {
		return err
	}
	if _, _, err := calibration.Twins(job.plan); err != nil {
		return errors.Join(noTwins(err, job.dir), job.writer.Close())
	}
	if err := o.measure(ctx, s, job); err != nil {
		return err
	}
	if err := o.print(s, job.dir); err != nil {
		return err
	}
	s.tell("results: %s; the calibration again, with other questions: cnibench calibrate %s\n", job.dir, job.dir)
	return job.complete()
}

// measuringFlags are those that say what is measured, and how.
var measuringFlags = []string{"file", "variant", "scenario", "duration", "blocks", "fresh-cluster", "kubeconfig", "context", "charts", "out", "retry-failed", "keep", "json"}

// measuring returns the first flag given that is about measuring.
func (o calibrateOptions) measuring() string {
	for _, flag := range measuringFlags {
		if o.given(flag) {
			return flag
		}
	}
	return ""
}

// check reads the flags that are about printing.
func (o *calibrateOptions) check() error {
	if _, ok := calibrationFormats[o.format]; !ok {
		return usage(fmt.Errorf("unknown format %q", o.format), "use text or json")
	}
	if o.effect != "" {
		number, _ := strings.CutSuffix(strings.TrimSpace(o.effect), "%")
		percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !strings.HasSuffix(strings.TrimSpace(o.effect), "%") || !(percent > 0 && percent <= 1000) {
			return usage(fmt.Errorf("--effect %s is no percentage above 0", o.effect), "write it as --effect 5%")
		}
		o.ask.Effect = percent / 100
	}
	if o.ask.Budget < 0 || o.given("budget") && o.ask.Budget == 0 {
		return usage(fmt.Errorf("--budget %s is no time to measure in", o.ask.Budget), "write it as --budget 2h")
	}
	if len(o.ask.Variants) > 0 && o.ask.Budget == 0 {
		return usage(errors.New("--variants is about what fits into a time"), "add --budget, such as --budget 2h")
	}
	for _, v := range o.ask.Variants {
		if v < 2 || v > 100 {
			return usage(fmt.Errorf("--variants %d: a campaign compares 2 to 100", v), "write it as --variants 4")
		}
	}
	return nil
}

// design completes what the campaign becomes.
func (o *calibrateOptions) design() error {
	o.command = "calibrate"
	if o.resume != "" {
		for _, flag := range []string{"variant", "scenario", "duration", "blocks", "fresh-cluster", "kubeconfig", "context"} {
			if o.given(flag) {
				return usage(fmt.Errorf("--resume and --%s contradict each other", flag), "the results directory holds its own campaign")
			}
		}
		return nil
	}
	if o.twins.Blocks < 1 {
		return usage(fmt.Errorf("--blocks %d measures nothing", o.twins.Blocks), "write a number from 1 on, such as --blocks 20")
	}
	if o.file != "" {
		for _, flag := range []string{"scenario", "duration", "kubeconfig", "context"} {
			if o.given(flag) {
				return usage(fmt.Errorf("--%s and --file contradict each other", flag), "the campaign file says where and what is measured; change it there")
			}
		}
	}
	if o.given("kubeconfig") || o.given("context") {
		if o.fresh {
			return usage(errors.New("--fresh-cluster cannot be had of a cluster that exists"), "leave it out, or write a campaign with cluster: {command: …}")
		}
		o.twins.Existing = &campaign.Existing{Kubeconfig: o.kubeconfig, Context: o.kubecontext}
		if o.twins.Variant == "" {
			o.twins.Variant = "installed"
		}
	}
	if o.given("fresh-cluster") {
		o.twins.FreshCluster = &o.fresh
	}
	o.sources.twins = &o.twins
	return nil
}

// print analyses a results directory and writes its calibration.
func (o calibrateOptions) print(s streams, dir string) error {
	d, err := result.Open(dir)
	if err != nil {
		return failed(err, "give a directory that `cnibench calibrate` wrote")
	}
	a, journal, err := analyze(d)
	if err != nil {
		return err
	}
	env, err := d.Environment()
	if err != nil {
		return err
	}
	c, err := calibration.Of(a, journal.Trials, env, o.ask)
	if err != nil {
		return noTwins(err, dir)
	}
	c.Warnings = append(c.Warnings, journal.Warnings...)
	return calibrationFormats[o.format](s.out, c)
}

// noTwins says what to do about a campaign that is none of twins.
func noTwins(err error, dir string) error {
	if errors.Is(err, calibration.ErrNoTwins) {
		return failed(fmt.Errorf("%s: %w", dir, err), "measure with `cnibench calibrate`, or add `aa: NAME` below `analysis` of your campaign")
	}
	return err
}

// complete tells whether every trial has a result.
func (j job) complete() error {
	d, err := result.Open(j.dir)
	if err != nil {
		return err
	}
	a, _, err := analyze(d)
	if err != nil {
		return err
	}
	return j.losses(a)
}
