// Package plan expands a campaign into the exact sequence of trials that a
// run executes. It is pure: the same campaign gives the same plan and the
// same hash on every machine.
package plan

// SchemaVersion names the layout of plan.json.
const SchemaVersion = "cnibench.io/plan/v2"

// Plan is what a run executes: every block measures every variant once, and
// on each variant every cell.
type Plan struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// Hash is "sha256:…" over everything in the plan but itself.
	Hash         string    `json:"hash"`
	Seed         uint64    `json:"seed"`
	Cluster      Cluster   `json:"cluster"`
	Tools        Tools     `json:"tools,omitzero"`
	FreshCluster bool      `json:"freshCluster"`
	Variants     []Variant `json:"variants"`
	Cells        []Cell    `json:"cells"`
	Blocks       []Block   `json:"blocks"`
	// Stop ends the run before the last block, when intervals are narrow
	// enough; nil: every block is measured.
	Stop     *Stop    `json:"stop,omitempty"`
	Analysis Analysis `json:"analysis"`
	// Prometheus is asked after every trial; nil: nobody is.
	Prometheus *Prometheus `json:"prometheus,omitempty"`
	// Imported is set when another program measured; nil: this one did.
	Imported *Imported `json:"imported,omitempty"`
	// Validity holds the rules that make a block invalid; nil: those of
	// docs/methodology.md.
	Validity *Validity `json:"validity,omitempty"`
}

// Validity is what makes a block invalid, so that it is dropped and repeated
// whole. A rule that is 0 or false is none.
type Validity struct {
	// Steal and ForeignCPU are the largest shares, from 0 to 1, of a machine's
	// CPU time during a variant's turn that its hypervisor may give to others,
	// and that programs outside the cluster may spend in user mode.
	Steal      float64 `json:"steal,omitempty"`
	ForeignCPU float64 `json:"foreignCPU,omitempty"`
	// ClockStep refuses a wall clock that was set during a trial.
	ClockStep bool `json:"clockStep,omitempty"`
}

// Prometheus is a server with what is asked of it. Of secrets it has where
// they are, not what they are.
type Prometheus struct {
	URL      string            `json:"url"`
	Wait     int               `json:"wait"` // seconds for which the server may be behind
	Token    Secret            `json:"token,omitzero"`
	Username string            `json:"username,omitempty"`
	Password Secret            `json:"password,omitzero"`
	Queries  []PrometheusQuery `json:"queries"`
}

// Secret says where a secret is.
type Secret struct {
	File string `json:"file,omitempty"`
	Env  string `json:"env,omitempty"`
}

// PrometheusQuery is an exploratory metric that the server has.
type PrometheusQuery struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Better string  `json:"better"`
	Scale  string  `json:"scale"`
	Margin float64 `json:"margin"`
	Query  string  `json:"query"`
}

// Cluster says where the variants run. Exactly one field is set.
type Cluster struct {
	Lab      *Lab      `json:"lab,omitempty"`
	Existing *Existing `json:"existing,omitempty"`
	Command  *Command  `json:"command,omitempty"`
}

// Existing is a cluster that somebody else runs.
type Existing struct {
	Kubeconfig     string `json:"kubeconfig,omitempty"`
	Context        string `json:"context,omitempty"`
	AllowCNIChange bool   `json:"allowCNIChange,omitempty"`
	AllowForeign   bool   `json:"allowForeign,omitempty"`
	Nodes          Nodes  `json:"nodes,omitzero"`
	// Outside is a host that is no node; zero: none.
	Outside Outside `json:"outside,omitzero"`
	Peer    *Peer   `json:"peer,omitempty"`
}

// Peer is the second cluster of scenarios between two.
type Peer struct {
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Context    string `json:"context,omitempty"`
	Nodes      Nodes  `json:"nodes,omitzero"`
}

// Command makes clusters with the user's own programs.
type Command struct {
	Up         string `json:"up"`
	Down       string `json:"down"`
	Kubeconfig string `json:"kubeconfig"`
	Nodes      Nodes  `json:"nodes,omitzero"`
	// Outside is a host that is no node; zero: none.
	Outside Outside `json:"outside,omitzero"`
}

// Outside is a host that is no node of the cluster.
type Outside struct {
	Address string `json:"address"`
	Command string `json:"command"` // of the shell; runs the program that is appended, on the host
}

// Nodes chooses the machines that carry load.
type Nodes struct {
	Server       string `json:"server,omitempty"`
	Client       string `json:"client,omitempty"`
	Selector     string `json:"selector,omitempty"`
	ControlPlane bool   `json:"controlPlane,omitempty"`
	All          bool   `json:"all,omitempty"`
}

// Tools is what load pods are made from.
type Tools struct {
	Image string `json:"image,omitempty"`
}

// Lab is the shape of the embedded Kubernetes that every variant gets.
type Lab struct {
	Nodes     int    `json:"nodes"`
	MTU       int    `json:"mtu"`       // bytes, of the link between nodes; 0: each variant has its own
	KubeProxy string `json:"kubeProxy"` // iptables, nftables or none
	MaxPods   int    `json:"maxPods"`
	IPFamily  string `json:"ipFamily,omitempty"` // ipv6 or dual; empty: ipv4
	Peer      bool   `json:"peer,omitempty"`     // every variant gets a second lab, whose nodes reach the first's
}

// Variant is one arm of the comparison: a catalog entry under a name that is
// unique in the plan.
type Variant struct {
	Name    string         `json:"name"`
	Entry   string         `json:"entry"` // of the catalog, e.g. flannel-vxlan; the name again if imported
	Version string         `json:"version,omitempty"`
	Values  map[string]any `json:"values,omitempty"` // Helm values of the user
	// Definition is a digest of the entry if the user's own catalog has it:
	// without that catalog nobody can tell what was measured.
	Definition string `json:"definition,omitempty"`
	// MTU is of the links of the variant's lab, in bytes; 0: the lab's own.
	MTU int `json:"mtu,omitempty"`
	// KubeProxy is how Services are carried in the variant's lab; empty: as the
	// cluster says.
	KubeProxy string `json:"kubeProxy,omitempty"`
	// PodTemplate is laid over the load pods.
	PodTemplate map[string]any `json:"podTemplate,omitempty"`
	// NamespaceLabels are put on the namespace of the load pods.
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`
}

// Block is one round. Order holds variant names, first to last; Cells holds
// cell ids in the order in which each variant of this block runs them.
type Block struct {
	Index int      `json:"index"` // from 1
	Order []string `json:"order"`
	Cells []string `json:"cells"`
}

// Stop is the precision at which a campaign ends. Blocks holds those of the
// last look.
type Stop struct {
	// Looks are the numbers of blocks after which intervals are looked at,
	// ascending.
	Looks []int `json:"looks"`
	// HalfWidth is that of a 95 % interval which is narrow enough: a fraction
	// on the ratio scale; on the difference scale it is the metric's margin.
	HalfWidth float64 `json:"halfWidth"`
}

// Twin is a variant that is measured a second time under another name. It is
// among the plan's variants, and in no primary comparison.
type Twin struct {
	Variant string `json:"variant"` // that it repeats
	Name    string `json:"name"`
}

// Analysis is what was decided before anything was measured.
type Analysis struct {
	Base string `json:"base"` // variant name
	// Primary lists CELL/METRIC; these form the family that Holm adjusts.
	Primary []string `json:"primary"`
	// Margins overrides a metric's own margin, by metric name.
	Margins map[string]float64 `json:"margins,omitempty"`
	// AA is nil when nothing is measured twice.
	AA *Twin `json:"aa,omitempty"`
}
