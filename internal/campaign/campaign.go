package campaign

import "time"

// The version and kind of document that this package reads.
const (
	APIVersion = "cnibench.io/v1alpha1"
	Kind       = "Campaign"
)

// Where the two ends of a load run.
const (
	CrossNode = "cross-node"
	SameNode  = "same-node"
)

// Campaign is a campaign file after defaults and validation.
type Campaign struct {
	APIVersion string
	Kind       string
	Metadata   Metadata
	Spec       Spec
}

// Metadata identifies the campaign.
type Metadata struct {
	Name string
}

// Spec says what is measured, how often and how it is judged.
type Spec struct {
	Cluster      Cluster
	Variants     []Variant  // at least one, names unique
	Scenarios    []Scenario // at least one
	Blocks       int        // from 1
	FreshCluster bool       // a new cluster for every variant in every block
	Seed         uint64     // of every random order
	Analysis     Analysis
}

// Cluster says where the variants run.
type Cluster struct {
	Lab Lab
}

// Lab is the shape of the embedded Kubernetes.
type Lab struct {
	Nodes     int
	MTU       int    // bytes, of the link between nodes
	KubeProxy string // iptables, nftables or none
	MaxPods   int    // per node
}

// Variant is one arm of the comparison: a catalog entry under a name that is
// unique in the campaign.
type Variant struct {
	Name  string
	Entry string
}

// Scenario is one entry of spec.scenarios. It stands for one cell for every
// combination of its Streams and its Placement, neither of which is empty.
type Scenario struct {
	Name      string
	Duration  time.Duration
	Omit      time.Duration // warm-up before Duration that is not counted
	Streams   []int
	Placement []string // CrossNode, SameNode
}

// Analysis is what the user decides before anything is measured.
type Analysis struct {
	// Base is the name of the variant that the others are compared with: by
	// default the first one that is the catalog's host, else the first.
	Base string
	// Primary lists CELL/METRIC. Empty, the plan takes the first metric of
	// every cell.
	Primary []string
	// Margins overrides margins by metric name: a fraction for a metric on the
	// ratio scale (0.03 is 3 %), an amount in the metric's unit otherwise.
	Margins map[string]float64
}
