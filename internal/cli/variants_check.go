package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// checkOptions say what is checked, and where.
type checkOptions struct {
	names                    []string
	lab, kubeconfig, context string
	image                    string
	here, json               bool
	catalog                  string
}

func newVariantsCheck(s streams) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [NAME[@VERSION]...]",
		Short: "say which variants can run here, and what is missing",
		Long: `check says of variants, all if none is named, whether they can run, and names
what is missing: on the nodes of a lab, on those of a cluster, or on this
machine. What a kernel can do is tried in a network namespace that is made for
it and gone afterwards; where that is not permitted, the kernel's configuration
is asked. What cnibench cannot look at is listed as not checked.

Exit status: 0 all that were named can run; 1 failed; 2 usage; 5 one cannot, or
nobody knows.`,
		Example: `  cnibench variants check --here
  cnibench variants check flannel-vxlan flannel-wireguard --lab a
  cnibench variants check --kubeconfig ~/.kube/config --context staging --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return o.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.lab, "lab", "", "check the nodes of this lab")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "check the nodes of the cluster of this file")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig (default: its current one)")
	f.StringVar(&o.image, "image", "", "image with cnibench's tools for the cluster's nodes (default "+cluster.ToolsImage+")")
	f.BoolVar(&o.here, "here", false, "check this machine, without a cluster; without root by its configuration only")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o checkOptions) run(ctx context.Context, s streams) error {
	places := 0
	for _, given := range []bool{o.lab != "", o.kubeconfig != "" || o.context != "", o.here} {
		if given {
			places++
		}
	}
	if places != 1 {
		return usage(errors.New("where to check is not clear"), "give one of --lab NAME, --kubeconfig FILE (with --context NAME), and --here")
	}
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	entries, err := o.entries(catalog)
	if err != nil {
		return err
	}
	verdicts, err := o.check(ctx, s, catalog, entries)
	if err != nil {
		return err
	}
	if o.json {
		err = printVerdictsJSON(s.out, verdicts)
	} else {
		err = printVerdicts(s.out, verdicts)
	}
	if err != nil || len(o.names) == 0 {
		return err
	}
	return unfitVerdicts(verdicts)
}

// entries finds what is asked for.
func (o checkOptions) entries(catalog cni.Catalog) ([]cni.Entry, error) {
	names := o.names
	if len(names) == 0 {
		names = catalog.Names()
	}
	var entries []cni.Entry
	for _, n := range names {
		name, version, _ := strings.Cut(n, "@")
		e, err := catalog.Entry(name, cni.Choice{Version: version, Lab: o.lab != ""})
		if err != nil {
			return nil, usage(err, "`cnibench variants list` shows the variants and their versions")
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// check looks at the nodes and judges the entries.
func (o checkOptions) check(ctx context.Context, s streams, catalog cni.Catalog, entries []cni.Entry) ([]cni.Verdict, error) {
	if o.here {
		r, err := kernel.Examine(cni.KernelSpec(entries))
		if err != nil {
			return nil, err
		}
		return evaluateAll(entries, map[string]kernel.Report{"this machine": r}, cni.Facts{}), nil
	}
	c, done, err := o.open(ctx, s, catalog)
	if err != nil {
		return nil, err
	}
	verdicts, err := checkCluster(ctx, c, catalog, entries, o.lab != "")
	return verdicts, errors.Join(err, done())
}

// open connects to the cluster that is meant; done leaves it as it was.
func (o checkOptions) open(ctx context.Context, s streams, catalog cni.Catalog) (c *cluster.Cluster, done func() error, err error) {
	if o.lab != "" {
		l, err := openLab(o.lab)
		if err != nil {
			return nil, nil, err
		}
		if err := awake(l); err != nil {
			return nil, nil, err
		}
		c, err := cluster.FromLab(l)
		return c, func() error { return nil }, err
	}
	namespaces, err := pluginNamespaces(catalog)
	if err != nil {
		return nil, nil, err
	}
	progress := newProgress(s.err, false)
	defer progress.close()
	// Every node is looked at, so that every node gets an agent.
	c, err = cluster.OpenExisting(ctx, cluster.Options{
		Kubeconfig: o.kubeconfig, Context: o.context, ChangeCNI: true, AllowForeign: true,
		PluginNamespaces: namespaces, ToolsImage: o.image, Report: progress.steps("cluster"),
	})
	if err != nil {
		return nil, nil, err
	}
	return c, c.Remove, nil
}

// checkCluster judges entries on a cluster.
func checkCluster(ctx context.Context, c *cluster.Cluster, catalog cni.Catalog, entries []cni.Entry, isLab bool) ([]cni.Verdict, error) {
	reports, err := cni.CheckNodes(ctx, c, entries)
	if err != nil {
		return nil, err
	}
	facts, err := cni.FactsOf(ctx, c, catalog)
	if err != nil {
		return nil, err
	}
	if isLab {
		facts.Lacking = func(e cni.Entry) []string { return lackingInLabs(ctx, e, c.Site()) }
	}
	return evaluateAll(entries, reports, facts), nil
}

// lackingInLabs names what a lab's supply does not have of an entry.
func lackingInLabs(ctx context.Context, e cni.Entry, site cluster.Site) []string {
	if !cni.Supplied(e) {
		return []string{strings.TrimSpace("chart and images of " + e.Plugin.Name + " " + e.Version)}
	}
	images, err := lackingImages(ctx, e, site)
	if err != nil {
		return []string{err.Error()}
	}
	for i := range images {
		images[i] = "image " + images[i]
	}
	return images
}

// lackingImages names the images that a lab cannot have. A plugin that was
// never supplied on this machine is not known to lack any.
func lackingImages(ctx context.Context, e cni.Entry, site cluster.Site) ([]string, error) {
	dir, err := supply.DefaultDir()
	if err != nil || e.None() {
		return nil, err
	}
	if missing, err := supply.Ready(dir, e.Plugin.Name); err != nil || len(missing) > 0 {
		return nil, err
	}
	kit, err := supply.Ensure(ctx, dir, nil, e.Plugin.Name)
	if err != nil {
		return nil, err
	}
	m, err := e.Render(ctx, charts.Kit(kit.Charts), site)
	if err != nil {
		return nil, err
	}
	return kit.Lacks(m.Images)
}

func evaluateAll(entries []cni.Entry, reports map[string]kernel.Report, facts cni.Facts) []cni.Verdict {
	verdicts := make([]cni.Verdict, 0, len(entries))
	for _, e := range entries {
		verdicts = append(verdicts, cni.Evaluate(e, reports, facts))
	}
	return verdicts
}
