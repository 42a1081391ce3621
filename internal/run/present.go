package run

import (
	"context"

	"github.com/cnibench/cnibench/internal/cni"
)

// identify finds out which plugin the cluster has, where the variant is just
// that, and attributes its pods to it.
func identify(ctx context.Context, i *Installed, catalog cni.Catalog) (cni.Present, error) {
	if !i.Entry.Variant.Present {
		return cni.Present{}, nil
	}
	present, err := catalog.Identify(ctx, i.Cluster)
	if err != nil {
		return present, err
	}
	i.Entry.Agents = present.Agents
	return present, nil
}
