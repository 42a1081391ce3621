package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/cnibench/cnibench/internal/export"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// exports are the formats, each for the programs of its readers.
var exports = map[string]func(context.Context, io.Writer, export.Source, export.Options) (export.Outcome, error){
	"openmetrics": export.OpenMetrics, "parquet": export.Parquet, "csv": export.CSV, "benchfmt": export.Benchfmt, "junit": export.JUnit,
}

const exportFormats = "openmetrics, parquet, csv, benchfmt or junit"

type exportOptions struct {
	format, out string
	only        []string
	series      bool
}

func newExport(s streams) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "write results for dashboards and databases",
		Long: `export writes a results directory in the format of another program. It needs
neither root nor the machine that measured; the same directory gives the same
bytes. What could not be measured is there with its reason and never as 0.

    openmetrics  every value of every trial at its time, the report's medians,
                 intervals and verdicts; for VictoriaMetrics, Prometheus and
                 Grafana: docs/dashboards.md
    parquet      a tidy table, one row per metric of a trial, with typed
                 columns; for DuckDB, pandas, R, Spark
    csv          the same table as text, for spreadsheets
    benchfmt     the Go benchmark format; for benchstat
    junit        a test per variant and cell and one per primary verdict; for
                 CI servers. Whether results may pass is for cnibench gate

docs/export.md has the columns, and an example for each. A file of the evidence
that cannot be read is named on stderr and in the output; the rest is exported,
and the exit status is 1.

Exit status: 0 exported, 1 the directory or a part of it cannot be read,
2 usage, 130 interrupted.`,
		Example: `  cnibench export results/monday > monday.om
  cnibench export results/monday --series --out monday.om
  cnibench export results/monday --format parquet --out monday.parquet
  cnibench export results/monday --format benchfmt | benchstat -col /variant -
  cnibench export results/monday --only flannel-vxlan --only tcp-pod-single`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFormat(s); err != nil {
				return err
			}
			d, err := result.Open(args[0])
			if err != nil {
				return failed(err, "give a directory that `cnibench run` wrote")
			}
			return o.export(cmd.Context(), s, d)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "openmetrics", exportFormats)
	cmd.Flags().StringVar(&o.out, "out", "-", "write to FILE; - is stdout")
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "export only these variants, scenarios or cells of the plan")
	cmd.Flags().BoolVar(&o.series, "series", false, "with what was sampled during each trial: large")
	return cmd
}

func (o exportOptions) checkFormat(s streams) error {
	_, known := exports[o.format]
	switch {
	case !known:
		return usage(fmt.Errorf("unknown format %q", o.format), "use "+exportFormats)
	case o.series && o.format != "openmetrics":
		return usage(fmt.Errorf("--series: %s has no place for what was sampled during a trial", o.format), "leave --series out, or use --format openmetrics")
	case o.format == "parquet" && o.out == "-" && isTerminal(s.out):
		return usage(errors.New("parquet is no text for a terminal"), "write it to a file with --out FILE")
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// export tells what cannot be read and fails for it only when the rest is
// written.
func (o exportOptions) export(ctx context.Context, s streams, d *result.Dir) error {
	a, journal, err := analyze(d)
	if err != nil {
		return failed(err, "copy the directory again from where it was measured; what is broken in it is named above")
	}
	only, err := export.Select(a.Plan, o.only)
	if err != nil {
		return usage(fmt.Errorf("--only: %w", err), "name what is listed")
	}
	env, err := d.Environment()
	if err != nil {
		return err
	}
	for _, w := range journal.Warnings {
		s.tell("cnibench: warning: %s\n", w.Message)
	}
	source := export.Source{Dir: d, Environment: env, Trials: journal.Trials, Analysis: a}
	var outcome export.Outcome
	err = writeTo(s.out, o.out, func(w io.Writer) error {
		outcome, err = exports[o.format](ctx, w, source, export.Options{Only: only, Series: o.series})
		return err
	})
	if err != nil {
		return err
	}
	return o.conclude(s, outcome)
}

// conclude says what the output has, and what it lacks.
func (o exportOptions) conclude(s streams, outcome export.Outcome) error {
	for _, d := range outcome.Damaged {
		s.tell("cnibench: warning: left out: %v\n", d.Err)
	}
	if len(outcome.Bare) > 0 {
		s.tell("cnibench: warning: %d ok trials have no series in their evidence, the first in %s\n", len(outcome.Bare), outcome.Bare[0].Raw)
	}
	switch o.format {
	case "openmetrics":
		s.tell("exported %d attempts and %d files of series\n", outcome.Attempts, outcome.Files)
	case "parquet", "csv":
		s.tell("exported %s, %d of them with a reason instead of a value\n", prose.Plural(outcome.Rows, "row"), outcome.Unmeasured)
	default:
		s.tell("exported %s\n", prose.Plural(outcome.Attempts, "attempt"))
	}
	switch {
	case len(outcome.Damaged) > 0:
		return failed(fmt.Errorf("%d of %d files of series cannot be read; the rest is exported", len(outcome.Damaged), len(outcome.Damaged)+outcome.Files),
			"the output names them as cnibench_trial_damaged_evidence_info; copy them again from where they were measured")
	case o.series && outcome.Files == 0 && len(outcome.Bare) > 0:
		return failed(fmt.Errorf("--series: no trial has any; the rest is exported"), "copy raw/ along with the other files, or leave --series out")
	}
	return nil
}

// writeTo writes to stdout, or to a file that has all of it or does not
// change.
func writeTo(stdout io.Writer, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(stdout)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return failed(fmt.Errorf("writing %s: %w", name, err), "give a file in a directory that is there and that you may write to")
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error says what is wrong
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
