package cluster

import "context"

// Provider hands over clusters.
type Provider interface {
	// Create hands over a cluster without a network plugin, or with the one
	// that it is to be measured with. Nodes without a plugin are registered,
	// not ready.
	Create(ctx context.Context, r Request, report func(step string)) (*Cluster, error)
	// Shared tells that there is one cluster for all variants, which Create
	// returns every time: one variant at a time is installed in it, and the
	// cluster itself is removed last, by Close.
	Shared() bool
	// Close removes what is shared by clusters. It is called once, last.
	Close() error
}

// Request says what a cluster is for.
type Request struct {
	Name    string // unique among those that exist at once
	Variant string // of the campaign; a cluster that is shared serves several
	// KubeProxy asks for a mode of kube-proxy, none where the variant carries
	// Services itself; empty: as the provider has it. Only labs can follow.
	KubeProxy string
	// MTU is of the links between nodes, in bytes; 0: as the provider has it.
	// Only labs can follow.
	MTU int
	// Peer is the name of a cluster whose nodes this one's are to reach; empty:
	// nobody's. Only labs can follow: other clusters reach each other or do not.
	Peer string
}
