package run

import (
	"context"
	"errors"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prometheus"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario"
)

// Runner executes one plan into one results directory.
type Runner struct {
	Plan     plan.Plan
	Writer   *result.Writer
	Provider cluster.Provider
	// Peer makes the second cluster of every variant, in reach of the first; nil:
	// there is none.
	Peer    cluster.Provider
	Catalog cni.Catalog
	// Scenarios holds what the plan's cells name.
	Scenarios scenario.Set
	Charts    cni.ChartSource
	// Prometheus is asked the plan's queries; nil: nobody is.
	Prometheus *prometheus.Server
	// Environment is written as clusters come up.
	Environment result.Environment
	// Prefix makes the names of this run's clusters its own.
	Prefix string
	// Keep leaves clusters running at the end.
	Keep   bool
	Events func(Event)
	// Enough says, once so many blocks are complete, why no more are needed;
	// empty: they are. It must depend on its arguments and the plan alone, so
	// that a run that is resumed stops where it had. nil: all blocks are
	// needed.
	Enough func(blocks int, trials []result.Trial) (why string, err error)

	arms      map[string]*arm
	created   map[string]int      // clusters made so far, by variant
	names     map[string]bool     // that clusters have had
	disproofs map[string]disproof // by variant
	kept      string              // the variant on a shared cluster that has not been ended
	journal   []result.Trial
	total     int
	open      map[result.Key]bool // to be measured
	// perform measures one variant in one block; turn, but in tests.
	perform func(context.Context, []plan.Trial) error
}

// Run measures the pending trials, in order, and repeats the blocks that turn
// out to be invalid. It returns nil when each has an attempt in the journal, or
// no more are needed, whatever became of it; the journal tells. When it
// returns all clusters are gone, or as they were, unless they are to be kept and
// are what was installed.
func (r *Runner) Run(ctx context.Context, pending []plan.Trial) (err error) {
	r.arms, r.created, r.names, r.disproofs = map[string]*arm{}, map[string]int{}, map[string]bool{}, map[string]disproof{}
	if r.perform == nil {
		r.perform = r.turn
	}
	remove := r.removeAll
	if r.Keep {
		remove = r.removeAltered
	}
	defer func() { err = errors.Join(err, remove(ctx)) }()
	journal, err := r.Writer.Journal()
	if err != nil {
		return err
	}
	r.journal, r.total = journal.Trials, len(r.Plan.Trials())
	r.open = map[result.Key]bool{}
	for _, p := range pending {
		r.open[result.KeyOf(p)] = true
	}
	for _, b := range r.Plan.Blocks {
		if err := r.block(ctx, b.Index, pending); err != nil {
			return err
		}
		if enough, err := r.enough(b.Index); enough || err != nil {
			return err
		}
	}
	return nil
}

// append journals an attempt.
func (r *Runner) append(t result.Trial) error {
	if err := r.Writer.Append(t); err != nil {
		return err
	}
	r.journal = append(r.journal, t)
	return nil
}

// turns cuts the list where block or variant changes.
func turns(pending []plan.Trial) [][]plan.Trial {
	var all [][]plan.Trial
	for i, p := range pending {
		if i == 0 || p.Block != pending[i-1].Block || p.Variant.Name != pending[i-1].Variant.Name {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], p)
	}
	return all
}

// turn measures every pending cell of one variant in one block. A cluster that
// does not come up fails these trials, not the campaign; one that cannot be
// used any more ends it.
func (r *Runner) turn(ctx context.Context, turn []plan.Trial) error {
	variant := turn[0].Variant.Name
	if r.kept != "" {
		if err := r.leave(ctx, r.kept); err != nil {
			return err
		}
		r.kept = ""
	}
	var a *arm
	var armErr error
	for i, p := range turn {
		if i == 0 || a != nil && a.altered {
			if a, armErr = r.ready(ctx, p.Variant, p.Block); ctx.Err() != nil {
				return ctx.Err()
			}
			if r.Provider.Shared() && final(armErr) {
				return armErr
			}
		}
		if err := r.measure(ctx, a, armErr, p); err != nil {
			return err
		}
	}
	if altered := a != nil && a.altered; r.Provider.Shared() && r.Keep && !altered {
		r.kept = variant // which may have been the last
		return nil
	}
	return r.leave(ctx, variant)
}

// leave ends a variant's turn. Its error is one that ends the run.
func (r *Runner) leave(ctx context.Context, variant string) error {
	if err := r.rest(ctx, variant); err != nil {
		if final(err) {
			return err
		}
		r.emit(Event{Kind: Troubled, Variant: variant, Step: err.Error()})
	}
	return nil
}

// final tells whether a shared cluster cannot be used any more after an error,
// by any variant.
func final(err error) bool {
	var unclean *UncleanError
	var kept *KeptError
	var installed *cni.InstalledError
	return errors.As(err, &unclean) || errors.As(err, &kept) || errors.As(err, &installed)
}

// retries is how often a trial is repeated that the environment spoilt. A
// failed trial is not repeated: the variant itself may be the reason.
const retries = 1

func (r *Runner) measure(ctx context.Context, a *arm, armErr error, p plan.Trial) error {
	for try := 0; ; try++ {
		t, err := r.attempt(ctx, a, armErr, p)
		if err != nil {
			return err
		}
		again := t.Status == result.Invalid && !isDisproof(armErr) && try < retries
		if !again {
			delete(r.open, result.KeyOf(p))
		}
		r.emit(Event{Kind: TrialEnded, Variant: p.Variant.Name, Trial: &t})
		if !again {
			return nil
		}
	}
}
