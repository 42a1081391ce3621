package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/run"
)

// noVariant asks for a lab without a network plugin.
const noVariant = "none"

type labUpOptions struct {
	config  lab.Config
	variant string
	catalog string
	also    []string // plugins whose images the lab shall have, too
	dns     bool
}

func newLabUp(s streams) *cobra.Command {
	o := labUpOptions{config: lab.Defaults("lab")}
	cmd := &cobra.Command{
		Use:   "up [NAME]",
		Short: "start a lab and install a network plugin",
		Long: `up starts a lab, installs a variant, and proves what it does: that pods reach
each other and Services across nodes, which packets fit, in which tunnel they
travel between the nodes and whether in plain text, and whether NetworkPolicies
are enforced. NAME is "lab" unless given. The first call builds what is missing,
see ` + "`cnibench lab supply`" + `.

Exit status: 0 the lab is ready, 1 it could not be started (nothing is left of
it), 2 usage, 5 this machine cannot run labs or lacks what the variant needs,
130 interrupted.`,
		Example: `  cnibench lab up
  cnibench lab up b --nodes 2 --variant flannel-host-gw --kube-proxy nftables
  cnibench lab up c --peer b
  KUBECONFIG=$(cnibench lab kubeconfig b) kubectl get nodes`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.config.Name = args[0]
			}
			return o.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.config.Nodes, "nodes", o.config.Nodes, "number of worker nodes")
	f.IntVar(&o.config.MTU, "mtu", o.config.MTU, "MTU of the nodes' network in bytes")
	f.StringVar(&o.config.KubeProxy, "kube-proxy", o.config.KubeProxy, strings.Join(lab.KubeProxyModes(), ", "))
	f.IntVar(&o.config.MaxPods, "max-pods", o.config.MaxPods, "pods per node, up to 600")
	f.StringVar(&o.config.IPFamily, "ip-family", lab.IPv4, strings.Join(lab.IPFamilies(), ", ")+" (both)")
	f.StringVar(&o.config.Peer, "peer", "", "lab whose nodes this one's are to reach, and the other way round")
	f.StringVar(&o.variant, "variant", "flannel-vxlan", "network plugin as in cnibench variants list, or none")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.StringArrayVar(&o.also, "for", nil, "network plugin, variant or feature that you will use yourself (may be repeated)")
	f.BoolVar(&o.dns, "dns", false, "give the lab a DNS, CoreDNS at the tenth address of its Services")
	return cmd
}

func (o labUpOptions) run(ctx context.Context, s streams) error {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	entry, err := o.entry(catalog)
	if err != nil {
		return err
	}
	plugins, err := suppliedPlugins(o.also)
	if err != nil {
		return err
	}
	plugins = append(plugins, entry.Plugin.Name)
	if o.dns {
		plugins = append(plugins, supply.DNS)
	}
	if err := o.config.Validate(); err != nil {
		return usage(err, "`cnibench lab up --help` shows what is possible")
	}
	if err := lab.CheckMachine(); err != nil {
		return err
	}
	progress := newProgress(s.err, false)
	defer progress.close()
	kit, err := o.supplied(ctx, s, progress, plugins)
	if err != nil {
		return err
	}
	start := time.Now()
	proof, err := o.install(ctx, kit, entry, catalog, progress.steps(o.config.Name))
	if err != nil {
		return err
	}
	progress.close()
	if proof != "" {
		s.tell("%s\n", proof)
	}
	s.tell("lab %s is ready after %.1f s\n", o.config.Name, time.Since(start).Seconds())
	_, err = fmt.Fprintf(s.out, "export KUBECONFIG=%s\n", lab.KubeconfigOf(o.config.Name))
	return err
}

// supplied is everything that the lab is made of, built where it is missing.
func (o labUpOptions) supplied(ctx context.Context, s streams, progress *progress, plugins []string) (supply.Kit, error) {
	if _, err := lab.Recover(); err != nil {
		return supply.Kit{}, err
	}
	announceSupply(s, plugins...)
	return lab.Supply(ctx, progress.supply, plugins...)
}

// install starts the lab and installs the variant, and returns what its proof
// says; nothing without a variant.
func (o labUpOptions) install(ctx context.Context, kit supply.Kit, entry cni.Entry, catalog cni.Catalog, report func(string)) (proof string, err error) {
	o.config.Note = o.variant
	provider := cluster.LabProvider{Kit: kit, Config: o.config}
	if o.variant == noVariant {
		return "", o.bare(ctx, provider, report)
	}
	installation := run.Installation{
		Provider: provider, Name: o.config.Name, Entry: entry, Catalog: catalog, Charts: charts.Kit(kit.Charts), Report: report,
		DNS: o.dns,
	}
	proven, err := installation.ForUser(ctx)
	return proven.Summary(), err
}

// bare makes a lab without a network plugin. Its DNS runs as soon as the user
// has installed one.
func (o labUpOptions) bare(ctx context.Context, provider cluster.Provider, report func(string)) error {
	c, err := provider.Create(ctx, cluster.Request{Name: o.config.Name}, report)
	if err == nil && o.dns {
		if err = c.StartDNS(ctx, false); err != nil {
			err = errors.Join(err, c.Remove())
		}
	}
	return err
}

func (o labUpOptions) entry(catalog cni.Catalog) (cni.Entry, error) {
	if o.variant == noVariant {
		return cni.Entry{}, nil
	}
	if o.config.Nodes == 1 {
		return cni.Entry{}, usage(errors.New("--nodes 1: a variant is proven between two nodes"), "choose 2 or more, or --variant none")
	}
	name, version := cni.ParseName(o.variant)
	e, err := catalog.Entry(name, cni.Choice{Version: version, Lab: true})
	if err != nil {
		return e, usage(fmt.Errorf("--variant %s: %w", o.variant, err), "choose one of "+strings.Join(catalog.Names(), ", ")+", or none")
	}
	if e.Services == "kube-proxy" && o.config.KubeProxy == "none" {
		return e, usage(fmt.Errorf("--kube-proxy none: %s does not replace kube-proxy", e.Name), "choose iptables or nftables")
	}
	return e, nil
}
