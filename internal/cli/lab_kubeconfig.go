package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newLabKubeconfig(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "kubeconfig NAME",
		Short:   "print the path of a lab's kubeconfig",
		Long:    "kubeconfig prints the path of a file that works with any client on this machine.\n\nExit status: 0 printed, 1 no such lab, 2 usage.",
		Example: "  export KUBECONFIG=$(cnibench lab kubeconfig a)",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := openLab(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.out, l.KubeconfigFile())
			return err
		},
	}
}
