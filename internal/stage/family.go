package stage

import (
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Families of addresses, the choices of IPFamily.
const (
	FirstFamily = "first" // whichever the cluster gives first
	IPv4        = "ipv4"
	IPv6        = "ipv6"
)

// IPFamily chooses by which of its addresses a server is reached.
var IPFamily = parameter.Parameter{
	Name: "ip-family", Kind: parameter.Choice, Default: []string{FirstFamily}, Choices: []string{FirstFamily, IPv4, IPv6},
	Help: "of the server's addresses, Services included: the cluster's first family, or one that a dual-stack cluster has",
}

// chosen tells whether a family is asked for by name.
func chosen(family string) bool { return family == IPv4 || family == IPv6 }

// inFamily returns the pair with its addresses of the family that its ends ask
// for. Pods without one are an [*UnsupportedError].
func (p Pair) inFamily() (Pair, error) {
	if !chosen(p.Ends.Family) {
		return p, nil
	}
	for _, end := range []*cluster.Pod{&p.Client, &p.Server} {
		ip, err := ofFamily(p.Ends.Family, end.IP, end.SecondIP)
		if err != nil {
			return Pair{}, &UnsupportedError{fmt.Sprintf("pod %s has %s, but %s", end.Name, NoFamily(p.Ends.Family), end.IP)}
		}
		end.IP = ip
	}
	return p, nil
}

// NoFamily is what pods have in a cluster without the family that is asked for.
func NoFamily(family string) string { return "no address of the family " + family }

// ofFamily finds the address of a family.
func ofFamily(family string, addresses ...string) (string, error) {
	for _, text := range addresses {
		if ip, err := netip.ParseAddr(text); err == nil && ip.Unmap().Is6() == (family == IPv6) {
			return text, nil
		}
	}
	return "", errors.New("there is " + NoFamily(family))
}

// nodeAddress is the address of a node in the pair's family.
func (p Pair) nodeAddress(n cluster.Node) string {
	if !chosen(p.Ends.Family) {
		return n.Address
	}
	address, _ := ofFamily(p.Ends.Family, n.Address, n.SecondAddress) // empty: it has none
	return address
}

// familyOf makes a Service one of a family alone.
func familyOf(svc *corev1.Service, family string) *corev1.Service {
	if !chosen(family) {
		return svc
	}
	single := corev1.IPFamilyPolicySingleStack
	svc.Name += "-" + family
	svc.Spec.IPFamilyPolicy = &single
	svc.Spec.IPFamilies = []corev1.IPFamily{map[string]corev1.IPFamily{IPv4: corev1.IPv4Protocol, IPv6: corev1.IPv6Protocol}[family]}
	return svc
}
