package doctor

import (
	"time"

	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// Kind of place that is looked at.
type Kind string

// The kinds: a cluster that somebody else runs, a lab, and a machine that labs
// are to run on.
const (
	Cluster Kind = "cluster"
	Lab     Kind = "lab"
	Machine Kind = "machine"
)

// Part is something that was to be found out.
type Part string

// The parts, by which [Snapshot.Missing] and [Node.Missing] have reasons.
const (
	PartPods     Part = "pods"     // of the whole cluster
	PartPolicies Part = "policies" //
	PartServices Part = "services" //
	PartPlugin   Part = "plugin"   // which one it is
	PartLogs     Part = "logs"     // of the plugin's agents
	PartCounters Part = "counters" // of the plugin's agents
	PartHostPath Part = "hostPath" // packets between the nodes that carry load
	PartPodPath  Part = "podPath"  // packets between pods on them
	PartService  Part = "service"  // a connection through a Service
	PartDNS      Part = "dns"      //
	PartEnds     Part = "ends"     // settings of the load pods' network
	PartIperf3   Part = "iperf3"   // its version
	PartBurst    Part = "burst"    //
	PartIdle     Part = "idle"     // CPU of the machines without load
	PartFacts    Part = "facts"    // of a node
	PartVitals   Part = "vitals"   // of a node
)

// Snapshot is all that the checks know. What could not be found out is in
// Missing with the reason.
type Snapshot struct {
	Kind  Kind
	Place string
	Deep  bool

	Nodes      []Node // of the cluster; of a machine the one
	Kubernetes string // version of the API server
	KubeProxy  string // how Services are carried, or "unknown"
	Plugin     Plugin
	Pods       []Pod
	Policies   []Policy
	Services   []Service

	HostPath *Path
	PodPath  *Path
	Service  *Attempt          // a TCP connection through a Service's address
	DNS      *DNS              //
	Ends     map[string]string // congestion control of the load pods' network by node
	Iperf3   string            // its version in the load pods
	Idle     map[string]Idle   // by node; of nodes that share a kernel the first
	Burst    *Burst

	LabMachine *Attempt // what labs need of this machine

	AllowForeign bool    // other workloads are none of the reasons to refuse
	Profile      Profile // of what is to be measured

	Missing map[Part]string
}

// Node is a machine.
type Node struct {
	Name, Address string
	Load          bool // it carries load
	Worker        bool // it is schedulable and no control plane
	Ready         bool
	Message       string   // of its condition Ready
	Pressures     []string // other conditions that hold: "MemoryPressure"
	CPUs          int      // logical ones
	MemoryMiB     int64

	Kubelet, Runtime, Kernel, OS string

	Facts  facts.Facts // of kernel and network; without values where it was not looked
	Vitals *vitals.Report
	Skew   *Skew

	Missing map[Part]string
}

// Skew is how far a node's clock is ahead of the one that asks. The truth lies
// between the two: the answer took its time.
type Skew struct{ Low, High time.Duration }

// Plugin is the network plugin that was recognised.
type Plugin struct {
	Title     string // empty: none that the catalog knows
	Version   string
	DaemonSet string // NAMESPACE/NAME
	Settings  map[string]string
	// Drops are lines in which agents speak of dropped packets, by pod.
	Drops map[string][]string
	// Dropped are packets that agents counted as dropped while nothing was
	// measured, by reason.
	Dropped       map[string]float64
	DroppedAbsent string // why it is not known
	// Tables are shares that are full, 1 is all of it: those that agents tell
	// of, and maps of connections that were counted on nodes, by "MAP on NODE".
	Tables       map[string]float64
	TablesAbsent string            // why agents tell of none
	TablesUnread map[string]string // by node or "MAP on NODE", why it was not counted
}

// Pod is a pod of the cluster, its plugin or somebody else.
type Pod struct {
	Namespace, Name, Node string
	Agent                 bool // of the plugin
	System                bool // of the cluster: kube-system
	Foreign               bool // of others, on a node that carries load
	Ready                 bool
	State                 string // why it is not ready
	Restarts              int
	LastRestart           time.Time // zero: unknown
	LastReason            string    // why its container ended: "OOMKilled"
	CPULimit              string    // of any container; empty: none
}

// At names a pod with its node.
func (p Pod) At() string {
	if p.Node == "" {
		return p.Namespace + "/" + p.Name
	}
	return p.Namespace + "/" + p.Name + " on " + p.Node
}

// Policy is a policy that isolates the load pods.
type Policy struct {
	Kind, Namespace, Name string
	Ingress, Egress       bool // directions that it isolates
	Rules                 int  // that allow something
}

// Service is a Service with a selector.
type Service struct {
	Namespace, Name string
	Ready           int // endpoints
	NotReady        int
}

// Path is what passes from the client to the server and back with the
// don't-fragment bit.
type Path struct {
	From, To  string // node or pod, with its node
	Reached   bool   // anything
	Why       string // nothing was reached
	Bytes     int    // largest IP packet that came back
	Route     int    // what the client's kernel sends at most
	Interface string
	LinkMTU   int // of the nodes' link on the client's side
}

// Attempt is something that was tried.
type Attempt struct {
	What string // was tried
	Done bool
	Why  string // it failed
	Fix  string // where whoever tried it knows one
}

// DNS is the cluster's.
type DNS struct {
	Address string
	Absent  string // why there is none
	Answers bool
	Why     string // it does not
}

// Idle is how much CPU was used while nothing was measured, in cores.
type Idle struct {
	Window time.Duration
	Cores  int
	Busy   float64 // all modes but idle and iowait, the sampling's own use taken off
	Steal  float64
	Agents *float64 // the plugin's pods'; nil: unknown
	Step   time.Duration
}

// Burst is what the host network carried, second by second, after a rest.
type Burst struct {
	From, To string
	Rest     time.Duration
	Interval time.Duration
	Rates    []float64 // bit/s
}

// Profile is what is to be measured.
type Profile struct {
	Given                   bool // by a campaign
	Services, DNS, Policies bool
}
