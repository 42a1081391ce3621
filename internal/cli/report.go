package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// formats of what files other than those in raw/ hold, and what it costs at
// prices; JSON has all that the page shows.
var formats = map[string]func(io.Writer, measured) error{
	"text": textReport, "md": markdownReport,
	"csv": func(w io.Writer, m measured) error { return report.CSV(w, m.analysis) },
}

// measured is what a campaign found, on what, and the prices to reckon with.
type measured struct {
	analysis    analysis.Analysis
	environment result.Environment
	prices      cost.Prices
}

// reportOptions are the flags of report.
type reportOptions struct {
	html, format, sides string
	prices              priceFlags
}

func newReport(s streams) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "show the results of a run",
		Long: `report evaluates a results directory and prints it. It needs neither root nor
the machine that measured; the same directory gives the same bytes.

Exit status: 0 shown, 1 the directory cannot be read, 2 usage.`,
		Example: `  cnibench report results/monday
  cnibench report results/monday --html monday.html
  cnibench report results/monday --html monday.html --prices prices.yaml
  cnibench report results/monday --html monday.html --side-by-side 3/host/tcp-pod-single,3/flannel-vxlan/tcp-pod-single
  cnibench report results/monday --format csv > monday.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(s, args[0]) },
	}
	cmd.Flags().StringVar(&o.html, "html", "", "write the HTML report to FILE instead")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md, json or csv")
	cmd.Flags().StringVar(&o.sides, "side-by-side", "", "show these two `TRIALS` over time beside each other, BLOCK/VARIANT/CELL,BLOCK/VARIANT/CELL as raw/ names them (default: of each cell two that show what differs most)")
	o.prices.add(cmd)
	return cmd
}

func (o reportOptions) run(s streams, dir string) error {
	write, ok := formats[o.format]
	if !ok && o.format != "json" {
		return usage(fmt.Errorf("unknown format %q", o.format), "use text, md, json or csv")
	}
	d, err := result.Open(dir)
	if err != nil {
		return failed(err, "give a directory that `cnibench run` wrote")
	}
	if o.sides != "" && o.html == "" {
		return usage(errors.New("two trials side by side are on the page alone"), "add --html FILE")
	}
	if o.html != "" || o.format == "json" {
		return o.writeWhole(s, d)
	}
	if o.format == "csv" && o.prices.given() {
		return usage(errors.New("csv has trials and no costs"), "`cnibench cost DIR --format csv` has them")
	}
	priced, err := o.prices.read()
	if err != nil {
		return err
	}
	a, _, err := analyze(d)
	if err != nil {
		return err
	}
	env, err := environment(d)
	if err != nil {
		return err
	}
	return write(s.out, measured{a, env, priced})
}

func analyze(d *result.Dir) (analysis.Analysis, result.Journal, error) {
	p, err := d.Plan()
	if err != nil {
		return analysis.Analysis{}, result.Journal{}, err
	}
	journal, err := d.Journal()
	if err != nil {
		return analysis.Analysis{}, journal, err
	}
	env, err := environment(d)
	if err != nil {
		return analysis.Analysis{}, journal, err
	}
	a, err := analysis.Analyze(p, journal.Trials, env)
	return a, journal, err
}

// environment is empty as long as a run has not written any: the report says so.
func environment(d *result.Dir) (result.Environment, error) {
	env, err := d.Environment()
	if errors.Is(err, fs.ErrNotExist) {
		return result.Environment{}, nil
	}
	return env, err
}

// reportSource reads what the page and the JSON report are made of, with what
// raw/ holds: time series and commands.
func reportSource(d *result.Dir, prices cost.Prices) (report.Source, error) {
	a, journal, err := analyze(d)
	if err != nil {
		return report.Source{}, err
	}
	env, err := environment(d)
	if err != nil {
		return report.Source{}, err
	}
	series, err := report.ReadSeries(d, journal.Trials)
	if err != nil {
		return report.Source{}, err
	}
	commands, err := report.ReadCommands(d, journal.Trials)
	if err != nil {
		return report.Source{}, err
	}
	campaign, err := d.Campaign()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return report.Source{}, err
	}
	latencies, err := report.ReadDistributions(d, journal.Trials)
	if err != nil {
		return report.Source{}, err
	}
	steps, err := report.ReadSteps(d, journal.Trials)
	if err != nil {
		return report.Source{}, err
	}
	costs, err := costsOf(a, prices)
	if err != nil {
		return report.Source{}, err
	}
	choice, err := choices(a, costs)
	if err != nil {
		return report.Source{}, err
	}
	checked, err := heldAgainst(a, env)
	if err != nil {
		return report.Source{}, err
	}
	return report.Source{
		Analysis: a, Environment: env, Series: series, Distributions: latencies, Steps: steps, Campaign: campaign, Commands: commands,
		Rankings: choice.Rankings, Decision: choice.Decision, Costs: costs, Claims: checked,
	}, nil
}

// costsOf prices a campaign, with the cells that are taken by default.
func costsOf(a analysis.Analysis, p cost.Prices) (*cost.Costs, error) {
	c, err := cost.Campaign(a, p, cost.Options{})
	return &c, err
}

// writeWhole writes what has everything: the page to a file or, without a file,
// JSON.
func (o reportOptions) writeWhole(s streams, d *result.Dir) error {
	prices, err := o.prices.read()
	if err != nil {
		return err
	}
	source, err := reportSource(d, prices)
	if err != nil {
		return err
	}
	if o.sides != "" {
		if source.Sides, err = chooseSides(o.sides, source); err != nil {
			return err
		}
	}
	if o.html != "" {
		return writeSource(source, o.html)
	}
	return report.JSON(s.out, source)
}

// writeHTML writes the report to a file.
func writeHTML(d *result.Dir, file string) (analysis.Analysis, error) {
	source, err := reportSource(d, cost.Default())
	if err != nil {
		return source.Analysis, err
	}
	return source.Analysis, writeSource(source, file)
}

func writeSource(source report.Source, file string) error {
	var page bytes.Buffer
	if err := report.HTML(&page, source); err != nil {
		return err
	}
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
