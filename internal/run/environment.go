package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// noteVariant adds to the environment how a variant really runs.
func (r *Runner) noteVariant(ctx context.Context, variant string, a *Installed) error {
	facts := a.Facts
	v := result.Variant{
		Name:     variant,
		Plugin:   a.Entry.Plugin.Title,
		Version:  a.Entry.Version,
		Verified: a.Entry.Verified,
		Versions: maps.Clone(a.Cluster.Versions()),
		Digests:  a.Cluster.Digests(),
		Facts:    facts,
	}
	if a.Entry.Version != "" {
		v.Versions[a.Entry.Plugin.Name] = a.Entry.Version
	}
	if a.Manifests.Digest != "" {
		v.Digests["manifests"] = a.Manifests.Digest
	}
	v.KubeProxy = a.Cluster.KubeProxy()
	if a.Entry.Services == "plugin" && v.KubeProxy != "none" {
		facts["kube-proxy"] = v.KubeProxy + ", beside the plugin's own"
	}
	if err := describeNodes(ctx, a, &v); err != nil {
		return fmt.Errorf("describing %s: %w", variant, err)
	}
	r.noteFacts(ctx, a, &v)
	// A second installation of the same variant, after a resume or with fresh
	// clusters, keeps the times of all, and what only the first was proven for.
	if old, ok := r.Environment.Variants[variant]; ok {
		keepFacts(facts, old.Facts)
		facts["installed at"] = old.Facts["installed at"] + ", "
	}
	facts["installed at"] += time.Now().UTC().Format(time.RFC3339)
	if r.Environment.Variants == nil {
		r.Environment.Variants = map[string]result.Variant{}
	}
	r.Environment.Variants[variant] = v
	return r.Writer.WriteEnvironment(r.Environment)
}

func describeNodes(ctx context.Context, a *Installed, v *result.Variant) error {
	nodes, err := a.Cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	reached := a.Cluster.NodeNames()
	for _, n := range nodes {
		if !slices.Contains(reached, n.Name) {
			continue
		}
		netns, err := stage.DescribeNode(ctx, a.Cluster, n.Name)
		if err != nil {
			return err
		}
		v.Nodes = append(v.Nodes, result.Node{
			Name: n.Name, Address: n.Address, Kernel: n.Kernel, Sysctls: netns.Sysctls, MTU: netns.MTUOf(n.Address),
		})
		v.Versions["kubelet"], v.Versions["container runtime"] = n.KubeletVersion, n.Runtime
	}
	pod, err := stage.DescribePod(ctx, a.Cluster, a.Pair.Client)
	if err != nil {
		return err
	}
	v.PodSysctls = pod.Sysctls
	v.Facts["pod MTU"] = fmt.Sprint(pod.MTUOf(a.Pair.Client.IP))
	return nil
}

// keepFacts adds the old facts that there are no new ones for.
func keepFacts(facts, old map[string]string) {
	for name, value := range old {
		if _, found := facts[name]; !found {
			facts[name] = value
		}
	}
}
