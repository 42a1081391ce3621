package cluster

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// NodeRule says which nodes carry load. Without names, the first two that
// match the selector, by name.
type NodeRule struct {
	Server, Client string // names
	Selector       string // of labels
	ControlPlane   bool   // nodes of the control plane may be chosen too
	All            bool   // all that may be chosen, not two
}

// controlPlaneLabels mark nodes that run the control plane. The second is what
// kubeadm wrote before Kubernetes 1.20.
var controlPlaneLabels = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// choose returns the names of the nodes that carry load: the client's first,
// then the server's, or one if there is no second; then, if all are wanted, the
// others by name. Where a plugin is to be
// installed, nodes that lack nothing but a plugin count as ready.
func (r NodeRule) choose(nodes []corev1.Node, withoutPlugin bool) ([]string, error) {
	selector, err := labels.Parse(r.Selector)
	if err != nil {
		return nil, fmt.Errorf("choosing nodes: selector %q: %w", r.Selector, err)
	}
	nodes = slices.SortedFunc(slices.Values(nodes), func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	var candidates, refused []string
	for _, n := range nodes {
		switch why := unfit(n, withoutPlugin); {
		case why != "":
			refused = append(refused, n.Name+" "+why)
		case !r.ControlPlane && isControlPlane(n) && n.Name != r.Client && n.Name != r.Server:
			refused = append(refused, n.Name+" is of the control plane")
		case !selector.Matches(labels.Set(n.Labels)):
			refused = append(refused, n.Name+" does not match "+r.Selector)
		default:
			candidates = append(candidates, n.Name)
		}
	}
	return r.pick(nodes, candidates, refused)
}

// pick takes the named nodes and fills up from the candidates.
func (r NodeRule) pick(nodes []corev1.Node, candidates, refused []string) ([]string, error) {
	if r.Client != "" && r.Client == r.Server {
		return nil, fmt.Errorf("choosing nodes: client and server are both %s: name two nodes, or one", r.Client)
	}
	ends := []string{r.Client, r.Server}
	for _, name := range ends {
		if name == "" {
			continue
		}
		i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("choosing nodes: the cluster has no node %s, it has %s", name, strings.Join(nodeNames(nodes), ", "))
		case !r.ControlPlane && isControlPlane(nodes[i]):
			return nil, fmt.Errorf("choosing nodes: %s is of the control plane; say controlPlane: true to measure there", name)
		case !slices.Contains(candidates, name):
			return nil, fmt.Errorf("choosing nodes: %s cannot be used: %s", name, strings.Join(refused, ", "))
		}
	}
	for i := range ends {
		for _, name := range candidates {
			if ends[i] == "" && !slices.Contains(ends, name) {
				ends[i] = name
			}
		}
	}
	ends = slices.DeleteFunc(ends, func(name string) bool { return name == "" })
	for _, name := range candidates {
		if r.All && !slices.Contains(ends, name) {
			ends = append(ends, name)
		}
	}
	if len(ends) == 0 {
		return nil, fmt.Errorf("choosing nodes: none can be used: %s", strings.Join(refused, ", "))
	}
	return ends, nil
}

// unfit says why a node cannot run pods, or nothing.
func unfit(n corev1.Node, withoutPlugin bool) string {
	message, ready := nodeReady(n)
	switch {
	case n.Spec.Unschedulable:
		return "is cordoned"
	case ready, withoutPlugin && lacksPlugin(message):
		return ""
	}
	return "is not ready: " + message
}

// lacksPlugin recognises what kubelets of all runtimes say of a node that
// waits for a network plugin.
func lacksPlugin(message string) bool {
	m := strings.ToLower(message)
	return strings.Contains(m, "networkpluginnotready") || strings.Contains(m, "cni plugin not initialized") || strings.Contains(m, "cni config uninitialized")
}

func isControlPlane(n corev1.Node) bool {
	for _, l := range controlPlaneLabels {
		if _, ok := n.Labels[l]; ok {
			return true
		}
	}
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return slices.Contains(controlPlaneLabels, t.Key) })
}

func nodeNames(nodes []corev1.Node) []string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}
