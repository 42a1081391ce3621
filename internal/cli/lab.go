package cli

import "github.com/spf13/cobra"

func newLab(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "a real multi-node Kubernetes on this machine, in seconds",
		Long: `A lab is a real Kubernetes of several nodes on this machine: every node has its
own kubelet, containerd and network namespace, and nothing comes from a
registry. Labs need Linux and root; several can run side by side.`,
	}
	cmd.AddCommand(newLabUp(s), newLabDown(s), newLabList(s), newLabPause(s), newLabResume(s),
		newLabKubeconfig(s), newLabKubectl(s), newLabExec(s), newLabSupply(s))
	return cmd
}
