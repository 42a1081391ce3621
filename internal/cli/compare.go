package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

var compareFormats = map[string]func(io.Writer, analysis.Compared) error{
	"text": report.CompareText, "md": report.CompareMarkdown, "json": report.CompareJSON, "csv": report.CompareCSV,
}

type compareOptions struct {
	base, format string
	allPairs     bool
	allMetrics   bool
	only         []string
	margins      []string
	mapping      []string
}

func newCompare(s streams) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare DIR [DIR2]",
		Short: "compare variants with each other, or two campaigns",
		Long: `compare says how variants differ: by how much, with which interval, and whether
that is more or less than the margin. With one directory it compares the
variants of a campaign within its blocks, each with the base. With two it
compares every variant of the second with the same of the first, and names what
was not the same around them. docs/compare.md explains what it prints.

Verdicts do not change the exit status.

Exit status: 0 shown, 1 a directory cannot be read or nothing in them can be
compared, 2 usage.`,
		Example: `  cnibench compare results/monday
  cnibench compare results/monday --base flannel-vxlan --only throughput
  cnibench compare results/monday --all-pairs --format csv > pairs.csv
  cnibench compare results/monday results/tuesday
  cnibench compare results/monday results/tuesday --map flannel-vxlan=flannel-new --margin throughput=5%`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			write, ok := compareFormats[o.format]
			if !ok {
				return usage(fmt.Errorf("--format: unknown format %q", o.format), "use text, md, json or csv")
			}
			compared, err := o.compare(s, args)
			if err != nil {
				return err
			}
			if compared, err = compared.Select(o.only); err != nil {
				return usage(fmt.Errorf("--only: %w", err), "name what is listed")
			}
			if !o.allMetrics && (o.format == "text" || o.format == "md") {
				compared = compared.Brief()
			}
			return write(s.out, compared)
		},
	}
	cmd.Flags().StringVar(&o.base, "base", "", "compare with `VARIANT` instead of the campaign's base: all is exploratory then")
	cmd.Flags().BoolVar(&o.allPairs, "all-pairs", false, "compare every variant with every other")
	cmd.Flags().BoolVar(&o.allMetrics, "all-metrics", false, "show all metrics, not only primary and main ones: json and csv always have all")
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "show only these variants, scenarios, cells or metrics")
	cmd.Flags().StringArrayVar(&o.margins, "margin", nil, "judge `METRIC=MARGIN` by another margin, 5% or an amount in its unit: all is exploratory then")
	cmd.Flags().StringArrayVar(&o.mapping, "map", nil, "compare variant `A=B`: A of the first campaign with B of the second")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, md, json or csv")
	return cmd
}

func (o compareOptions) compare(s streams, dirs []string) (analysis.Compared, error) {
	var campaigns []analysis.Campaign
	for _, dir := range dirs {
		c, err := readCampaign(s, dir)
		if err != nil {
			return analysis.Compared{}, err
		}
		campaigns = append(campaigns, c)
	}
	options, err := o.options(campaigns)
	if err != nil {
		return analysis.Compared{}, err
	}
	var compared analysis.Compared
	if len(campaigns) == 1 {
		c := campaigns[0]
		compared, err = analysis.CompareWithin(c.Plan, c.Trials, c.Environment, options)
	} else {
		compared, err = analysis.CompareBetween(campaigns[0], campaigns[1], options)
	}
	var nothing *analysis.IncomparableError
	switch {
	case errors.As(err, &nothing):
		return compared, failed(err, nothing.Hint())
	case err != nil:
		return compared, failed(err, "two campaigns can be compared where they have variants in common, or with --map A=B")
	}
	return compared, nil
}

// readCampaign reads all of a results directory that comparisons need.
func readCampaign(s streams, dir string) (analysis.Campaign, error) {
	const hint = "give a directory that `cnibench run` wrote, whole"
	d, err := result.Open(dir)
	if err != nil {
		return analysis.Campaign{}, failed(err, hint)
	}
	c, err := readFrom(s, d)
	if err != nil {
		return c, failed(err, hint)
	}
	return c, nil
}

