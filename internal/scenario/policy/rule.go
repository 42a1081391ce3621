package policy

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
)

// The sides of a connection that a policy can select.
const (
	Ingress = "ingress" // the server is selected
	Egress  = "egress"  // the client is selected
)

// Rules are the shapes of a policy's only rule.
var Rules = []string{PodSelector, NamespaceSelector, CIDR, Port, PortRange}

// The shapes of a rule.
const (
	PodSelector       = "pod-selector"
	NamespaceSelector = "namespace-selector"
	CIDR              = "cidr"
	Port              = "port"
	PortRange         = "port-range"
)

// Rule describes a policy with one rule, between a client and a server.
type Rule struct {
	Shape string
	Side  string // Ingress or Egress
	// Allow makes a rule that matches the connection; otherwise the rule has
	// the same shape and does not, so that the policy denies.
	Allow bool
	// Port is the server's TCP port.
	Port int
	// PeerIP is the address of the other end: of the client for ingress, of
	// the server for egress. Only CIDR needs it.
	PeerIP string
	// Clients are the apps of the pods that are clients, if not the subject's.
	Clients []string
}

// unusedNet is a network for documentation (RFC 5737), where no pod is.
const unusedNet = "192.0.2.0/24"

// Policy makes the policy of a rule.
func (s Subject) Policy(name string, r Rule) (*networkingv1.NetworkPolicy, error) {
	clients := r.Clients
	if len(clients) == 0 {
		clients = []string{s.Client}
	}
	peers, ports, err := s.match(r, clients)
	if err != nil {
		return nil, err
	}
	switch r.Side {
	case Ingress:
		return s.ingress(name, s.Server, from(peers, ports...)), nil
	case Egress:
		return s.egress(name, clients, to(peers, ports...)), nil
	}
	return nil, fmt.Errorf("a policy selects no side %q", r.Side)
}

// Isolate denies everything on one side: with it, nothing gets through unless
// another policy allows it.
func (s Subject) Isolate(name, side string, clients ...string) *networkingv1.NetworkPolicy {
	if len(clients) == 0 {
		clients = []string{s.Client}
	}
	if side == Egress {
		return s.egress(name, clients)
	}
	return s.ingress(name, s.Server)
}

// match returns what a rule matches: peers, ports or both.
func (s Subject) match(r Rule, clients []string) ([]networkingv1.NetworkPolicyPeer, []networkingv1.NetworkPolicyPort, error) {
	either := func(matching, other string) string {
		if r.Allow {
			return matching
		}
		return other
	}
	switch r.Shape {
	case PodSelector:
		peers := slices.Clone(clients)
		if r.Side == Egress {
			peers = []string{s.Server}
		}
		if !r.Allow {
			peers = []string{nobody}
		}
		selector := pods(peers...)
		return []networkingv1.NetworkPolicyPeer{{PodSelector: &selector}}, nil, nil
	case NamespaceSelector:
		return namespacePeer(namespaceName, either(s.Namespace, nobody)), nil, nil
	case CIDR:
		address, err := hostNet(r.PeerIP)
		if err != nil {
			return nil, nil, err
		}
		return blockPeer(either(address, unusedNet)), nil, nil
	case Port:
		if !r.Allow {
			return nil, []networkingv1.NetworkPolicyPort{tcp(r.Port + 1)}, nil
		}
		return nil, []networkingv1.NetworkPolicyPort{tcp(r.Port)}, nil
	case PortRange:
		if !r.Allow {
			return nil, []networkingv1.NetworkPolicyPort{tcpRange(r.Port+1, r.Port+10)}, nil
		}
		return nil, []networkingv1.NetworkPolicyPort{tcpRange(r.Port-5, r.Port+5)}, nil
	}
	return nil, nil, fmt.Errorf("there is no rule of the shape %q", r.Shape)
}
