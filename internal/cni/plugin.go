package cni

// Plugin is one file of the catalog: what all variants of a network plugin
// share, and its variants. The published schema is catalog.schema.json.
//
// In every string, also of values and commands, these stand for the cluster's:
// ${podCIDR}, ${serviceCIDR}, ${apiHost}, ${apiPort}, ${linkMTU} (bytes),
// ${uplink} (interface), ${controlPlaneIPs} (comma-separated), ${podGateway}
// (the pod CIDR's first address), ${version}, what With of the version names,
// and ${randomKey} (40 hexadecimal digits, new for every installation).
// ${linkMTU-50} is 50 less.
type Plugin struct {
	Name     string             `json:"name"`
	Title    string             `json:"title"`
	License  string             `json:"license"`  // SPDX identifier
	Versions []Version          `json:"versions"` // the first is what a variant without a version means, outside labs
	Install  Source             `json:"install"`  // empty: it is not installed by us
	Identify []string           `json:"identify"` // names of its DaemonSets, by which an installed one is recognised
	Requires Requires           `json:"requires"` // of every node
	Ready    Ready              `json:"ready"`    //
	Agents   []AgentPods        `json:"agents"`   // the pods that are the plugin, for CPU and memory
	Daemons  []string           `json:"daemons"`  // names of its processes that run outside those pods
	Services string             `json:"services"` // "kube-proxy": it needs one; "plugin": it carries Services itself, and a lab has no kube-proxy
	Enforces Enforces           `json:"enforces"` //
	Counters Counters           `json:"counters"` //
	Leaves   Leftovers          `json:"leaves"`   // what an uninstalled plugin leaves on nodes and in the cluster
	Facts    []Fact             `json:"facts"`    // for choosing, each with its source
	Notes    []string           `json:"notes"`    // what a user must know, one sentence each
	Excluded string             `json:"excluded"` // why it cannot be measured; empty: it can
	Variants map[string]Variant `json:"variants"`
}

// Variant is one configuration of a plugin. What it says is added to the
// plugin's: values and commands are merged, requirements are united.
type Variant struct {
	Title         string        `json:"title"`
	Aliases       []string      `json:"aliases"`     // among them the ids of the benchmark published in 2024
	HostNetwork   bool          `json:"hostNetwork"` // load pods use their node's network
	Present       bool          `json:"present"`     // measures the plugin that the cluster has; nothing is installed
	Versions      string        `json:"versions"`    // constraint, e.g. ">= 3.29"; empty: all of the plugin's
	Install       Source        `json:"install"`
	Encapsulation Encapsulation `json:"encapsulation"`
	Requires      Requires      `json:"requires"`
	Ready         Ready         `json:"ready"`    // in addition to the plugin's
	Agents        []AgentPods   `json:"agents"`   // in addition to the plugin's
	Services      string        `json:"services"` // instead of the plugin's
	Enforces      *Enforces     `json:"enforces"` // instead of the plugin's
	Facts         []Fact        `json:"facts"`
	Notes         []string      `json:"notes"`
}

// Version is a release that the catalog pins.
type Version struct {
	Version string `json:"version"` // as upstream writes it: "v0.28.4", "1.15.19"
	// Released is a date, "2026-04-15", or empty.
	Released string `json:"released"`
	// Lab says that the lab's supply has it: there it is the default.
	Lab bool `json:"lab"`
	// Verified says how we know that the entry works with it: "" means that
	// nobody of us has rendered or installed it, "rendered" that its chart or
	// manifest was rendered, "installed" that pods were proven to reach each
	// other on it. Variants lists those for which that holds, empty means all;
	// of what was installed the others were rendered.
	Verified string   `json:"verified"`
	Variants []string `json:"variants"`
	// With are further placeholders for this version: {vpp: v3.32.0} is ${vpp}.
	With map[string]string `json:"with"`
}

