package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

// arm is a variant's cluster during a run.
type arm struct {
	*Installed
	paused bool
}

// ready returns the arm of a variant, measured on now or paused before.
func (r *Runner) ready(ctx context.Context, variant plan.Variant) (*arm, error) {
	if a, ok := r.arms[variant.Name]; ok {
		return a, a.resume(ctx)
	}
	a, err := r.create(ctx, variant)
	if err != nil {
		return nil, fmt.Errorf("bringing up %s: %w", variant.Name, err)
	}
	r.arms[variant.Name] = a
	return a, nil
}

// create makes a cluster for a variant and notes how it runs.
func (r *Runner) create(ctx context.Context, variant plan.Variant) (*arm, error) {
	entry, ok := r.Catalog.Entry(variant.Entry)
	if !ok {
		return nil, fmt.Errorf("the catalog has no variant %q", variant.Entry)
	}
	in := Installation{
		Provider: r.Provider, Name: r.Prefix + variant.Name, Entry: entry, Charts: r.Charts,
		LinkMTU: r.Plan.Cluster.Lab.MTU, Report: r.step(variant.Name),
	}
	installed, err := in.Create(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.noteVariant(ctx, variant.Name, installed); err != nil {
		return nil, errors.Join(err, installed.Cluster.Remove())
	}
	return &arm{Installed: installed}, nil
}

// resumeTimeout bounds the wait for a thawed cluster to answer.
const resumeTimeout = 60 * time.Second

// resume lets a paused cluster go on and waits until its API, its kubelets and
// its datapath answer again.
func (a *arm) resume(ctx context.Context) error {
	if !a.paused {
		return nil
	}
	if err := a.Cluster.Resume(); err != nil {
		return err
	}
	a.paused = false
	if err := cluster.Until(ctx, resumeTimeout, "the cluster to answer after its pause", a.Cluster.Answers); err != nil {
		return err
	}
	return cluster.Until(ctx, resumeTimeout, "the datapath to answer after its pause", func(ctx context.Context) error {
		return cni.Reach(ctx, a.Cluster, a.Pair.Client, a.Pair.Server.IP, scenario.EchoPort)
	})
}

// rest ends a variant's turn: its cluster must not disturb the next one's.
func (r *Runner) rest(variant string) error {
	a, ok := r.arms[variant]
	if !ok {
		return nil
	}
	if !r.Plan.FreshCluster {
		a.paused = true
		return a.Cluster.Pause()
	}
	delete(r.arms, variant)
	if r.Keep {
		return a.Cluster.Pause()
	}
	return a.Cluster.Remove()
}

func (r *Runner) removeAll() error {
	var errs []error
	for _, a := range r.arms {
		errs = append(errs, a.Cluster.Remove())
	}
	return errors.Join(errs...)
}
