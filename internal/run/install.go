package run

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/scenario"
)

// Installation says how to make a cluster that runs a variant.
type Installation struct {
	Provider cluster.Provider
	Name     string // of the cluster
	Entry    cni.Entry
	Charts   map[string]string // directories of Helm charts by name
	LinkMTU  int               // of the nodes' link, in bytes
	Report   func(step string)
}

// Installed is a cluster with a variant that was proven to carry packets.
type Installed struct {
	Cluster   *cluster.Cluster
	Entry     cni.Entry
	Manifests cni.Manifests
	Stage     *scenario.Stage
	Pair      scenario.Pair     // cross-node, as used by the proof
	Facts     map[string]string // that the proof found
}

// Create makes the cluster, installs the variant and proves it. If any of it
// fails, the cluster is removed.
func (in Installation) Create(ctx context.Context) (_ *Installed, err error) {
	manifests, err := in.Entry.Render(in.Charts[in.Entry.Install.Chart], lab.PodCIDR)
	if err != nil {
		return nil, err
	}
	c, err := in.Provider.Create(ctx, in.Name, in.Report)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Remove())
		}
	}()
	if missing := cni.Missing(c, in.Entry); missing != "" {
		return nil, &scenario.UnsupportedError{Reason: missing}
	}
	if err := cni.Install(ctx, c, in.Entry, manifests, in.Report); err != nil {
		return nil, err
	}
	i := &Installed{Cluster: c, Entry: in.Entry, Manifests: manifests}
	return i, i.prove(ctx, in)
}

// prove shows that the datapath works, with the same pods that carry load.
func (i *Installed) prove(ctx context.Context, in Installation) (err error) {
	in.Report("starting load pods")
	if i.Stage, err = scenario.NewStage(ctx, i.Cluster, i.Entry); err != nil {
		return err
	}
	if i.Pair, err = i.Stage.Pair(ctx, scenario.CrossNode); err != nil {
		return err
	}
	client, server := i.Pair.Client, i.Pair.Server
	if err := cni.ProveReach(ctx, i.Cluster, client, "pod to pod", server.IP, scenario.EchoPort); err != nil {
		return err
	}
	in.Report("pods reach each other across nodes; proving path MTU and Service")
	mtu, err := cni.ProveMTU(ctx, i.Cluster, i.Entry, client, server, scenario.EchoPort, in.LinkMTU)
	if err != nil {
		return err
	}
	if cni.Services(i.Cluster, i.Entry) {
		// It waits until the Service carries connections.
		if _, err := i.Stage.Service(ctx, i.Pair, 1); err != nil {
			return err
		}
	}
	i.Facts = map[string]string{
		"path MTU": strconv.Itoa(mtu), "link MTU": strconv.Itoa(in.LinkMTU), "proven at": time.Now().UTC().Format(time.RFC3339),
	}
	return cni.AwaitAgents(ctx, i.Cluster, i.Entry)
}

// ForUser makes the cluster like Create and removes the load pods of the proof,
// which a user did not ask for.
func (in Installation) ForUser(ctx context.Context) error {
	i, err := in.Create(ctx)
	if err != nil {
		return err
	}
	return i.Stage.Remove(ctx)
}
