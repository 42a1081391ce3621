package cluster

import (
	"context"
	"errors"
)

// CollectNamespaces writes all events of the cluster and the logs of the pods
// of some namespaces, also of containers that were restarted, into a directory.
func (c *Cluster) CollectNamespaces(ctx context.Context, dir string, namespaces []string) error {
	return errors.Join(c.collectEvents(ctx, dir), c.collectLogs(ctx, dir, namespaces))
}
