package analysis

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Analyze evaluates a journal. It fails when the trials do not belong to the
// plan, or when two of them declare one metric of one cell differently: such
// values cannot be compared.
func Analyze(p plan.Plan, trials []result.Trial, env result.Environment) (Analysis, error) {
	return analyzeAs(p, p, trials, env)
}

// analyzeAs evaluates a journal as p asks, whose base, primary metrics and
// margins may be others than those declared, by which the campaign stopped.
func analyzeAs(declared, p plan.Plan, trials []result.Trial, env result.Environment) (Analysis, error) {
	stopped, err := StoppedAt(declared, trials)
	if err != nil {
		return Analysis{}, fmt.Errorf("analysing: %w", err)
	}
	progress, err := result.ProgressOf(upTo(p, stopped), trials)
	if err != nil {
		return Analysis{}, fmt.Errorf("analysing: %w", err)
	}
	if !slices.ContainsFunc(p.Variants, func(v plan.Variant) bool { return v.Name == p.Analysis.Base }) {
		return Analysis{}, fmt.Errorf("analysing: the base %q is not a variant of the plan", p.Analysis.Base)
	}
	a := Analysis{
		Schema:   SchemaVersion,
		Plan:     p,
		Topology: env.Topology,
		Variants: describeVariants(p, env),
		Stopped:  stopped,
		Counts:   countAll(progress),
		Dropped:  dropped(trials),
		Missing:  missing(progress),
		Cells:    []Cell{},
	}
	decisive := result.LastAttempts(trials)
	for _, c := range p.Cells {
		cell, err := analyzeCell(p, c, decisive)
		if err != nil {
			return Analysis{}, fmt.Errorf("analysing %s: %w", c.ID, err)
		}
		cell.Outcomes = outcomes(p, c.ID, progress)
		a.Cells = append(a.Cells, cell)
	}
	if err := a.decide(); err != nil {
		return Analysis{}, fmt.Errorf("analysing: %w", err)
	}
	if a.Warnings, err = warnings(a, env); err != nil {
		return Analysis{}, fmt.Errorf("analysing: %w", err)
	}
	return a, nil
}

// analyzeCell builds the arms and comparisons of every metric of one cell.
// Verdicts come later, when the whole family is known.
func analyzeCell(p plan.Plan, c plan.Cell, decisive []result.Trial) (Cell, error) {
	var ok []result.Trial
	for _, t := range decisive {
		if t.Cell == c.ID && t.Status == result.OK {
			ok = append(ok, t)
		}
	}
	declared, err := declarations(ok)
	if err != nil {
		return Cell{}, err
	}
	cell := Cell{Cell: c, Metrics: []Metric{}, Gaps: gapsOf(ok)}
	for i, d := range declared {
		m := Metric{Metric: d, Main: i == 0, Primary: slices.Contains(p.Analysis.Primary, c.ID+"/"+d.Name), Once: installedOnce(p) && ofInstallation(d)}
		if margin, given := p.Analysis.Margins[d.Name]; given {
			m.Margin = margin
		}
		for _, v := range p.Variants {
			arm, err := newArm(v.Name, d.Name, ok)
			if err != nil {
				return Cell{}, fmt.Errorf("%s of %s: %w", d.Name, v.Name, err)
			}
			m.Arms = append(m.Arms, arm)
		}
		if m.Comparisons, err = compareAll(withoutTwin(m, p.Analysis.AA), p.Analysis.Base, comparerOf(p)); err != nil {
			return Cell{}, fmt.Errorf("%s: %w", d.Name, err)
		}
		if m.AA, err = compareTwin(m, p.Analysis.AA); err != nil {
			return Cell{}, fmt.Errorf("%s: %w", d.Name, err)
		}
		cell.Metrics = append(cell.Metrics, m)
	}
	return cell, nil
}

// declarations lists the metrics of a cell's trials in order of appearance.
func declarations(trials []result.Trial) ([]result.Metric, error) {
	var list []result.Metric
	for _, t := range trials {
		for _, v := range t.Values {
			i := slices.IndexFunc(list, func(m result.Metric) bool { return m.Name == v.Name })
			if i < 0 {
				list = append(list, v.Metric)
				continue
			}
			known, this := list[i], v.Metric
			known.Help, this.Help = "", ""
			if known != this {
				return nil, fmt.Errorf("block %d, %s declares %s as %+v, earlier trials as %+v", t.Block, t.Variant, v.Name, this, known)
			}
		}
	}
	return list, nil
}
