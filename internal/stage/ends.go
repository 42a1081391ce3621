package stage

import (
	"crypto/sha256"
	"fmt"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Whose network an end of a load uses: that of a pod of its own, or its node's;
// a client also that of a host outside the cluster.
const (
	InPod    = "pod"
	OnHost   = "host"
	External = "external"
)

// Parameters of what places load pods: their ends, and the path from one to the
// other. A scenario changes defaults by With.
var (
	Placement = parameter.Parameter{
		Name: parameter.Placement, Kind: parameter.Choice, Default: []string{CrossNode}, Choices: []string{CrossNode, SameNode},
		Help: "where the two ends run",
	}
	ClientEnd = parameter.Parameter{
		Name: "client", Kind: parameter.Choice, Default: []string{InPod}, Choices: []string{InPod, OnHost},
		Help: "whether the client runs in a pod's network or in its node's",
	}
	// AnyClient is ClientEnd of scenarios whose client need not be a pod.
	AnyClient = parameter.Parameter{
		Name: "client", Kind: parameter.Choice, Default: []string{InPod}, Choices: []string{InPod, OnHost, External},
		Help: "whether the client runs in a pod's network, in its node's, or on a host outside the cluster; the placement of that one says whether its traffic enters at the server's node",
	}
	ServerEnd = parameter.Parameter{
		Name: "server", Kind: parameter.Choice, Default: []string{InPod}, Choices: []string{InPod, OnHost},
		Help: "whether the server runs in a pod's network or in its node's",
	}
	Path = parameter.Parameter{
		Name: "path", Kind: parameter.Choice, Default: []string{PodIP},
		Choices: []string{PodIP, ClusterIP, ServiceName, NodePort, LoadBalancer, Headless},
		Help:    "by which address the client reaches the server",
	}
)

// Ends asks a stage for the two ends of a load.
type Ends struct {
	// Client and Server are InPod or OnHost, which is InPod where it is empty;
	// Client may be External.
	Client, Server string
	Placement      string // CrossNode or SameNode
	Family         string // IPv4 or IPv6; else the cluster's first
	// Image is what both pods run; empty means the tools image.
	Image string
	// BesideClient and BesideServer run next to the load at either end.
	BesideClient, BesideServer Beside
}

// beside tells whether something runs next to the load.
func (e Ends) beside() bool { return e.BesideClient.Image != "" || e.BesideServer.Image != "" }

// EndsOf reads the ends from a scenario's parameters. What it does not declare
// is as in most: two pods on different nodes.
func EndsOf(v parameter.Values) Ends {
	e := Ends{Client: InPod, Server: InPod, Placement: CrossNode}
	for _, field := range []struct {
		name  string
		value *string
	}{{ClientEnd.Name, &e.Client}, {ServerEnd.Name, &e.Server}, {Placement.Name, &e.Placement}, {IPFamily.Name, &e.Family}} {
		if v.Has(field.name) {
			*field.value = v.Text(field.name)
		}
	}
	return e
}

// resolve fills in what is left open. Where all load uses the nodes' network,
// as the host baseline's does, so do both ends.
func (e Ends) resolve(hostNetwork bool) Ends {
	if !chosen(e.Family) {
		e.Family = ""
	}
	for _, end := range []*string{&e.Client, &e.Server} {
		switch {
		case *end == External:
		case hostNetwork:
			*end = OnHost
		case *end == "":
			*end = InPod
		}
	}
	return e
}

// podNames are those of the client's and the server's pod. A client serves
// both placements.
func (e Ends) podNames() (client, server string) {
	suffix := ""
	if e.Image != "" || e.beside() {
		what := e.Image
		if e.beside() {
			what = fmt.Sprint(e.Image, e.BesideClient, e.BesideServer)
		}
		suffix = fmt.Sprintf("-%x", sha256.Sum256([]byte(what)))[:9]
	}
	return "client-" + e.Client + suffix, "server-" + e.Server + "-" + e.Placement + suffix
}

// LoadEnd is where one end of a load runs.
type LoadEnd struct {
	Name  string // of the pod or machine, for errors
	Words string // the end in words, for facts
	Run   Runner // nil where the load is not ours to start
}

// ClientEnd is where a pair's client runs.
func (b *Bench) ClientEnd(p Pair) LoadEnd { return clientEnd(b.Cluster, p) }

func clientEnd(c *cluster.Cluster, p Pair) LoadEnd {
	if p.Outside() {
		end, _ := OutsideEnd(c) // without one there is no pair
		return end
	}
	return PodEnd(c, p.Client)
}

// ServerEnd is where a pair's server runs.
func (b *Bench) ServerEnd(p Pair) LoadEnd { return PodEnd(b.Cluster, p.Server) }

// PodEnd is the end in a load pod.
func PodEnd(c *cluster.Cluster, pod cluster.Pod) LoadEnd {
	return LoadEnd{pod.Name, EndWords(pod), ProbeInPod(c, pod)}
}

// EndWords describes a pod as an end of a load.
func EndWords(p cluster.Pod) string {
	kind := "pod"
	if p.HostNetwork {
		kind = "host-network pod"
	}
	return fmt.Sprintf("%s %s on %s", kind, p.IP, p.Node)
}