// readFrom reads it from a directory that is open.
func readFrom(s streams, d *result.Dir) (c analysis.Campaign, err error) {
	if c.Plan, err = d.Plan(); err != nil {
		return c, err
	}
	journal, err := d.Journal()
	if err != nil {
		return c, err
	}
	for _, w := range journal.Warnings {
		s.tell("cnibench: warning: %s\n", w.Message)
	}
	c.Plan, c.Trials = withDefaults(c.Plan), journal.Trials
	c.Environment, err = d.Environment()
	return c, err
}

// withDefaults adds the parameters that a plan of an earlier version does not
// know yet: it measured what is their default now.
func withDefaults(p plan.Plan) plan.Plan {
	if p.Imported != nil {
		return p
	}
	p.Cells = slices.Clone(p.Cells)
	for i, c := range p.Cells {
		s, err := scenario.Find(c.Scenario)
		if err != nil || c.Definition != "" {
			continue // the user's own, which says what it is
		}
		values := parameter.Values{}
		for _, known := range s.Parameters {
			if defaults := known.Defaults(); len(defaults) == 1 {
				values[known.Name] = defaults[0]
			}
		}
		maps.Copy(values, c.Parameters)
		p.Cells[i].Parameters = values
	}
	return p
}

// options checks the flags against what there is.
func (o compareOptions) options(campaigns []analysis.Campaign) (analysis.CompareOptions, error) {
	options := analysis.CompareOptions{Base: o.base, AllPairs: o.allPairs}
	first := campaigns[0].Plan
	switch two := len(campaigns) == 2; {
	case two && o.base != "":
		return options, usage(fmt.Errorf("--base: two campaigns are compared variant by variant"), "leave --base out, or give one directory")
	case two && o.allPairs:
		return options, usage(fmt.Errorf("--all-pairs: two campaigns are compared variant by variant"), "leave --all-pairs out, or give one directory")
	case !two && len(o.mapping) > 0:
		return options, usage(fmt.Errorf("--map names a variant of a second campaign, and there is one"), "give two directories, or use --base VARIANT")
	case first.IsTwin(o.base):
		return options, usage(fmt.Errorf("--base: %s is the A/A twin of %s", o.base, first.Analysis.AA.Variant), "use --base "+first.Analysis.AA.Variant)
	case o.base != "" && !hasVariant(first, o.base):
		return options, usage(fmt.Errorf("--base: the campaign has no variant %q", o.base), "it has "+variantList(first))
	}
	var err error
	if options.Map, err = parseMapping(o.mapping, campaigns); err != nil {
		return options, err
	}
	options.Margins, err = parseMargins(o.margins, metricsOf(campaigns))
	return options, err
}

func hasVariant(p plan.Plan, name string) bool {
	return slices.ContainsFunc(p.Variants, func(v plan.Variant) bool { return v.Name == name })
}

func variantList(p plan.Plan) string {
	var names []string
	for _, v := range p.Variants {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// parseMapping reads A=B, variants of the first and of the second campaign.
func parseMapping(flags []string, campaigns []analysis.Campaign) (map[string]string, error) {
	mapping := map[string]string{}
	for _, text := range flags {
		a, b, ok := strings.Cut(text, "=")
		if !ok || a == "" || b == "" {
			return nil, usage(fmt.Errorf("--map %q is not A=B", text), "name a variant of the first campaign and one of the second")
		}
		if mapping[a] != "" {
			return nil, usage(fmt.Errorf("--map names %s twice", a), "compare a variant with one other at a time")
		}
		for i, name := range []string{a, b} {
			if p := campaigns[i].Plan; !hasVariant(p, name) {
				return nil, usage(fmt.Errorf("--map: the %s campaign has no variant %q", []string{"first", "second"}[i], name), "it has "+variantList(p))
			}
		}
		mapping[a] = b
	}
	return mapping, nil
}

// metricsOf lists the metrics of all ok trials by name. Two campaigns may
// declare one differently; then it is not compared.
func metricsOf(campaigns []analysis.Campaign) map[string]result.Metric {
	metrics := map[string]result.Metric{}
	for _, c := range slices.Backward(campaigns) {
		for _, t := range c.Trials {
			for _, v := range t.Values {
				metrics[v.Name] = v.Metric
			}
		}
	}
	return metrics
}

func metricNames(metrics map[string]result.Metric) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if metrics[name].Group == "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
