package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// arm is a variant's cluster during a run.
type arm struct {
	*Installed
	peer   *Installed // in the second cluster; nil: there is none
	block  int        // in which it came up
	paused bool
	// doubtful says that the last trial failed: whatever was the reason may
	// still be there.
	doubtful bool
	// altered says that a trial could not put the variant back: nothing more is
	// measured on this installation.
	altered bool
	// outlives tells that the cluster is to be there after the run, and report is
	// told what its trials wait for.
	outlives bool
	report   func(step string)
}

// ready returns the arm of a variant, measured on now or paused before. One
// that a trial altered is ended, and another one takes its place.
func (r *Runner) ready(ctx context.Context, variant plan.Variant, block int) (*arm, error) {
	a, there := r.arms[variant.Name]
	if there && !a.altered {
		return a, a.resume(ctx)
	}
	if there {
		if err := r.end(ctx, variant.Name, a); err != nil {
			return nil, fmt.Errorf("installing %s anew: %w", variant.Name, err)
		}
	}
	if err := r.disproven(variant.Name); err != nil {
		return nil, fmt.Errorf("bringing up %s: %w", variant.Name, err)
	}
	a, err := r.create(ctx, variant)
	if err != nil {
		r.noteDisproof(variant.Name, err)
		return nil, fmt.Errorf("bringing up %s: %w", variant.Name, err)
	}
	a.block = block
	r.arms[variant.Name] = a
	return a, nil
}

// create makes a cluster for a variant and notes how it runs.
func (r *Runner) create(ctx context.Context, variant plan.Variant) (*arm, error) {
	entry, err := r.Catalog.Entry(variant.Entry, cni.Choice{Version: variant.Version, Values: variant.Values})
	if err != nil {
		return nil, err
	}
	features, err := Features(r.Plan, r.Scenarios, r.Catalog)
	if err != nil {
		return nil, err
	}
	in := Installation{
		Provider: r.Provider, Name: r.nameFor(variant.Name), Variant: variant.Name, Entry: entry, Catalog: r.Catalog, Charts: r.Charts,
		MTU: variant.MTU, KubeProxy: variant.KubeProxy, Overlay: stage.Overlay{PodTemplate: variant.PodTemplate, NamespaceLabels: variant.NamespaceLabels},
		Report: r.step(variant.Name), Keep: r.Keep,
		// Other clusters have a DNS or have none.
		DNS: r.Plan.Cluster.Lab != nil && slices.Contains(features, supply.DNS),
		// What a variant's configuration decides is proven once.
		Thorough: r.created[variant.Name] == 0, Evidence: r.Writer.ProofPath(variant.Name),
	}
	installed, err := in.Create(ctx)
	if err != nil {
		r.free(in.Name, err)
		return nil, err
	}
	a := &arm{Installed: installed, outlives: r.Keep || installed.shared, report: in.Report}
	if a.peer, err = r.createPeer(ctx, in, installed); err == nil {
		err = r.noteVariant(ctx, variant.Name, installed)
	}
	if err != nil {
		return nil, errors.Join(err, a.end(ctx, in.Report))
	}
	r.created[variant.Name]++
	return a, nil
}

// nameFor names the next cluster of a variant.
func (r *Runner) nameFor(variant string) string {
	return r.unused(func(suffix string) string {
		return r.Prefix + shortened(variant, maxClusterName-len(r.Prefix)-len(suffix)) + suffix
	})
}

// unused adds a number to a name that a cluster of this run has had: kept ones
// must not be in the way of fresh ones, nor a variant's second cluster in that
// of a variant of the same name.
func (r *Runner) unused(name func(suffix string) string) string {
	if r.names == nil {
		r.names = map[string]bool{}
	}
	suffix := ""
	for n := 2; r.names[name(suffix)]; n++ {
		suffix = fmt.Sprintf("-%d", n)
	}
	r.names[name(suffix)] = true
	return name(suffix)
}

// free lets go of the name of a cluster that did not come up, unless that is kept.
func (r *Runner) free(name string, why error) {
	var kept *KeptError
	if !errors.As(why, &kept) {
		delete(r.names, name)
	}
}

