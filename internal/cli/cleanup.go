package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/lab"
)

type cleanupOptions struct {
	labs, cluster       bool
	kubeconfig, context string
}

func newCleanup(s streams) *cobra.Command {
	var o cleanupOptions
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "remove what crashed runs and labs left",
		Long: `cleanup removes labs whose processes or whose run have died, and puts the
machine's settings back. With --lab it ends every lab, also those that run.

With --cluster it removes from a cluster what a crashed run left of cnibench: its
agents, load pods and namespace. A network plugin that was installed is removed
by ` + "`cnibench variants remove`" + `.

Exit status: 0 clean, 1 something could not be removed, 2 usage.`,
		Example: `  cnibench cleanup
  cnibench cleanup --lab
  cnibench cleanup --cluster --kubeconfig kubeconfig.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.cluster && o.labs:
				return usage(errors.New("--lab and --cluster clean different things"), "give one of them")
			case o.cluster:
				return o.cleanCluster(cmd.Context(), s)
			case o.kubeconfig != "" || o.context != "":
				return usage(errors.New("--kubeconfig and --context are of a cluster"), "add --cluster")
			}
			return o.cleanMachine(s)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.labs, "lab", false, "end all labs, also those that run")
	f.BoolVar(&o.cluster, "cluster", false, "clean a cluster instead of this machine")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "of the cluster (default: $KUBECONFIG, then ~/.kube/config)")
	f.StringVar(&o.context, "context", "", "of the kubeconfig (default: its current one)")
	return cmd
}

func (o cleanupOptions) cleanCluster(ctx context.Context, s streams) error {
	found, err := cluster.CleanUp(ctx, o.kubeconfig, o.context)
	if err == nil && found {
		s.tell("removed what was left in the cluster\n")
	}
	return err
}

func (o cleanupOptions) cleanMachine(s streams) error {
	removed, err := lab.Recover()
	for _, name := range removed {
		s.tell("removed lab %s\n", name)
	}
	if err != nil || !o.labs {
		return err
	}
	labs, err := lab.List()
	if err != nil {
		return err
	}
	var errs []error
	for _, l := range labs {
		err := lab.Down(l.Name())
		if err == nil {
			s.tell("removed lab %s\n", l.Name())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
