package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab"
)

func newLabSupply(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "supply",
		Short: "get everything that labs need onto this machine",
		Long: `supply builds Kubernetes and Flannel from their pinned Go modules, fetches
Debian packages, and composes container images from both. Nothing is installed
on this machine: all of it goes into the cache, $CNIBENCH_CACHE or
cnibench below the user's cache directory, and is built once per version. The
first time takes minutes and 6 GB, most of it for compiling.

Exit status: 0 all is there, 1 something could not be had, 2 usage,
5 this machine cannot run labs, 130 interrupted.`,
		Example: "  cnibench lab supply",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := lab.CheckMachine(); err != nil {
				return err
			}
			progress := newProgress(s.err, false)
			defer progress.close()
			kit, err := lab.Supply(cmd.Context(), progress.supply)
			if err != nil {
				return err
			}
			progress.close()
			w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			for _, image := range kit.Images {
				fmt.Fprintf(w, "image\t%s\t%s\n", image.Name, image.Digest)
			}
			for _, name := range sortedKeys(kit.Versions) {
				fmt.Fprintf(w, "program\t%s\t%s\n", name, kit.Versions[name])
			}
			return w.Flush()
		},
	}
}
