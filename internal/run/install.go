package run

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/stage"
)

// Installation says how to make a cluster that runs a variant.
type Installation struct {
	Provider cluster.Provider
	Name     string // of the cluster
	Variant  string // of the campaign; empty: the entry's name
	Entry    cni.Entry
	Catalog  cni.Catalog // knows plugins that clusters have already
	Charts   cni.ChartSource
	Report   func(step string)
	// MTU is of the links of a lab, in bytes; 0: as the provider has it.
	MTU int
	// KubeProxy is how a lab carries Services; empty: as the provider has it.
	KubeProxy string
	// PeerOf is the name of the cluster that this one is to be in reach of; empty:
	// none.
	PeerOf string
	// Overlay is laid over the load pods.
	Overlay stage.Overlay
	// DNS asks for a DNS of the cluster's own, which only labs need to be given.
	DNS bool
	// Keep leaves a cluster whose variant did not come up, for inspection.
	Keep bool
	// Thorough asks for the proof of everything that the variant's
	// configuration decides, see cni.Prover.
	Thorough bool
	Evidence string // directory for what fails a proof; empty: a temporary one
}

// Installed is a cluster with a variant that was proven to carry packets.
type Installed struct {
	Cluster   *cluster.Cluster
	Variant   string // of the campaign
	Entry     cni.Entry
	Present   cni.Present // what the cluster had, where the variant is that
	Manifests cni.Manifests
	Timeline  cni.Timeline // of the installation
	Stage     *stage.Stage
	Pair      stage.Pair // cross-node, as used by the proof
	Proof     cni.Proof
	Facts     map[string]string // that the proof found

	charts  cni.ChartSource
	shared  bool // the cluster outlives the variant
	touched bool // the installation has begun
}

// Create makes the cluster, installs the variant and proves it. If any of it
// fails, the cluster is removed; one that is shared is as it was before, or
// the error is an *UncleanError.
func (in Installation) Create(ctx context.Context) (_ *Installed, err error) {
	in.Variant = cmp.Or(in.Variant, in.Entry.Name)
	c, err := in.Provider.Create(ctx, cluster.Request{
		Name: in.Name, Variant: in.Variant, KubeProxy: in.kubeProxy(), MTU: in.MTU, Peer: in.PeerOf,
	}, in.Report)
	if err != nil {
		return nil, err
	}
	i := &Installed{Cluster: c, Variant: in.Variant, Entry: in.Entry.At(c.Site()), charts: in.Charts, shared: in.Provider.Shared()}
	if err := i.bringUp(ctx, in); err != nil {
		return nil, in.giveUp(ctx, i, err)
	}
	return i, nil
}

// kubeProxy is the mode that the variant asks a lab for: none where it carries
// Services itself.
func (in Installation) kubeProxy() string {
	if in.Entry.Services == "plugin" {
		return "none"
	}
	return in.KubeProxy
}

// bringUp installs the variant and proves it.
func (i *Installed) bringUp(ctx context.Context, in Installation) (err error) {
	if err := i.check(ctx, in.Catalog); err != nil {
		return err
	}
	if i.Manifests, err = i.Entry.Render(ctx, in.Charts, i.Cluster.Site()); err != nil {
		return err
	}
	lacking, err := i.Cluster.Lacks(slices.Concat(i.Manifests.Images, in.Overlay.Images()))
	if err != nil {
		return err
	}
	if len(lacking) > 0 {
		return &stage.UnsupportedError{Reason: "image not in this supply: " + strings.Join(lacking, ", ")}
	}
	if i.Present, err = identify(ctx, i, in.Catalog); err != nil {
		return err
	}
	if err := i.begin(ctx); err != nil {
		return err
	}
	options := cni.InstallOptions{Report: in.Report, Throwaway: !i.shared, Evidence: in.Evidence}
	if i.Timeline, err = cni.Install(ctx, i.Cluster, i.Entry, i.Manifests, options); err != nil {
		return err
	}
	defer i.Timeline.Close()
	// Before anything else is started: it is a time of the installation.
	if err := i.firstReply(ctx, in); err != nil {
		return err
	}
	// Names resolve to nothing where nothing carries Services.
	in.DNS = in.DNS && cni.Services(i.Cluster, i.Entry)
	if in.DNS {
		in.Report("starting DNS")
		if err := i.Cluster.StartDNS(ctx, i.Entry.HostNetwork()); err != nil {
			return err
		}
	}
	if err := i.prove(ctx, in); err != nil {
		return err
	}
	i.Timeline.AgentsReady, err = i.Timeline.AwaitAgents()
	return err
}

// podCIDRTimeout is how long the controller manager may take to give a node
// that has registered its pod CIDR.
const podCIDRTimeout = 15 * time.Second