// maxClusterName is what the names of labs may have.
const maxClusterName = 40

// shortened keeps a variant's name as it is if it fits, and otherwise its
// beginning and a digest: names that begin alike stay different.
func shortened(variant string, limit int) string {
	if len(variant) <= limit {
		return variant
	}
	digest := fmt.Sprintf("-%x", sha256.Sum256([]byte(variant)))[:9]
	return strings.TrimRight(variant[:max(1, limit-len(digest))], "-") + digest
}

// answerTimeout bounds the wait for a cluster that was paused or in trouble.
const answerTimeout = 60 * time.Second

// resume lets a paused cluster go on and waits until its API, its kubelets and
// its datapath answer again.
func (a *arm) resume(ctx context.Context) error {
	if !a.paused {
		return nil
	}
	for _, i := range a.both() {
		if err := i.Cluster.Resume(); err != nil {
			return err
		}
	}
	a.paused = false
	return a.awaitAnswers(ctx)
}

// awaitAnswers waits until everything that a trial needs answers: the API, all
// kubelets, programs started in both load pods, and the datapath. A kubelet
// that was restarted is healthy before it knows its pods again.
func (a *arm) awaitAnswers(ctx context.Context) error {
	for _, i := range a.both() {
		if err := i.awaitAnswers(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (i *Installed) awaitAnswers(ctx context.Context) error {
	if err := cluster.Until(ctx, answerTimeout, "the cluster to answer again", i.Cluster.Answers); err != nil {
		return err
	}
	// A load pod that has ended, with the trial before, is made anew.
	pair, err := i.Stage.Pair(ctx, i.Pair.Ends)
	if err != nil {
		return err
	}
	i.Pair = pair
	err = cluster.Until(ctx, answerTimeout, "the datapath to answer again", func(ctx context.Context) error {
		return cni.Reach(ctx, i.Cluster, i.Pair.Client, i.Pair.Server.IP, stage.EchoPort)
	})
	if err != nil {
		return err
	}
	return cluster.Until(ctx, answerTimeout, "the server's pod to answer again", func(ctx context.Context) error {
		_, err := stage.DescribePod(ctx, i.Cluster, i.Pair.Server)
		return err
	})
}

// rest ends a variant's turn: it must not disturb the next one's. In a shared
// cluster an error means that it would.
func (r *Runner) rest(ctx context.Context, variant string) error {
	a, ok := r.arms[variant]
	if !ok {
		return nil
	}
	if !r.Plan.FreshCluster && !a.shared && !a.altered {
		a.paused = true
		return a.pause()
	}
	if r.Keep && !a.shared && !a.altered {
		delete(r.arms, variant)
		return a.pause()
	}
	return r.end(ctx, variant, a)
}

// end ends an arm. A lab that did not go is not measured on, and stays on the
// list of those that are to: later it may.
func (r *Runner) end(ctx context.Context, variant string, a *arm) error {
	if r.Keep && a.altered {
		r.emit(Event{Kind: Troubled, Variant: variant, Step: "it is not kept: a trial left it other than it was installed"})
	}
	err := a.end(ctx, r.step(variant))
	if err == nil || a.shared {
		delete(r.arms, variant)
		return err
	}
	a.altered = true
	return err
}

// removeAltered ends what must not be kept as if it were the variant.
func (r *Runner) removeAltered(ctx context.Context) error {
	var errs []error
	for name, a := range r.arms {
		if a.altered {
			errs = append(errs, r.end(ctx, name, a))
		}
	}
	return errors.Join(errs...)
}

// removeAll ends what still runs, and then what all clusters share.
func (r *Runner) removeAll(ctx context.Context) error {
	var errs []error
	for name, a := range r.arms {
		errs = append(errs, a.end(ctx, r.step(name)))
	}
	if r.Peer != nil {
		errs = append(errs, r.Peer.Close())
	}
	return errors.Join(append(errs, r.Provider.Close())...)
}
