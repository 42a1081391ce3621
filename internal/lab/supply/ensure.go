package supply

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// Progress is the state of one step; its String is a line for people.
type Progress = progress.Progress

// Ensure returns the kit in the cache at dir, with the parts that are named (see
// Parts), and builds what is missing of it, which takes
// minutes the first time and milliseconds afterwards. Finished
// steps stay when a later one fails. report, which may be nil, is called from
// one goroutine at a time, at least every few seconds. In an error that the
// user can mend, errors.As finds a method Hint() string. When ctx ends, so do
// all child processes, and unfinished work is removed.
func Ensure(ctx context.Context, dir string, report func(Progress), parts ...string) (Kit, error) {
	p, err := embeddedPlan(dir, parts...)
	if err != nil {
		return Kit{}, err
	}
	return p.ensure(ctx, report)
}

// Ready names the steps that Ensure would have to build; none: the kit is
// there.
func Ready(dir string, parts ...string) (missing []string, err error) {
	p, err := embeddedPlan(dir, parts...)
	if err != nil {
		return nil, err
	}
	steps, err := p.find()
	for _, s := range steps {
		missing = append(missing, s.title)
	}
	return missing, err
}

// embeddedPlan is the plan with the programs embedded in this binary.
func embeddedPlan(dir string, parts ...string) (*plan, error) {
	programs, err := fs.Sub(embedded, "programs")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded programs: %w", err)
	}
	return newPlan(dir, programs, parts...)
}

func (p *plan) ensure(ctx context.Context, report func(Progress)) (Kit, error) {
	if err := p.supply(ctx, report); err != nil {
		return Kit{}, err
	}
	return p.assemble(p.done)
}

// supply builds the steps that are missing.
func (p *plan) supply(ctx context.Context, report func(Progress)) error {
	missing, err := p.find()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := p.prepare(ctx, missing); err != nil {
			return err
		}
	}
	for _, s := range missing {
		if err := p.run(ctx, s, report); err != nil {
			return err
		}
	}
	return nil
}

// run builds one step.
func (p *plan) run(ctx context.Context, s step, report func(Progress)) (err error) {
	reporter := progress.Start(s.title, report)
	defer func() { reporter.End(err != nil) }()
	m, err := p.store.ensure(ctx, p.item(s.name), s.build, reporter)
	if err != nil {
		return fmt.Errorf("%s: %w", s.title, err)
	}
	p.done[s.name] = m
	return nil
}