// check returns an *stage.UnsupportedError that names what the cluster and
// the kernels of its nodes lack.
func (i *Installed) check(ctx context.Context, catalog cni.Catalog) error {
	if nodes := i.Cluster.LoadNodes(); len(nodes) < 2 {
		return &stage.UnsupportedError{Reason: stage.OneNode("the proof of a variant", nodes...)}
	}
	if missing := cni.Missing(i.Cluster, i.Entry); missing != "" {
		return &stage.UnsupportedError{Reason: missing}
	}
	if i.Entry.None() {
		return nil
	}
	reports, err := cni.CheckNodes(ctx, i.Cluster, []cni.Entry{i.Entry})
	if err != nil {
		return err
	}
	if i.Entry.Requires.PodCIDR == "node" {
		// Without one the evaluation says so; nodes that have just registered
		// get theirs a moment later.
		_ = cluster.Until(ctx, podCIDRTimeout, "pod CIDRs of nodes", i.Cluster.HavePodCIDRs)
	}
	facts, err := cni.FactsOf(ctx, i.Cluster, catalog)
	if err != nil {
		return err
	}
	if v := cni.Evaluate(i.Entry, reports, facts); v.Runs == cni.RunsNo {
		return &stage.UnsupportedError{Reason: strings.Join(v.Because, "; ")}
	}
	return nil
}

// giveUp ends what did not come up, after keeping what explains it.
func (in Installation) giveUp(ctx context.Context, i *Installed, reason error) error {
	if in.Evidence != "" && ctx.Err() == nil {
		collected := os.MkdirAll(in.Evidence, 0o755)
		if collected == nil {
			collected = i.Cluster.Collect(ctx, in.Evidence)
		}
		if collected != nil {
			in.Report("collecting evidence: " + collected.Error())
		}
	}
	if in.Keep && ctx.Err() == nil {
		return &KeptError{in.Variant, reason}
	}
	return errors.Join(reason, i.End(ctx, in.Report))
}

// firstReplyTimeout bounds the wait for the first reply, like the proof's for
// its parts.
const firstReplyTimeout = time.Minute

// firstReply starts the load pods, which serve the proof and all trials, and
// notes when the client's had an answer from the server's. No answer
// contradicts the catalog, as in the proof.
func (i *Installed) firstReply(ctx context.Context, in Installation) (err error) {
	in.Report("starting load pods")
	if i.Stage, err = stage.New(ctx, i.Cluster, i.Entry, in.Overlay); err != nil {
		return err
	}
	if i.Pair, err = i.Stage.Pair(ctx, stage.Ends{Placement: stage.CrossNode}); err != nil {
		return err
	}
	err = cluster.Until(ctx, firstReplyTimeout, "a first reply", func(ctx context.Context) error {
		return cni.Reach(ctx, i.Cluster, i.Pair.Client, i.Pair.Server.IP, stage.EchoPort)
	})
	if err == nil && !i.Entry.None() {
		i.Timeline.FirstReply = time.Now().UTC()
	}
	if err != nil && ctx.Err() == nil {
		return &cni.ProofError{Part: "reach", Err: err}
	}
	return err
}

// prove shows that the datapath works, with the same pods that carry load.
func (i *Installed) prove(ctx context.Context, in Installation) (err error) {
	prover := cni.Prover{
		Cluster: i.Cluster, Entry: i.Entry, Client: i.Pair.Client, Server: i.Pair.Server, EchoPort: stage.EchoPort,
		LinkMTU: i.Cluster.Site().LinkMTU, Evidence: in.Evidence, Report: in.Report,
	}
	if cni.Services(i.Cluster, i.Entry) {
		prover.Service = func(ctx context.Context) error {
			// It waits until the Service carries connections.
			_, err := i.Stage.Address(ctx, i.Pair, stage.ClusterIP, stage.Ports{First: stage.FirstPort, Count: 1})
			return err
		}
	}
	if i.Proof, err = prover.Prove(ctx, in.Thorough); err == nil && in.DNS {
		err = i.Stage.AwaitDNS(ctx, i.Pair.Client)
	}
	i.Facts = i.Proof.Facts()
	maps.Copy(i.Facts, i.Present.Facts())
	maps.Copy(i.Facts, in.Overlay.Facts())
	return err
}

// ForUser makes the cluster like Create and removes the load pods of the proof,
// which a user did not ask for. The proof is a thorough one.
func (in Installation) ForUser(ctx context.Context) (cni.Proof, error) {
	in.Thorough = true
	i, err := in.Create(ctx)
	if err != nil {
		return cni.Proof{}, err
	}
	return i.Proof, i.Stage.Remove(ctx)
}
