package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/gate"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

var gateFormats = map[string]func(io.Writer, gate.Result) error{
	"text": gate.Text, "json": gate.JSON, "junit": gate.JUnit, "github": gate.GitHub,
}

type gateOptions struct {
	baseline, base, format, out string
	variants, metrics, allow    []string
	margins, mins, maxs         []string
}

func newGate(s streams) *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate DIR",
		Short: "pass or fail results, for scripts and CI",
		Long: `gate decides whether the results in DIR may pass. Every variant has to be
shown to be less than the margin worse than the base variant in the same blocks
or, with --baseline, than the same variant in another results directory. By
default the campaign's primary metrics are gated with its margins. --min and
--max hold every block to a number instead of a comparison; alone they are all
that is gated.

A check passes, is a regression, or is inconclusive: what is not shown does not
pass. All checks are one family, adjusted by Holm, and each claim is one-sided
at 0.025. A metric without a measurement is inconclusive, and a variant with
failed trials cannot pass.

With --baseline the environments are compared first. Where they differ, nothing
is decided until --allow names the differences, one by one, with stars as in
'digest.*', or as all.

Exit status: 0 all pass, 1 a directory cannot be read, 2 usage, 3 a regression,
4 inconclusive and no regression, 5 the environment is unfit: differences that
were not allowed, or more than half of the trials invalid.`,
		Example: `  cnibench gate results/monday
  cnibench gate results/monday --min throughput=9Gbit/s
  cnibench gate results/monday --baseline results/good --margin 5% --allow plugin.version
  cnibench gate results/monday --metric tcp-pod-single/cpu-per-gbit --margin 10%
  cnibench gate results/monday --format junit --out gate.xml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.gate(s, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "compare with the same variants in results directory `DIR`")
	f.StringVar(&o.base, "base", "", "compare with this `VARIANT` (default: the campaign's base)")
	f.StringArrayVar(&o.variants, "variant", nil, "gate only this `VARIANT`; may be repeated (default: all but the base)")
	f.StringArrayVar(&o.metrics, "metric", nil, "gate this `CELL/METRIC`; may be repeated (default: the primary ones)")
	f.StringArrayVar(&o.margins, "margin", nil, "how much worse is good enough: `3%` for all ratios, or METRIC=VALUE")
	f.StringArrayVar(&o.mins, "min", nil, "lowest `METRIC=VALUE` that is good enough, such as throughput=9Gbit/s")
	f.StringArrayVar(&o.maxs, "max", nil, "highest `METRIC=VALUE` that is good enough, such as rtt=0.5ms")
	f.StringArrayVar(&o.allow, "allow", nil, "with --baseline: decide in spite of this `DIFFERENCE`, or of all")
	f.StringVar(&o.format, "format", "text", "text, json, junit or github")
	f.StringVar(&o.out, "out", "-", "write to `FILE`; - is stdout")
	return cmd
}

func (o gateOptions) gate(s streams, dir string) error {
	write, ok := gateFormats[o.format]
	if !ok {
		return usage(fmt.Errorf("unknown format %q", o.format), "use text, json, junit or github")
	}
	request, err := o.request()
	if err != nil {
		return err
	}
	if err := o.read(s, dir, &request); err != nil {
		return err
	}
	res, err := gate.Decide(request)
	var problem *gate.Problem
	switch {
	case errors.As(err, &problem):
		return usage(problem, problem.Hint)
	case err != nil:
		return err
	}
	if err := writeTo(s.out, o.out, func(w io.Writer) error { return write(w, res) }); err != nil {
		return err
	}
	return concludeGate(res)
}

// request reads the flags.
func (o gateOptions) request() (gate.Request, error) {
	r := gate.Request{Base: o.base, Variants: o.variants, Metrics: o.metrics, Allow: o.allow}
	if o.baseline != "" && o.base != "" {
		return r, usage(errors.New("--base and --baseline exclude each other"), "leave one of them out")
	}
	if o.baseline == "" && len(o.allow) > 0 {
		return r, usage(errors.New("--allow is about differences to a baseline"), "give one with --baseline DIR, or leave --allow out")
	}
	for _, text := range o.margins {
		m, err := gate.ParseMargin(text)
		if err != nil {
			return r, usage(fmt.Errorf("--margin: %w", err), "write --margin 3% or --margin METRIC=VALUE, such as --margin memory=10MiB")
		}
		r.Margins = append(r.Margins, m)
	}
	for _, limits := range []struct {
		bound gate.Bound
		texts []string
	}{{gate.Min, o.mins}, {gate.Max, o.maxs}} {
		for _, text := range limits.texts {
			l, err := gate.ParseLimit(limits.bound, text)
			if err != nil {
				return r, usage(fmt.Errorf("--%s: %w", limits.bound, err), fmt.Sprintf("write --%s METRIC=VALUE, such as --%s throughput=9Gbit/s", limits.bound, limits.bound))
			}
			r.Limits = append(r.Limits, l)
		}
	}
	r.LimitsOnly = len(r.Limits) > 0 && o.baseline == "" && o.base == "" && len(o.metrics)+len(o.margins) == 0
	return r, nil
}

// read adds the results to the request.
func (o gateOptions) read(s streams, dir string, r *gate.Request) error {
	now, env, err := readResults(s, dir)
	if err != nil {
		return err
	}
	r.Now = now
	if o.baseline == "" {
		return nil
	}
	baseline, before, err := readResults(s, o.baseline)
	if err != nil {
		return err
	}
	r.Baseline, r.Differences = &baseline, slices.Concat(analysis.EnvironmentDifferences(before, env), analysis.PlanDifferences(baseline.Plan, now.Plan))
	return nil
}

// readResults reads and analyses a results directory.
func readResults(s streams, dir string) (analysis.Analysis, result.Environment, error) {
	d, err := result.Open(dir)
	if err != nil {
		return analysis.Analysis{}, result.Environment{}, failed(err, "give a directory that `cnibench run` wrote")
	}
	a, journal, err := analyze(d)
	if err != nil {
		return a, result.Environment{}, failed(fmt.Errorf("reading %s: %w", dir, err), "copy the directory again from where it was measured; what is broken in it is named above")
	}
	for i, c := range withDefaults(a.Plan).Cells {
		a.Cells[i].Parameters = c.Parameters
	}
	for _, w := range journal.Warnings {
		s.tell("cnibench: warning: %s\n", w.Message)
	}
	env, err := d.Environment()
	if err != nil {
		return a, env, failed(fmt.Errorf("reading %s: %w", dir, err), "")
	}
	return a, env, nil
}

// concludeGate turns the outcome into an exit status.
func concludeGate(res gate.Result) error {
	switch res.Outcome {
	case stats.Regression:
		return &exitError{exitRegression, errors.New(res.Headline()), "which and by how much is in the output; margins are set by --margin or by spec.analysis.margins of the campaign"}
	case stats.Undecided:
		return &exitError{exitInconclusive, errors.New(res.Headline()), gateRemedy(res)}
	case gate.Unfit:
		return &exitError{exitUnfit, errors.New(gateRefusal(res)), gateAllowance(res)}
	}
	return nil
}

// gateRemedy says what is likely to decide an inconclusive gate.
func gateRemedy(res gate.Result) string {
	most, unforeseen, lacking := 0, 0, 0
	for _, c := range res.Checks {
		switch {
		case c.Outcome != stats.Undecided:
		case c.Further > 0:
			most = max(most, c.Further)
		case c.Unforeseen:
			unforeseen++
		default:
			lacking++
		}
	}
	var parts []string
	switch {
	case most == 1:
		parts = append(parts, "about 1 more block is likely to decide it: measure again with one more in spec.blocks of the campaign")
	case most > 1:
		parts = append(parts, fmt.Sprintf("about %d more blocks are likely to decide it: measure again with as many more in spec.blocks of the campaign", most))
	}
	if unforeseen > 0 {
		parts = append(parts, fmt.Sprintf("for %d of the checks nobody can say how many blocks decide it, or it takes more than 100: longer trials or a wider margin decided on beforehand help; the reason stands with each", unforeseen))
	}
	if lacking > 0 {
		parts = append(parts, fmt.Sprintf("for %d of the checks more blocks alone do not help; the reason stands with each", lacking))
	}
	return strings.Join(parts, "; ")
}

// gateRefusal names what makes the results unfit; the output says more.
func gateRefusal(res gate.Result) string {
	var names []string
	for _, d := range res.Differences {
		if !d.Allowed && !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return "the results are unfit for this gate: " + strings.Join(res.Unfit, "; ")
	}
	return "the baseline was measured under other conditions: " + strings.Join(names, ", ")
}

// gateAllowance lists the flags that allow every difference that was not.
func gateAllowance(res gate.Result) string {
	var flags []string
	for _, d := range res.Differences {
		if flag := "--allow " + shellWord(d.Name); !d.Allowed && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	if len(flags) == 0 {
		return "the trials' reasons are in `cnibench report DIR`; measure again on a quiet machine"
	}
	return "measure both under the same conditions or, if the difference is the point, add " + strings.Join(flags, " ")
}

// shellWord quotes a word for a shell where it needs to be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
