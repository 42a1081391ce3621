package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prose"
)

func newPlan(s streams) *cobra.Command {
	var from sources
	var asJSON bool
	var noise string
	var anyway bool
	cmd := &cobra.Command{
		Use:   "plan [-f campaign.yaml | --preset NAME | --profile NAME]",
		Short: "show what would run, how long, and what it is likely to find",
		Long: `plan expands a campaign without running it: trials and their order, the family
of comparisons, the time, and the smallest differences that it is likely to
find. The same file gives the same plan and hash on every machine.

What is found depends on noise: on how far the differences of two variants that
are the same scatter from block to block. --noise takes it as a percentage, or
from the results of an A/A campaign, whose journal also tells what trials and
clusters take. Without it 2.8 % is assumed, which is for orientation.

A campaign file whose design cannot reach any verdict is refused, unless with
--anyway; a preset is shown with a warning, as its protocol is not ours to
change. With --json nothing is judged.

Exit status: 0 shown, 2 usage, campaign file, or a design without verdicts.`,
		Example: `  cnibench plan
  cnibench plan -f campaign.yaml --json | jq .hash
  cnibench plan -f campaign.yaml --noise 1.5%
  cnibench plan -f campaign.yaml --noise results/noise
  cnibench plan --preset seed-001 --scale 10
  cnibench plan --profile latency-sensitive`,
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
			if err := refuse(d.plan, from); err != nil && !anyway {
				return err
			}
			return showPlan(s, d, noise)
		},
	}
	from.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print plan.json")
	cmd.Flags().BoolVar(&anyway, "anyway", false, "show a design that cannot reach any verdict, too")
	cmd.Flags().StringVar(&noise, "noise", "", "paired noise: a percentage, or the results directory of an A/A campaign")
	return cmd
}

// refuse returns an error about a campaign file whose design cannot reach any
// verdict. A preset's protocol is not ours to change, and who shortens a
// profile's campaign knows that it is to try it out.
func refuse(p plan.Plan, from sources) error {
	text := p.Undecidable()
	if text == "" || from.preset.name != "" || from.preset.scale != 1 {
		return nil
	}
	if from.file != "" {
		text = from.file + ": " + text
	}
	return usage(errors.New(text), fmt.Sprintf(
		"write blocks: %d, or name fewer metrics in analysis.primary; --anyway shows this plan, and `cnibench run` measures it, without verdicts", p.LeastBlocks()))
}

// showPlan prints a plan with what it is likely to find.
func showPlan(s streams, d design, noise string) error {
	known, err := readNoise(noise, d)
	if err != nil {
		return err
	}
	outlook, err := forecastLines(d, known)
	if err != nil {
		return err
	}
	outlook += profileLine(d)
	warnings := plan.Warnings(d.plan)
	lost, err := unsupported(d.plan, d.catalog, d.scenarios)
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, formatPlan(d.plan, outlook, append(warnings, lost...)))
	return err
}

// formatPlan prints a plan, with what it is likely to find and warnings.
func formatPlan(p plan.Plan, outlook string, warnings []string) string {
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
		writeCell(w, firstOnly(i, "measured"), c)
	}
	for i, t := range p.Targets() {
		fmt.Fprintf(w, "%-10s %s\n", firstOnly(i, "targets"), t.Description())
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
	if twin := p.Analysis.AA; twin != nil {
		fmt.Fprintf(w, "A/A twin   %s, which is %s once more\n", twin.Name, twin.Variant)
	}
	most := ""
	if p.Stop != nil {
		most = "at most "
	}
	fmt.Fprintf(w, "trials     %s%d in %s, %s\n", most, len(p.Trials()), prose.Plural(len(p.Blocks), "block"), fresh)
	if p.Stop != nil {
		writeLine(w, "stop", stopText(p))
	}
	if p.Validity != nil {
		fmt.Fprintf(w, "validity   %s\n", p.Validity.Description())
	}
	w.WriteString(outlook)
	for _, b := range p.Blocks {
		fmt.Fprintf(w, "block %-4d %s  (%s)\n", b.Index, strings.Join(b.Order, ", "), strings.Join(b.Cells, ", "))
	}
	for _, text := range warnings {
		fmt.Fprintf(w, "warning    %s\n", text)
	}
	return w.String()
}

// writeCell writes what a cell measures. Lines that go on are indented, so that
// the next cell is seen.
func writeCell(w *strings.Builder, label string, c plan.Cell) {
	text := c.ID
	if parameters := c.Parameters.Description(); parameters != "" {
		text += ": " + parameters
	}
	indent := ""
	for i, line := range prose.Lines(text, 86) {
		fmt.Fprintf(w, "%-10s %s%s\n", firstOnly(i, label), indent, line)
		indent = "  "
	}
}

// stopText says when a campaign with looks ends, and how strictly it is judged.
func stopText(p plan.Plan) string {
	looks := make([]string, len(p.Stop.Looks))
	for i, blocks := range p.Stop.Looks {
		looks[i] = strconv.Itoa(blocks)
	}
	after := looks[len(looks)-1]
	if before := looks[:len(looks)-1]; len(before) > 0 {
		after = strings.Join(before, ", ") + " or " + after
	}
	return fmt.Sprintf("after %s blocks, when every primary interval is ±%.4g %% or narrower; verdicts at %.4g",
		after, 100*p.Stop.HalfWidth, analysis.Alpha(p))
}

// firstOnly labels the first line of a list.
func firstOnly(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}