// Source says where manifests come from, in this order: every chart and
// manifest of Before, the chart or the manifest, those of After.
type Source struct {
	Chart           string            `json:"chart"`        // Helm chart's name
	Repository      string            `json:"repository"`   // "https://…" (Helm) or "oci://…"
	ChartVersion    string            `json:"chartVersion"` // if not ${version}
	Manifest        string            `json:"manifest"`     // URL or, in a user's own catalog, a file beside it, whose text becomes Inline
	Inline          string            `json:"inline"`       // YAML documents
	Edits           []Edit            `json:"edits"`        // changes to manifests that cannot be had by values
	Namespace       string            `json:"namespace"`
	NamespaceLabels map[string]string `json:"namespaceLabels"`
	Values          map[string]any    `json:"values"`
	// ValuesFor adds values for versions that meet a constraint.
	ValuesFor []ValuesFor `json:"valuesFor"`
	// DualStack and IPv6 add values where the cluster has both families of
	// addresses, or IPv6 alone; null: the entry is not for such clusters.
	DualStack map[string]any `json:"dualStack"`
	IPv6      map[string]any `json:"ipv6"`
	Before    []Source       `json:"before"`
	After     []Source       `json:"after"`
	For       string         `json:"for"` // of an element of Before or After: constraint on the version
	// Nodes labels every node before anything is applied.
	NodeLabels map[string]string `json:"nodeLabels"`
	// Binaries are CNI plugins that must lie in /opt/cni/bin of nodes already.
	Binaries []string `json:"binaries"`
}

// ValuesFor are values for a range of versions.
type ValuesFor struct {
	Versions string         `json:"versions"` // constraint, e.g. "< 1.16"
	Values   map[string]any `json:"values"`
}

// Edit changes one rendered object: Set writes Value at Path, a list of keys
// (list elements by number), of the object of that kind and name. Replace,
// instead, replaces text in a string at Path.
type Edit struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Path    []string `json:"path"`
	Set     any      `json:"set"`
	Append  any      `json:"append"`  // to a list
	Replace string   `json:"replace"` // text
	With    string   `json:"with"`
	Why     string   `json:"why"`
}

// Requires is what every node must offer. Lists of a plugin and its variant
// are united.
type Requires struct {
	Kernel     string `json:"kernel"`     // least version: "5.10"
	Kubernetes string `json:"kubernetes"` // least version: "1.29"
	// Can are kernel features by the names of internal/probe/kernel, tried in
	// a scratch network namespace: "vxlan", "wireguard", "openvswitch" …
	Can []string `json:"can"`
	// Config are kernel options without CONFIG_ that must be y or m, looked at
	// where a feature cannot be tried; "A|B" is an alternative.
	Config []string `json:"config"`
	// Wants are options without which the plugin is slower or does less.
	Wants   []string `json:"wants"`
	Modules []string `json:"modules"` // that the plugin loads by name
	Drivers []string `json:"drivers"` // one of these must drive the uplink: XDP, BIG TCP
	Ports   []string `json:"ports"`   // that must be free: "8472/udp"
	// PodCIDR is "node" if nodes must have a spec.podCIDR.
	PodCIDR string `json:"podCIDR"`
	OneLink bool   `json:"oneLink"` // all nodes on one layer 2 segment, or routed pod CIDRs
	// Other is what cnibench cannot check, in words.
	Other []string `json:"other"`
}

// Ready lists what must be complete before nodes are expected to be ready.
type Ready struct {
	DaemonSets  []string `json:"daemonSets"`  // NAME in the plugin's namespace, or NAMESPACE/NAME
	Deployments []string `json:"deployments"` // likewise
	// Files that the agent writes on every node once it works. Some agents
	// have no readiness probe: their pods are ready as soon as they start.
	Files       []string `json:"files"`
	Annotations []string `json:"annotations"` // that every node must have
	NoTaints    []string `json:"noTaints"`    // keys that no node may have
	// Conditions are custom resources: "tigerastatus/calico=Available".
	Conditions []string `json:"conditions"`
}

// AgentPods selects pods of the plugin.
type AgentPods struct {
	Role      string `json:"role"`      // dataplane, control or observability
	Namespace string `json:"namespace"` // if not the plugin's
	Selector  string `json:"selector"`
}

// Encapsulation is what a tunnel adds to every packet.
type Encapsulation struct {
	// Protocol is none, vxlan, geneve, ipip, gre, wireguard, ipsec, or a
	// combination with +, outermost first.
	Protocol string `json:"protocol"`
	// Bytes less than the link's MTU fit into a pod's packet.
	Bytes int `json:"bytes"`
	// BytesFor are the bytes of versions that differ.
	BytesFor []BytesFor `json:"bytesFor"`
	Port     string     `json:"port"` // "8472/udp", "esp"
	// CrossSubnetOnly says that nodes of one subnet exchange bare packets.
	CrossSubnetOnly bool `json:"crossSubnetOnly"`
	Encrypted       bool `json:"encrypted"`
	// Evidence are commands that show what is encapsulated or encrypted, for
	// people and for the evidence of trials.
	Evidence []string `json:"evidence"`
	// MTU says where the pod's MTU is lowered: device, route or both.
	MTU string `json:"mtu"`
}

