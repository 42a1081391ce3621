package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

type variantsRemoveOptions struct {
	clusterFlags
	catalog string
}

func newVariantsRemove(s streams) *cobra.Command {
	var o variantsRemoveOptions
	cmd := &cobra.Command{
		Use:   "remove",
		Short: "remove the variant that cnibench installed, and prove that nodes are as before",
		Long: `remove deletes what ` + "`cnibench variants install`" + ` or a run has applied, also if that
was interrupted, and what the plugin leaves on nodes: links, routes, rules of
iptables and nftables, ipsets, BPF programs, files. What was there before the
installation is not touched. Then it compares nodes with how they were before,
and lists what differs. A removal that was interrupted can be done again.

Exit status: 0 nodes are as before; 1 something is not, or could not be looked
at, or nothing is installed; 2 usage; 130 interrupted.`,
		Example: `  cnibench variants remove --lab a
  cnibench variants remove --kubeconfig ~/.kube/config --context staging`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	o.define(cmd.Flags())
	cmd.Flags().StringVar(&o.catalog, "catalog", "", catalogUsage)
	return cmd
}

func (o variantsRemoveOptions) run(ctx context.Context, s streams) error {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	c, done, err := o.open(ctx, s, catalog)
	if err != nil {
		return err
	}
	return errors.Join(remove(ctx, s, c), done())
}

func remove(ctx context.Context, s streams, c *cluster.Cluster) error {
	progress := newProgress(s.err, false)
	defer progress.close()
	start := time.Now()
	removal, err := cni.Remove(ctx, c, progress.steps("cluster"))
	progress.close()
	for _, node := range slices.Sorted(maps.Keys(removal.Cleaned)) {
		for _, what := range removal.Cleaned[node] {
			s.tell("%s: %s\n", node, what)
		}
	}
	for _, pod := range removal.Staying {
		s.tell("pod %s has no controller and has lost its network: delete it and make it anew\n", pod)
	}
	if err != nil {
		return err
	}
	if removal.Unproven {
		s.tell("%s is removed after %.1f s; nobody looked at the nodes before it was installed, so that only what it is known to leave was looked for\n",
			removal.Variant, time.Since(start).Seconds())
		return nil
	}
	s.tell("%s is removed after %.1f s; nodes are as before\n", removal.Variant, time.Since(start).Seconds())
	return nil
}
