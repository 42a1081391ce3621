package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

func newScenariosShow(s streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "show what a scenario measures, its parameters and metrics",
		Long: `show describes a scenario: how it measures, what it needs, its parameters with
defaults and bounds, its metrics with unit, direction, scale and margin, and how
long a trial takes by default.

Exit status: 0 shown, 2 usage or no such scenario.`,
		Example: "  cnibench scenarios show tcp-pod-multi",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := loadScenarios(dir)
			if err != nil {
				return err
			}
			sc, err := all.Find(args[0])
			if err != nil {
				return usage(err, document.DidYouMean(args[0], namesOf(all), "`cnibench scenarios list` shows the names"))
			}
			return showScenario(s.out, sc)
		},
	}
	cmd.Flags().StringVar(&dir, "scenarios", "", scenariosUsage)
	return cmd
}

// namesOf are the scenarios' names, by which they can be found.
func namesOf(all scenario.Set) []string {
	var names []string
	for _, sc := range all.All() {
		names = append(append(names, sc.Name), sc.Aliases...)
	}
	return names
}

func showScenario(out io.Writer, sc scenario.Scenario) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: %s\n\n", sc.Name, sc.Title)
	for _, line := range prose.Lines(sc.Description, 100) {
		fmt.Fprintln(w, line)
	}
	if sc.Description != "" {
		fmt.Fprintln(w)
	}
	if len(sc.Aliases) > 0 {
		fmt.Fprintf(w, "also called  %s\n", strings.Join(sc.Aliases, ", "))
	}
	if needs := sc.Requires.Words(); needs != "" {
		fmt.Fprintf(w, "needs        %s\n", needs)
	}
	fmt.Fprintf(w, "a trial      %s by default\n\n", sc.Duration(defaultsOf(sc)))
	fmt.Fprintln(w, "PARAMETER\tDEFAULT\tVALUES\tMEANING")
	for _, p := range sc.Parameters {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, strings.Join(p.Defaults(), ", "), p.Domain(), p.Help)
	}
	fmt.Fprintln(w, "\nMETRIC\tUNIT\tBETTER\tSCALE\tMARGIN\tMEANING")
	for i, m := range sc.Metrics {
		name := m.Name
		if i == 0 {
			name += " *"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", name, m.Unit, m.Better, m.Scale, marginText(m), m.Help)
	}
	fmt.Fprintln(w, "\n* the primary metric of a campaign that names none")
	if details := sc.Details(); len(details) > 0 {
		fmt.Fprintf(w, "\nDETAIL OF THE MACHINES\tUNIT\tGROUP\tMEANING\n")
		for _, m := range details {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.Name, m.Unit, m.Group, m.Help)
		}
	}
	return w.Flush()
}

// defaultsOf are the parameters of the first cell of a campaign that sets none.
func defaultsOf(sc scenario.Scenario) parameter.Values {
	values := parameter.Values{}
	for _, p := range sc.Parameters {
		values[p.Name] = p.Defaults()[0]
	}
	return values
}

// trialDuration tells how long a trial of a cell takes on a cluster, apart from
// what all trials need.
func trialDuration(all scenario.Set, on plan.Cluster) func(plan.Cell) time.Duration {
	nodes := on.Shape().Nodes
	return func(c plan.Cell) time.Duration {
		sc, err := all.Find(c.Scenario)
		if err != nil {
			return 0 // a plan that was made by another version; nothing runs it
		}
		return sc.DurationOn(c.Parameters, nodes)
	}
}

// marginText writes a metric's margin in its own unit.
func marginText(m result.Metric) string {
	if m.Scale == result.Ratio {
		return strconv.FormatFloat(100*m.Margin, 'g', 4, 64) + " %"
	}
	return strconv.FormatFloat(m.Margin, 'f', -1, 64)
}
