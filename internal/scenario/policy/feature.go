package policy

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Ports that server and witness serve for the matrix. NamedPort is the name
// that the witness's pod gives to its FirstPort.
const (
	FirstPort  = 7011 // also of UDP and SCTP
	SecondPort = 7012
	ThirdPort  = 7013
	LastPort   = 7014
	NamedPort  = "named"
)

// Feature is something that a plugin may enforce of NetworkPolicies. It does
// if every step shows what is wanted.
type Feature struct {
	Name  string
	Needs Need
	Steps []Step
}

// Need is what must be there for a feature to be tried.
type Need string

// Needs.
const (
	Nothing Need = ""
	SCTP    Need = "sctp"    // in the nodes' kernel
	Outside Need = "outside" // an address that is no pod's
	L7      Need = "l7"      // policies on HTTP requests
)

// Step is policies that are in effect together, and what is then reached.
type Step struct {
	Policies []*networkingv1.NetworkPolicy
	HTTP     []*unstructured.Unstructured // policies on HTTP requests
	Want     []Expectation
}

// Expectation is whether a pod reaches a target.
type Expectation struct {
	From    string // FromClient or FromWitness
	Target  string // one of the Target constants
	Reached bool
}

// Pods that try to reach targets.
const (
	FromClient  = "client"
	FromWitness = "witness"
)

// Targets of the matrix. The witness tries the first only.
const (
	ServerFirst   = "server-tcp-first"
	ServerSecond  = "server-tcp-second"
	ServerThird   = "server-tcp-third"
	ServerLast    = "server-tcp-last"
	ServerUDP     = "server-udp-first"
	ServerSCTP    = "server-sctp-first"
	WitnessFirst  = "witness-tcp-first"
	WitnessSecond = "witness-tcp-second"
	OutsideTarget = "outside"
	AllowedHTTP   = "server-http-allowed"
	DeniedHTTP    = "server-http-denied"
)

// Addresses are what rules on addresses need.
type Addresses struct {
	Client  string
	Outside string // empty: there is none
}

// Features lists what the matrix asks of a plugin.
func (s Subject) Features(a Addresses) ([]Feature, error) {
	client, err := hostNet(a.Client)
	if err != nil {
		return nil, err
	}
	all, err := everywhere(a.Client)
	if err != nil {
		return nil, err
	}
	features := s.peerFeatures()
	features = append(features, s.portFeatures()...)
	features = append(features,
		// The API leaves it open whether pods' addresses match: plugins that
		// know pods by identity do not look at them.
		one("ingress-cidr-of-pods", Nothing, s.ingress("m", s.Server, from(blockPeer(client))),
			reached(ServerFirst), strangers(false)),
		one("ingress-cidr-except-pods", Nothing, s.ingress("m", s.Server, from(blockPeer(all, client))),
			denied(ServerFirst), strangers(true)),
	)
	features = append(features, Feature{Name: "http-paths", Needs: L7, Steps: []Step{{
		HTTP: []*unstructured.Unstructured{s.HTTP("m", HTTPPort, AllowedPath)},
		Want: []Expectation{reached(AllowedHTTP), denied(DeniedHTTP), denied(ServerFirst)},
	}}})
	outside, err := s.outsideFeatures(a)
	return append(features, outside...), err
}

