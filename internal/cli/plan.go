package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

func newPlan(s streams) *cobra.Command {
	var from sources
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan [-f campaign.yaml | --preset NAME]",
		Short: "show what would run, in which order and how long",
		Long: `plan expands a campaign without running it: trials, order, measured time, and
what the design cannot find. The same file gives the same plan and hash on
every machine.

Exit status: 0 shown, 2 usage or campaign file.`,
		Example: `  cnibench plan
  cnibench plan -f campaign.yaml --json | jq .hash
  cnibench plan --preset seed-001 --scale 10`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := from.read()
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(s.out)
				e.SetIndent("", "  ")
				return e.Encode(d.plan)
			}
			unsupported, err := d.unsupported()
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.out, formatPlan(d.plan, d.scenarios, unsupported))
			return err
		},
	}
	from.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print plan.json")
	return cmd
}

// formatPlan prints a plan, with a warning of its own unless that is empty.
func formatPlan(p plan.Plan, scenarios scenario.Set, warning string) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "campaign   %s\nplan       %s\n", p.Name, p.Hash)
	fmt.Fprintf(w, "cluster    %s\n", p.Cluster.Description())
	if p.Tools.Image != "" {
		fmt.Fprintf(w, "tools      %s\n", p.Tools.Image)
	}
	for i, v := range p.Variants {
		fmt.Fprintf(w, "%-10s %s\n", firstOnly(i, "variants"), v.Description())
	}
	for i, c := range p.Cells {
		fmt.Fprintf(w, "%-10s %s: %s\n", firstOnly(i, "measured"), c.ID, c.Parameters.Description())
	}
	if p.Prometheus != nil {
		fmt.Fprintf(w, "prometheus %s\n", p.Prometheus.URL)
		for _, q := range p.Prometheus.Queries {
			fmt.Fprintf(w, "%-10s %s (%s, %s is better): %s\n", "", q.Name, q.Unit, q.Better, q.Query)
		}
	}
	fresh := "one installation per variant"
	switch {
	case p.FreshCluster:
		fresh = "a fresh cluster per variant and block"
	case p.Shared():
		fresh = "all on the one cluster"
	}
	fmt.Fprintf(w, "trials     %d in %d blocks, %s\n", len(p.Trials()), len(p.Blocks), fresh)
	if p.Validity != nil {
		fmt.Fprintf(w, "validity   %s\n", p.Validity.Description())
	}
	fmt.Fprintf(w, "trial time %s, to which clusters and pauses add\n", plan.Estimate(p, trialDuration(scenarios)).Round(time.Second))
	for _, b := range p.Blocks {
		fmt.Fprintf(w, "block %-4d %s  (%s)\n", b.Index, strings.Join(b.Order, ", "), strings.Join(b.Cells, ", "))
	}
	warnings := plan.Warnings(p)
	if warning != "" {
		warnings = append(warnings, warning)
	}
	for _, text := range warnings {
		fmt.Fprintf(w, "warning    %s\n", text)
	}
	return w.String()
}

// firstOnly labels the first line of a list.
func firstOnly(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}
