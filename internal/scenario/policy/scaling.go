package policy

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
)

// Shapes of the policies whose number is scaled.
const (
	// Matching policies select the server, and each lets another pod, the
	// witness, reach one port of its own. None lets the client through. Each
	// is a rule that the datapath has to hold, and each can be seen to act.
	Matching = "matching"
	// Idle policies select pods that do not exist.
	Idle = "idle"
	// Seed001 is the shape of a published guide's scaling test: policies that
	// select the server and let namespaces labelled policy-test: "i" reach TCP
	// port 5201. No namespace has the label.
	Seed001 = "seed-001"
)

const (
	// FirstMatchingPort is the port of the first matching policy; the others
	// follow. They lie below Linux's ephemeral ports, which begin at 32768.
	FirstMatchingPort = 20000
	// MostMatching is how many matching policies there are ports for.
	MostMatching = 12000
	// seedPort is the port of the guide's policies.
	seedPort = 5201
)

// Scaling makes n policies of a shape beside the one that lets the client in.
func (s Subject) Scaling(shape string, n int) ([]*networkingv1.NetworkPolicy, error) {
	if shape == Matching && n > MostMatching {
		return nil, fmt.Errorf("%d matching policies need as many ports, and there are %d", n, MostMatching)
	}
	var all []*networkingv1.NetworkPolicy
	for i := range n {
		name := fmt.Sprintf("%s-%d", shape, i+1)
		switch shape {
		case Matching:
			all = append(all, s.ingress(name, s.Server, from(podPeer(s.Witness), tcp(FirstMatchingPort+i))))
		case Idle:
			all = append(all, s.ingress(name, fmt.Sprintf("%s-%d", nobody, i+1), from(podPeer(s.Witness), tcp(seedPort))))
		case Seed001:
			peer := namespacePeer("policy-test", fmt.Sprint(i+1))
			all = append(all, s.ingress(name, s.Server, from(peer, tcp(seedPort))))
		default:
			return nil, fmt.Errorf("there are no policies of the shape %q", shape)
		}
	}
	return all, nil
}

// AllowClient lets the client reach some TCP ports of the server, and with
// that nobody anything else. Ports are listed one by one: not every plugin
// knows ranges.
func (s Subject) AllowClient(ports ...int) *networkingv1.NetworkPolicy {
	rule := from(podPeer(s.Client))
	for _, port := range ports {
		rule.Ports = append(rule.Ports, tcp(port))
	}
	return s.ingress("allow-client", s.Server, rule)
}
