package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// clusterFlags name a cluster whose plugin is changed.
type clusterFlags struct{ lab, kubeconfig, context, image string }

func (p *clusterFlags) define(f *pflag.FlagSet) {
	f.StringVar(&p.lab, "lab", "", "in this lab")
	f.StringVar(&p.kubeconfig, "kubeconfig", "", "in the cluster of this file")
	f.StringVar(&p.context, "context", "", "context of the kubeconfig (default: its current one)")
	f.StringVar(&p.image, "image", "", "image with cnibench's tools for the cluster's nodes (default "+cluster.ToolsImage+")")
}

// open connects to the cluster; done leaves nothing of ours in it but what was
// installed.
func (p clusterFlags) open(ctx context.Context, s streams, catalog cni.Catalog) (c *cluster.Cluster, done func() error, err error) {
	if (p.lab != "") == (p.kubeconfig != "" || p.context != "") {
		return nil, nil, usage(errors.New("which cluster is meant is not clear"), "give --lab NAME, or --kubeconfig FILE (with --context NAME)")
	}
	return checkOptions{lab: p.lab, kubeconfig: p.kubeconfig, context: p.context, image: p.image}.open(ctx, s, catalog)
}
