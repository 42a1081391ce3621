package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func newLabExec(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "exec NAME NODE -- COMMAND",
		Short: "run a command as root inside a node",
		Long: `exec runs a command inside a node of a lab: node1, node2 …, or control-plane.

Exit status: the command's own; 1 no such lab or node; 2 usage.`,
		Example: `  cnibench lab exec a node1 -- ip route
  cnibench lab exec a control-plane -- cat /var/log/cnibench/kube-apiserver.log`,
		Args: cobra.MinimumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := openLab(args[0])
			if err != nil {
				return err
			}
			if err := awake(l); err != nil {
				return err
			}
			command, err := l.Command(cmd.Context(), args[1], args[2:]...)
			if err != nil {
				return failed(errors.New(err.Error()), "")
			}
			return passThrough(s, command)
		},
	}
}
