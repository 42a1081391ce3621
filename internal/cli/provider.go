package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/run"
)

// site is where a run measures.
type site struct {
	provider cluster.Provider
	peer     cluster.Provider // of second clusters; nil: the plan has none
	charts   cni.ChartSource
}

// siteFor prepares the clusters that the plan asks for. Only labs need root,
// Linux, and what the supply builds.
func (o runOptions) siteFor(ctx context.Context, j job, s streams, p *progress) (site, error) {
	switch c := j.plan.Cluster; {
	case c.Existing != nil:
		return o.existingSite(ctx, j, p)
	case c.Command != nil:
		return o.commandSite(j, p)
	}
	return o.labSite(ctx, j, s, p)
}

func (o runOptions) labSite(ctx context.Context, j job, s streams, p *progress) (site, error) {
	if _, err := lab.Recover(); err != nil {
		return site{}, err
	}
	plugins, err := pluginsOf(j.plan, j.catalog)
	if err != nil {
		return site{}, err
	}
	features, err := run.Features(j.plan, j.scenarios, j.catalog)
	if err != nil {
		return site{}, err
	}
	parts := slices.Concat(plugins, features)
	announceSupply(s, parts...)
	kit, err := lab.Supply(ctx, p.supply, parts...)
	if err != nil {
		return site{}, err
	}
	shape := j.plan.Cluster.Lab
	config := lab.Config{Nodes: shape.Nodes, MTU: shape.MTU, KubeProxy: shape.KubeProxy, MaxPods: shape.MaxPods, IPFamily: shape.IPFamily, Note: "run " + j.plan.Name}
	if !o.keep {
		owner, err := lab.Self()
		if err != nil {
			return site{}, err
		}
		config.Owner = &owner
	}
	labs := cluster.LabProvider{Kit: kit, Config: config}
	where := site{provider: labs, charts: charts.Kit(kit.Charts)}
	if shape.Peer {
		where.peer = labs
	}
	return where, nil
}

func (o runOptions) existingSite(ctx context.Context, j job, p *progress) (site, error) {
	e := j.plan.Cluster.Existing
	options, err := clusterOptions(j, e.Nodes, e.Outside, p)
	if err != nil {
		return site{}, err
	}
	options.Context, options.ChangeCNI, options.AllowForeign = e.Context, e.AllowCNIChange, e.AllowForeign
	if options.Kubeconfig, err = atHome(e.Kubeconfig); err != nil {
		return site{}, err
	}
	from, err := o.chartSource()
	if err != nil {
		return site{}, err
	}
	c, err := cluster.OpenExisting(ctx, options)
	if err != nil {
		return site{}, err
	}
	where := site{provider: cluster.ExistingProvider{Cluster: c}, charts: from}
	if e.Peer == nil {
		return where, nil
	}
	if where.peer, err = existingPeer(ctx, *e.Peer, options, p); err != nil {
		return site{}, errors.Join(err, c.Remove())
	}
	return where, nil
}

// existingPeer opens the second of two clusters like the first.
func existingPeer(ctx context.Context, peer plan.Peer, options cluster.Options, p *progress) (cluster.Provider, error) {
	var err error
	if options.Kubeconfig, err = atHome(peer.Kubeconfig); err != nil {
		return nil, err
	}
	options.Context, options.Nodes, options.Report = peer.Context, cluster.NodeRule(peer.Nodes), p.steps("second cluster")
	c, err := cluster.OpenExisting(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("opening the second cluster: %w", err)
	}
	return cluster.ExistingProvider{Cluster: c}, nil
}

func (o runOptions) commandSite(j job, p *progress) (site, error) {
	from, err := o.chartSource()
	if err != nil {
		return site{}, err
	}
	c := j.plan.Cluster.Command
	options, err := clusterOptions(j, c.Nodes, c.Outside, p)
	if err != nil {
		return site{}, err
	}
	options.ChangeCNI, options.AllowForeign = true, true // the cluster is made for this run alone
	return site{provider: &cluster.CommandProvider{
		Up: c.Up, Down: c.Down, Kubeconfig: c.Kubeconfig, Fresh: j.plan.FreshCluster, Name: runPrefix() + "all",
		Options: options, LogDir: filepath.Join(j.dir, "raw", "clusters"),
	}, charts: from}, nil
}

// chartSource is where charts come from outside labs: the user's directory,
// then the network.
func (o runOptions) chartSource() (cni.ChartSource, error) {
	var sources charts.First
	if o.charts != "" {
		sources = append(sources, charts.Directory(o.charts))
	}
	cache, err := charts.DefaultCache()
	if err != nil {
		return nil, err
	}
	return append(sources, charts.Network{Cache: cache}), nil
}

// clusterOptions is what all clusters that are no labs have in common.
func clusterOptions(j job, nodes plan.Nodes, outside plan.Outside, p *progress) (cluster.Options, error) {
	namespaces, err := pluginNamespaces(j.catalog)
	return cluster.Options{
		Nodes: cluster.NodeRule(nodes), Outside: cluster.OutsideHost(outside), PluginNamespaces: namespaces,
		ToolsImage: j.plan.Tools.Image, Report: p.steps("cluster"),
	}, err
}

// atHome replaces the ~ of a path as a shell does: no shell reads the campaign
// file.
func atHome(name string) (string, error) {
	rest, ok := strings.CutPrefix(name, "~/")
	if !ok {
		return name, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}

// pluginsOf lists the plugins of the plan's variants, each once.
func pluginsOf(p plan.Plan, catalog cni.Catalog) ([]string, error) {
	var plugins []string
	for _, v := range p.Variants {
		entry, err := catalog.Entry(v.Entry, cni.Choice{Version: v.Version})
		if err != nil {
			return nil, err
		}
		if name := entry.Plugin.Name; !slices.Contains(plugins, name) {
			plugins = append(plugins, name)
		}
	}
	return plugins, nil
}

// pluginNamespaces lists where plugins that the catalog knows have their pods.
func pluginNamespaces(catalog cni.Catalog) ([]string, error) {
	var namespaces []string
	for _, name := range catalog.Names() {
		entry, err := catalog.Entry(name, cni.Choice{})
		if err != nil {
			return nil, err
		}
		if ns := entry.Install.Namespace; ns != "" && !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
	}
	return namespaces, nil
}
