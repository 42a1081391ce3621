package campaign

// The version and kind of document that this package reads.
const (
	APIVersion = "cnibench.io/v1alpha1"
	Kind       = "Campaign"
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
	Tools        Tools
	Variants     []Variant  // at least one, names unique; the A/A twin last
	Scenarios    []Scenario // at least one
	Targets      []Target   // that scenarios name; nil: none
	Blocks       int        // from 1; with Stop those of its last look
	Stop         *Stop      // nil: every block is measured
	FreshCluster bool       // a new cluster for every variant in every block; never of an existing one
	Seed         uint64     // of every random order
	Analysis     Analysis
	Prometheus   *Prometheus // nil: nobody is asked
	Validity     *Validity   // nil: the rules of docs/methodology.md
}

// Cluster says where the variants run. Exactly one field is set.
type Cluster struct {
	Lab      *Lab
	Existing *Existing
	Command  *Command
}

// Existing is a cluster that somebody else runs.
type Existing struct {
	Kubeconfig string // file; empty: $KUBECONFIG, then ~/.kube/config
	Context    string // empty: the kubeconfig's current one
	// AllowCNIChange lets cnibench install and remove plugins. Without it only
	// entries that install nothing can be measured.
	AllowCNIChange bool
	// AllowForeign measures although other workloads run on the nodes.
	AllowForeign bool
	Nodes        Nodes
	Outside      Outside
	Peer         *Peer // the second cluster of scenarios between two; nil: there is none
}

// Peer is a second cluster that somebody else runs. What may be done to it is
// what may be done to the first.
type Peer struct {
	Kubeconfig string // file; empty: that of the first cluster
	Context    string // empty: the kubeconfig's current one
	Nodes      Nodes
}

// Command makes clusters with the user's own programs, which are run by
// /bin/sh with the cluster's name in $CNIBENCH_CLUSTER and the variant's in
// $CNIBENCH_VARIANT.
type Command struct {
	Up         string // makes the cluster
	Down       string // removes it; also run after a failure
	Kubeconfig string // prints the path of the kubeconfig, or is that path
	Nodes      Nodes
	Outside    Outside
}

// Outside is a host that is no node of the cluster; empty: none.
type Outside struct {
	Address string
	Command string // of the shell; runs the program that is appended, on the host
}

// Nodes chooses the machines that carry load: by name, or by label. Empty, the
// first two that are no control plane.
type Nodes struct {
	Server, Client string
	Selector       string // of labels
	ControlPlane   bool   // may be chosen too
	All            bool   // all that may be chosen, not two
}

// Tools is what load pods are made from.
type Tools struct {
	Image string // reference; empty: the lab's own, and the default name elsewhere
}

// Lab is the shape of the embedded Kubernetes.
type Lab struct {
	Nodes     int
	MTUs      []int  // bytes, of the link between nodes; several: every variant runs with each
	KubeProxy string // iptables, nftables or none
	MaxPods   int    // per node
	IPFamily  string // ipv4, ipv6 or dual; empty: ipv4
	Peer      bool   // every variant gets a second lab, whose nodes reach the first's
}

// Variant is one arm of the comparison: a catalog entry under a name that is
// unique in the campaign.
type Variant struct {
	Name    string
	Entry   string         // never an alias
	Version string         // as the catalog writes it; empty: nothing is installed
	Values  map[string]any // Helm values of the user, over the catalog's, as JSON has them; nil: none
	// Definition is a digest of the entry if the user's own catalog has it.
	Definition string
	// MTU is of the links of this variant's lab, in bytes, where the campaign
	// compares several; 0: the lab's own.
	MTU int
	// KubeProxy is how Services are carried in this variant's lab; empty: as in
	// the others.
	KubeProxy string
	// PodTemplate is laid over the load pods, as JSON has it; nil: nothing is.
	PodTemplate map[string]any
	// NamespaceLabels are put on the namespace of the load pods.
	NamespaceLabels map[string]string
}

// Scenario is one entry of spec.scenarios. It stands for one cell for every
// combination of its parameters' values.
type Scenario struct {
	Name       string // never an alias
	Parameters []Parameter
	// Definition is a digest of the user's file that defines the scenario;
	// empty for cnibench's own.
	Definition string
	// TargetParameter is the one that names a target; empty: there is none.
	TargetParameter string
}

// Parameter is a parameter of a scenario with one value or several, in
// canonical text and in the order in which the user wrote them.
type Parameter struct {
	Name   string
	Values []string
}

// Stop ends a campaign early, when its intervals are narrow enough.
type Stop struct {
	// HalfWidth is that of the 95 % interval which is narrow enough, a
	// fraction: 0.02 is ±2 %. On the difference scale, where a fraction has no
	// meaning, the metric's margin takes its place.
	HalfWidth float64
	// Looks are the numbers of blocks after which the campaign looks: one to
	// three, ascending, from 10.
	Looks []int
}

// AA names a variant that is measured a second time under another name, to
// show what noise alone does.
type AA struct {
	Variant, Name string
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
	// AA is nil when nothing is measured twice. The twin is among the variants.
	AA *AA
}
