package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/importer"
	"github.com/cnibench/cnibench/internal/prose"
)

type importOptions struct {
	out     string
	options importer.Options
}

func newImport(s streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FORMAT PATH --out DIR",
		Short: "read what other programs measured",
		Long: `import reads what another program measured and writes it as a results directory,
for report, compare and export. Nothing is made up: what the source lost is
failed, partial or missing with its reason, and never 0. Variants are compared
as independent samples unless the source measured them in turns.

Formats:

` + formatTable() + `
The data stays where you have it: import reads it there and cnibench ships none.
docs/import.md has a section for each format.

Exit status: 0 imported, 1 the source cannot be read, 2 usage, 130 interrupted.`,
		Example: `  cnibench import csv numbers.csv --out results/mine
  cnibench import iperf3 runs --name '{variant}-{block}.json' --out results/runs
  cnibench import infrabuilder-2024 benchmark-k8s-cni-2024-01 --out results/2024`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), s, args[0], args[1])
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "write the results to DIR, which must not exist")
	cmd.Flags().StringVar(&o.options.Campaign, "campaign", "", "call the campaign NAME; after the source unless given")
	cmd.Flags().StringVar(&o.options.Base, "base", "", "compare with this variant; the host's or else the first unless given")
	cmd.Flags().StringVar(&o.options.Pattern, "name", "", "how files are named, such as '{variant}/{scenario}-{block}.json'")
	cmd.Flags().BoolVar(&o.options.Interleaved, "interleaved", false, "compare within blocks: every variant was measured once in each, in turns")
	return cmd
}

// formatTable lists the formats for the help.
func formatTable() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range importer.Formats() {
		fmt.Fprintf(w, "  %s\t%s\n", f.Name, f.Help)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

func (o importOptions) run(ctx context.Context, s streams, name, path string) error {
	f, err := importer.FormatOf(name)
	switch {
	case err != nil:
		return usage(err, "`cnibench import --help` says what each reads")
	case o.out == "":
		return usage(errors.New("--out is missing"), "name the results directory to write, such as --out results/imported")
	case o.options.Interleaved && !f.Interleaved:
		return usage(fmt.Errorf("--interleaved does not go with %s, whose order is known", name), "leave it out")
	case o.options.Pattern != "" && !f.Named:
		return usage(fmt.Errorf("--name does not go with %s, whose files have names of their own", name), "leave it out")
	}
	o.options.Created, o.options.Cnibench = time.Now().UTC(), version()
	sum, err := importer.Import(ctx, f, path, o.out, o.options)
	var wrong *importer.Problem
	switch {
	case errors.As(err, &wrong) && wrong.Option:
		return usage(err, wrong.Fix)
	case errors.Is(err, importer.ErrExists):
		return usage(err, "name another directory with --out")
	case errors.Is(err, os.ErrPermission):
		return failed(err, "give a directory with --out that you may write to")
	case err != nil:
		return err
	}
	s.tell("imported %s, %s and %s from %s: %d ok, %d failed, %d that the source does not measure; %s partial\n",
		prose.Plural(sum.Variants, "variant"), prose.Plural(sum.Cells, "scenario"), prose.Plural(sum.Trials, "trial"), prose.Plural(sum.Files, "file"),
		sum.OK, sum.Failed, sum.Unneeded, prose.Plural(sum.Partial, "value is", "values are"))
	s.tell("`cnibench report %s` shows them\n", o.out)
	return nil
}
