package stage

import (
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// Room is what a node has left for more pods.
type Room struct {
	Node string
	// MaxPods is the kubelet's limit, and Pods what counts against it.
	MaxPods, Pods int
	// PodCIDR is the part of the pod network that the node's pods have their
	// addresses from; not valid where that is not known, as with plugins that
	// give addresses in their own way.
	PodCIDR netip.Prefix
	// Taken are the addresses of it that pods have.
	Taken int
}

// Room looks at a node.
func (s *Stage) Room(ctx context.Context, node string) (Room, error) {
	n, err := s.cluster.Kube().CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return Room{}, fmt.Errorf("looking at node %s: %w", node, err)
	}
	on := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()}
	pods, err := s.cluster.Kube().CoreV1().Pods(metav1.NamespaceAll).List(ctx, on)
	if err != nil {
		return Room{}, fmt.Errorf("listing the pods of %s: %w", node, err)
	}
	return roomOf(*n, pods.Items), nil
}

// roomOf counts what is there. The node's pod CIDR binds if the addresses of
// its pods are from it.
func roomOf(n corev1.Node, pods []corev1.Pod) Room {
	r := Room{Node: n.Name, MaxPods: int(n.Status.Allocatable.Pods().Value())}
	cidr := podCIDR4(n)
	inside, outside := 0, 0
	for _, p := range pods {
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue // the kubelet does not count it either
		}
		r.Pods++
		address, err := netip.ParseAddr(p.Status.PodIP)
		switch {
		case p.Spec.HostNetwork || err != nil:
		case cidr.Contains(address):
			inside++
		default:
			outside++
		}
	}
	if inside > 0 && outside == 0 {
		r.PodCIDR, r.Taken = cidr, inside
	}
	return r
}

// podCIDR4 is the node's part of the pod network over IPv4.
func podCIDR4(n corev1.Node) netip.Prefix {
	for _, text := range append(n.Spec.PodCIDRs, n.Spec.PodCIDR) {
		if cidr, err := netip.ParsePrefix(text); err == nil && cidr.Addr().Is4() {
			return cidr
		}
	}
	return netip.Prefix{}
}

// unusable are the addresses of a pod CIDR that no pod gets: the network's, the
// broadcast address, and the node's own.
const unusable = 3

// addresses is how many pods the pod CIDR has addresses for.
func (r Room) addresses() int { return 1<<(r.PodCIDR.Addr().BitLen()-r.PodCIDR.Bits()) - unusable }

// Lacks says which limit keeps more pods from the node; empty for none. Pods
// of the host's network need no address.
func (r Room) Lacks(more int, hostNetwork bool) string {
	if free := max(r.MaxPods-r.Pods, 0); free < more {
		return fmt.Sprintf("maxPods=%d: %d pods are free on %s, and %d are needed; the kubelet's limit would have to be %d (in a lab: maxPods)",
			r.MaxPods, free, r.Node, more, r.Pods+more)
	}
	if !r.PodCIDR.IsValid() || hostNetwork {
		return ""
	}
	if free := max(r.addresses()-r.Taken, 0); free < more {
		return fmt.Sprintf("podCIDR /%d: %d addresses of %s are free on %s, and %d are needed",
			r.PodCIDR.Bits(), free, r.PodCIDR, r.Node, more)
	}
	return ""
}

// BeyondMaxPods says that a kubelet with this limit has no room for more pods
// however empty its node is; empty: it may have.
func BeyondMaxPods(maxPods, more int) string {
	if more <= maxPods {
		return ""
	}
	return fmt.Sprintf("maxPods=%d: %d pods are needed on a node, besides those that are there; the kubelet's limit would have to be above %d (in a lab: maxPods)",
		maxPods, more, more)
}

func (r Room) String() string {
	text := fmt.Sprintf("%d of %d pods", r.Pods, r.MaxPods)
	if r.PodCIDR.IsValid() {
		text += fmt.Sprintf(", %d of %d addresses of %s", r.Taken, r.addresses(), r.PodCIDR)
	}
	return text + " on " + r.Node + " before"
}