// BytesFor are the bytes of a range of versions.
type BytesFor struct {
	Versions string `json:"versions"`
	Bytes    int    `json:"bytes"`
}

// Enforces is what the plugin enforces of policies.
type Enforces struct {
	NetworkPolicy        bool   `json:"networkPolicy"`
	ClusterNetworkPolicy string `json:"clusterNetworkPolicy"` // "", "yes" or a condition in words
	FQDN                 bool   `json:"fqdn"`
	L7                   string `json:"l7"` // protocols, or empty
	// L7Exec is a command in an agent's pod of the role dataplane that
	// succeeds in one of them where L7 is enforced; empty: it always is.
	L7Exec string   `json:"l7Exec"`
	Own    []string `json:"own"` // kinds of its own
}

// Counters says where the plugin itself counts what it drops and how full its
// tables are. What has no metric is not read: the commands are for people.
type Counters struct {
	Metrics  []Endpoint `json:"metrics"`
	Drops    []Counter  `json:"drops"`    // of packets
	Pressure []Pressure `json:"pressure"` //
	Others   []Counter  `json:"others"`   // that explain, without being better or worse
	// Tables are BPF maps with an entry per connection, by their paths below
	// /sys/fs/bpf, which may be patterns: "tc/globals/cali_v4_ct[0-9]*". Their
	// entries are counted on the node.
	Tables []string `json:"tables"`
	// Verified are the versions whose agents these were read from. Of others
	// their documentation says so.
	Verified []string `json:"verified"`
	Exec     []string `json:"exec"`   // commands in an agent's pod that show more
	OnNode   []string `json:"onNode"` // commands on a node that show more
}

// Endpoint serves Prometheus metrics in an agent's pod or on its node. Those of
// the role dataplane are read.
type Endpoint struct {
	Role string `json:"role"`
	Port int    `json:"port"`
	Path string `json:"path"` // "/metrics" if empty
	TLS  bool   `json:"tls"`
}

// Counter is a metric of which the growth counts, whatever type it says it has.
type Counter struct {
	Metric string `json:"metric"`
	// By are labels whose values say what is counted, such as the reason of a
	// drop; over all others is summed.
	By []string `json:"by"`
	As string   `json:"as"` // what is counted, where no label says it
	// Beside is a metric of the same source that is always there. Beside it a
	// counter that is not there is 0, because it appears when it first counts;
	// without it, nobody knows.
	Beside string `json:"beside"`
}

// Pressure is a metric that says how full a table is.
type Pressure struct {
	Metric string   `json:"metric"`
	Of     string   `json:"of"` // the metric with what fits into the table; empty: Metric is a share, 1 is full
	By     []string `json:"by"` // labels that name the table
}

// Leftovers are names, with * for any text, of what a plugin leaves when its
// objects are deleted.
type Leftovers struct {
	Links          []string `json:"links"`
	Chains         []string `json:"chains"`   // of iptables
	NFTables       []string `json:"nftables"` // "ip flannel-ipv4"
	IPSets         []string `json:"ipsets"`
	Files          []string `json:"files"`       // absolute paths, also of directories
	CNIConfig      []string `json:"cniConfig"`   // names in /etc/cni/net.d
	CNIBinaries    []string `json:"cniBinaries"` // names in /opt/cni/bin
	BPFPins        []string `json:"bpfPins"`     // paths below /sys/fs/bpf
	Programs       []string `json:"programs"`    // BPF programs attached to links and control groups: "cil_*"
	RouteTables    []int    `json:"routeTables"`
	RulePriorities []int    `json:"rulePriorities"`
	Mounts         []string `json:"mounts"`
	CRDs           []string `json:"crds"`        // API groups: "cilium.io"
	Annotations    []string `json:"annotations"` // of nodes
	NodeLabels     []string `json:"nodeLabels"`
	Taints         []string `json:"taints"`
	XFRM           bool     `json:"xfrm"`   // states and policies
	Reboot         bool     `json:"reboot"` // upstream asks for a reboot of nodes
}

// Fact is something worth knowing for a choice that was read, not measured.
type Fact struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // URL or document
	Date   string `json:"date"`   // on which it was read: "2026-08-30"
}
