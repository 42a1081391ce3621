package cluster

import "context"

// Provider makes clusters.
type Provider interface {
	// Create starts a cluster without a network plugin. Its nodes are
	// registered, not ready.
	Create(ctx context.Context, name string, report func(step string)) (*Cluster, error)
}
