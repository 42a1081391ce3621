package cni

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// KernelSpec asks for everything that the entries' requirements name, and for
// no more: a trial may make the kernel load a module.
func KernelSpec(entries []Entry) kernel.Spec {
	var spec kernel.Spec
	for _, e := range entries {
		spec.Features = union(spec.Features, e.Requires.Can)
		for _, symbol := range slices.Concat(e.Requires.Config, e.Requires.Wants) {
			spec.Symbols = union(spec.Symbols, kernel.Alternatives(symbol))
		}
		spec.Modules = union(spec.Modules, e.Requires.Modules)
		spec.Ports = union(spec.Ports, portsOf(e))
	}
	return spec
}

// CheckNodes looks at every node of a cluster for what the entries require.
func CheckNodes(ctx context.Context, c *cluster.Cluster, entries []Entry) (map[string]kernel.Report, error) {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	spec := KernelSpec(entries)
	spec.Interface = c.Site().Uplink
	here := kernel.BootID()
	reports := map[string]kernel.Report{}
	for _, name := range c.NodeNames() {
		spec.Address = addressOf(nodes, name)
		r, err := checkNode(ctx, c, name, spec)
		if err != nil {
			return nil, fmt.Errorf("checking node %s: %w", name, err)
		}
		if r.Config.Source == "" && r.BootID != "" && r.BootID == here {
			// A lab's nodes do not see the machine's /boot; this process does.
			r.Config = kernel.ReadConfig(r.Release, kernel.AllSymbols(spec))
		}
		reports[name] = r
	}
	return reports, nil
}

func addressOf(nodes []cluster.Node, name string) string {
	i := slices.IndexFunc(nodes, func(n cluster.Node) bool { return n.Name == name })
	if i < 0 {
		return ""
	}
	return nodes[i].Address
}

// checkNode runs cnibench-probe on a node.
func checkNode(ctx context.Context, c *cluster.Cluster, node string, spec kernel.Spec) (kernel.Report, error) {
	line, err := json.Marshal(spec)
	if err != nil {
		return kernel.Report{}, err
	}
	var stdout, stderr bytes.Buffer
	runErr := c.RunOnNode(ctx, node, c.ProbeArgv("kernel"), bytes.NewReader(append(line, '\n')), &stdout, &stderr)
	kind, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	switch {
	case runErr != nil:
		return kernel.Report{}, fmt.Errorf("%w: %s", runErr, bytes.TrimSpace(stderr.Bytes()))
	case err != nil:
		return kernel.Report{}, err
	case kind != probe.FrameKernel:
		return kernel.Report{}, fmt.Errorf("cnibench-probe answered with a frame of kind %s", kind)
	}
	var r kernel.Report
	if err := json.Unmarshal(payload, &r); err != nil {
		return kernel.Report{}, fmt.Errorf("decoding what cnibench-probe found: %w", err)
	}
	return r, nil
}

// FactsOf asks a cluster for what a check must know besides its kernels.
func FactsOf(ctx context.Context, c *cluster.Cluster, catalog Catalog) (Facts, error) {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return Facts{}, err
	}
	facts := Facts{KubeProxy: c.KubeProxy(), KubeVersion: c.Site().KubeVersion, Nodes: map[string]cluster.Node{}}
	for _, n := range nodes {
		facts.Nodes[n.Name] = n
	}
	present, err := catalog.Identify(ctx, c)
	if err != nil {
		return Facts{}, err
	}
	facts.Plugin = present.Plugin
	for _, name := range catalog.Names() {
		e, err := catalog.Entry(name, Choice{})
		if err != nil {
			return Facts{}, err
		}
		if e.Plugin.Title == present.Plugin {
			facts.PluginPorts = union(facts.PluginPorts, portsOf(e))
		}
	}
	return facts, nil
}

// Supplied tells whether labs can have an entry at all: whether the catalog
// marks its version as theirs.
func Supplied(e Entry) bool {
	return e.None() || slices.ContainsFunc(e.Plugin.Versions, func(v Version) bool { return v.Version == e.Version && v.Lab })
}