// peerFeatures are about who may connect.
func (s Subject) peerFeatures() []Feature {
	both := podPeer(s.Client)
	both[0].NamespaceSelector = namespacePeer(namespaceName, s.Namespace)[0].NamespaceSelector
	return []Feature{
		one("ingress-deny", Nothing, s.ingress("m", s.Server), denied(ServerFirst), denied(ServerUDP), strangers(false)),
		one("ingress-allow-pods", Nothing, s.ingress("m", s.Server, from(podPeer(s.Client))), reached(ServerFirst), strangers(false)),
		{Name: "ingress-allow-namespaces", Steps: []Step{
			step(s.ingress("m", s.Server, from(namespacePeer(namespaceName, s.Namespace))), reached(ServerFirst), strangers(true)),
			step(s.ingress("m", s.Server, from(namespacePeer(namespaceName, nobody))), denied(ServerFirst), strangers(false)),
		}},
		one("ingress-allow-pods-of-namespaces", Nothing, s.ingress("m", s.Server, from(both)), reached(ServerFirst), strangers(false)),
		one("egress-deny", Nothing, s.egress("m", []string{s.Client}), denied(ServerFirst), denied(ServerUDP), denied(WitnessFirst), strangers(true)),
		one("egress-allow-pods", Nothing, s.egress("m", []string{s.Client}, to(podPeer(s.Server))), reached(ServerFirst), denied(WitnessFirst)),
		{Name: "policies-add-up", Steps: []Step{{
			Policies: []*networkingv1.NetworkPolicy{s.ingress("m1", s.Server), s.ingress("m2", s.Server, from(podPeer(s.Client)))},
			Want:     []Expectation{reached(ServerFirst), strangers(false)},
		}}},
	}
}

// portFeatures are about which ports and protocols.
func (s Subject) portFeatures() []Feature {
	named := portOf(corev1.ProtocolTCP, intstr.FromString(NamedPort))
	return []Feature{
		one("port", Nothing, s.ingress("m", s.Server, from(nil, tcp(FirstPort))), reached(ServerFirst), denied(ServerSecond)),
		one("egress-port", Nothing, s.egress("m", []string{s.Client}, to(nil, tcp(FirstPort))), reached(ServerFirst), denied(ServerSecond)),
		one("port-range", Nothing, s.ingress("m", s.Server, from(nil, tcpRange(FirstPort, ThirdPort))),
			reached(ServerFirst), reached(ServerSecond), reached(ServerThird), denied(ServerLast)),
		one("named-port", Nothing, s.ingress("m", s.Witness, from(nil, named)), reached(WitnessFirst), denied(WitnessSecond)),
		one("protocol-udp", Nothing, s.ingress("m", s.Server, from(nil, portOf(corev1.ProtocolUDP, intstr.FromInt(FirstPort)))),
			reached(ServerUDP), denied(ServerFirst)),
		one("protocol-sctp", SCTP, s.ingress("m", s.Server, from(nil, portOf(corev1.ProtocolSCTP, intstr.FromInt(FirstPort)))),
			reached(ServerSCTP), denied(ServerFirst)),
	}
}

// outsideFeatures are about addresses that are no pods'.
func (s Subject) outsideFeatures(a Addresses) ([]Feature, error) {
	clients := []string{s.Client}
	if a.Outside == "" {
		return []Feature{{Name: "egress-cidr", Needs: Outside}, {Name: "egress-cidr-except", Needs: Outside}}, nil
	}
	outside, err := hostNet(a.Outside)
	if err != nil {
		return nil, err
	}
	all, err := everywhere(a.Outside)
	if err != nil {
		return nil, err
	}
	return []Feature{
		{Name: "egress-cidr", Needs: Outside, Steps: []Step{
			step(s.egress("m", clients, to(blockPeer(outside))), reached(OutsideTarget), denied(ServerFirst)),
			step(s.egress("m", clients, to(blockPeer(unusedNet))), denied(OutsideTarget), denied(ServerFirst)),
		}},
		{Name: "egress-cidr-except", Needs: Outside, Steps: []Step{
			step(s.egress("m", clients, to(blockPeer(all))), reached(OutsideTarget)),
			step(s.egress("m", clients, to(blockPeer(all, outside))), denied(OutsideTarget)),
		}},
	}, nil
}

func one(name string, needs Need, p *networkingv1.NetworkPolicy, want ...Expectation) Feature {
	return Feature{Name: name, Needs: needs, Steps: []Step{step(p, want...)}}
}

func step(p *networkingv1.NetworkPolicy, want ...Expectation) Step {
	return Step{Policies: []*networkingv1.NetworkPolicy{p}, Want: want}
}

func reached(target string) Expectation { return Expectation{FromClient, target, true} }

func denied(target string) Expectation { return Expectation{FromClient, target, false} }

// strangers is whether the witness reaches the server.
func strangers(reached bool) Expectation { return Expectation{FromWitness, ServerFirst, reached} }
