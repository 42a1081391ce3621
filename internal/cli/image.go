package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab/supply"
)

func newImage(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "image",
		Short: "the tools image, for clusters that are no labs",
		Long: `The tools image has iperf3, cnibench-probe and what a node's state is read with.
Labs have it; other clusters get it from a registry, or by loading an archive
into their nodes. It is composed on this machine from Debian packages and a
static program: the same version of cnibench gives the same digest.`,
	}
	cmd.AddCommand(newImageBuild(s), newImagePush(s))
	return cmd
}

// toolsImage composes the image, or finds it in the cache.
func toolsImage(ctx context.Context, s streams) (supply.Image, error) {
	dir, err := supply.DefaultDir()
	if err != nil {
		return supply.Image{}, err
	}
	progress := newProgress(s.err, false)
	defer progress.close()
	return supply.Tools(ctx, dir, progress.supply)
}
