package policy

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Subject is who policies are about: pods by the value of their label app, in
// one namespace, which also holds the policies.
type Subject struct {
	Namespace string
	Labels    map[string]string // of every policy
	Server    string            // app of the pod that is reached
	Client    string            // app of the pod that may reach it
	Witness   string            // app of a pod that is neither
}

// app is the label by which policies select pods, as Services do.
const app = "app"

// namespaceName is a label that the API gives to every namespace.
const namespaceName = "kubernetes.io/metadata.name"

// nobody is a value that no pod's and no namespace's label has.
const nobody = "cnibench-nobody"

func (s Subject) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: s.Namespace, Labels: maps.Clone(s.Labels)}
}

// ingress is a policy on what reaches the pods of an app; without rules,
// nothing does.
func (s Subject) ingress(name, selected string, rules ...networkingv1.NetworkPolicyIngressRule) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: s.meta(name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: pods(selected), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}, Ingress: rules,
	}}
}

// egress is a policy on what the pods of some apps reach; without rules,
// nothing.
func (s Subject) egress(name string, selected []string, rules ...networkingv1.NetworkPolicyEgressRule) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: s.meta(name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: pods(selected...), PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}, Egress: rules,
	}}
}

// from is a rule that lets peers reach ports; without ports, all.
func from(peers []networkingv1.NetworkPolicyPeer, ports ...networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicyIngressRule {
	return networkingv1.NetworkPolicyIngressRule{From: peers, Ports: ports}
}

// to is a rule that lets pods reach ports of peers; without ports, all.
func to(peers []networkingv1.NetworkPolicyPeer, ports ...networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{To: peers, Ports: ports}
}

// pods selects those of the given apps.
func pods(apps ...string) metav1.LabelSelector {
	if len(apps) == 1 {
		return metav1.LabelSelector{MatchLabels: map[string]string{app: apps[0]}}
	}
	return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: app, Operator: metav1.LabelSelectorOpIn, Values: slices.Clone(apps)},
	}}
}

// podPeer are the pods of an app in the policy's namespace.
func podPeer(name string) []networkingv1.NetworkPolicyPeer {
	selector := pods(name)
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &selector}}
}

// namespacePeer are all pods of the namespaces with a label.
func namespacePeer(key, value string) []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}}
}

// blockPeer are the addresses of a CIDR, less those of others.
func blockPeer(cidr string, except ...string) []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: except}}}
}

// tcp is one TCP port.
func tcp(port int) networkingv1.NetworkPolicyPort {
	return portOf(corev1.ProtocolTCP, intstr.FromInt(port))
}

func portOf(protocol corev1.Protocol, port intstr.IntOrString) networkingv1.NetworkPolicyPort {
	return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &port}
}

// tcpRange are the TCP ports from first to last.
func tcpRange(first, last int) networkingv1.NetworkPolicyPort {
	port, end := tcp(first), int32(last)
	port.EndPort = &end
	return port
}
