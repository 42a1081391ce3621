package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/lab/supply"
)

func newLabSupply(s streams) *cobra.Command {
	var wanted []string
	cmd := &cobra.Command{
		Use:   "supply",
		Short: "get everything that labs need onto this machine",
		Long: `supply builds Kubernetes and Flannel from their pinned Go modules, fetches
Debian packages, and composes container images from both. Nothing is installed
on this machine: all of it goes into the cache, $CNIBENCH_CACHE or
cnibench below the user's cache directory, and is built once per version. The
first time takes minutes and 6 GB, most of it for compiling.

Some network plugins and scenarios need more than that: --for names what labs
shall be able to run, as ` + "`cnibench lab up`" + ` and ` + "`cnibench run`" + ` do by themselves. On two
cores Cilium's images take about 6 minutes more, the lab's DNS (dns), the
HTTP load generator in the image of load pods (k6) and the tunnel konnectivity
about 2 minutes each; the tunnel openvpn is one more Debian package;
flannel-upgrade is a later Flannel to upgrade to, about 3 minutes.

Exit status: 0 all is there, 1 something could not be had, 2 usage,
5 this machine cannot run labs, 130 interrupted.`,
		Example: `  cnibench lab supply
  cnibench lab supply --for cilium`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plugins, err := suppliedPlugins(wanted)
			if err != nil {
				return err
			}
			if err := lab.CheckMachine(); err != nil {
				return err
			}
			progress := newProgress(s.err, false)
			defer progress.close()
			announceSupply(s, plugins...)
			kit, err := lab.Supply(cmd.Context(), progress.supply, plugins...)
			if err != nil {
				return err
			}
			progress.close()
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			for _, image := range kit.Images {
				fmt.Fprintf(w, "image\t%s\t%s\n", image.Name, image.Digest)
			}
			for _, name := range sortedKeys(kit.Charts) {
				fmt.Fprintf(w, "chart\t%s\t%s\n", name, kit.Charts[name])
			}
			for _, name := range sortedKeys(kit.Versions) {
				fmt.Fprintf(w, "program\t%s\t%s\n", name, kit.Versions[name])
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringArrayVar(&wanted, "for", nil, "a network plugin, variant or feature (dns, k6, openvpn, konnectivity, flannel-upgrade) that labs shall have (may be repeated)")
	return cmd
}

// suppliedPlugins finds the parts of the supply behind names of plugins,
// variants and features.
func suppliedPlugins(names []string) ([]string, error) {
	catalog, err := cni.Builtin()
	if err != nil {
		return nil, err
	}
	var plugins []string
	for _, name := range names {
		if slices.Contains(supply.Parts(), name) {
			plugins = append(plugins, name)
			continue
		}
		entry, err := catalog.Entry(name, cni.Choice{Lab: true})
		if err != nil {
			return nil, usage(fmt.Errorf("--for %s: %w", name, err), "choose a plugin or feature ("+strings.Join(supply.Parts(), ", ")+
				") or a variant, see `cnibench variants list`")
		}
		plugins = append(plugins, entry.Plugin.Name)
	}
	return plugins, nil
}

// announceSupply says how long the missing parts of the supply will take. What
// is wrong with the supply shows when it is used.
func announceSupply(s streams, plugins ...string) {
	dir, err := supply.DefaultDir()
	if err != nil {
		return
	}
	for _, name := range supply.Parts() {
		if !slices.Contains(plugins, name) {
			continue
		}
		if missing, err := supply.MissingOf(dir, name); err == nil && len(missing) > 0 {
			s.tell("%s is supplied for the first time: this takes %s\n", name, supply.Duration(name))
		}
	}
}
