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
		Long: `The tools image has iperf3, qperf, sockperf, ping, cnibench-probe and what a
node's state is read with; with --k6 also k6, which the scenario http needs and
which takes minutes to build. Labs have it; other clusters get it from a registry, or by loading an archive
into their nodes. It is composed on this machine from Debian packages and a
static program: the same version of cnibench gives the same digest.`,
	}
	cmd.AddCommand(newImageBuild(s), newImagePush(s))
	return cmd
}

// k6Usage explains a flag of all commands that compose the image.
const k6Usage = "with k6, for the scenario http"

// toolsImage composes the image, or finds it in the cache.
func toolsImage(ctx context.Context, s streams, withK6 bool) (supply.Image, error) {
	dir, err := supply.DefaultDir()
	if err != nil {
		return supply.Image{}, err
	}
	progress := newProgress(s.err, false)
	defer progress.close()
	var parts []string
	if withK6 {
		parts = append(parts, supply.K6)
		announceSupply(s, parts...)
	}
	return supply.Tools(ctx, dir, progress.supply, parts...)
}
