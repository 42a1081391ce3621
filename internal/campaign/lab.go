package campaign

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Limits of a lab. 1280 is the least MTU of a link that carries IPv6 (RFC
// 8200, section 5) and 65535 the largest of a veth device. A node's pods share
// a /22, of which the cluster's /16 holds 64.
const (
	maxNodes            = 60
	minMTU, maxMTU      = 1280, 65535
	minMaxPods, maxPods = 10, 600
)

// defaultLab has the MTU of Ethernet, Kubernetes' default proxy mode and the
// kubelet's default maxPods.
func defaultLab() Lab {
	return Lab{Nodes: 3, MTUs: []int{1500}, KubeProxy: "iptables", MaxPods: 110}
}

// labKeys are the keys of spec.cluster.lab.
var labKeys = document.Keys{Valid: []string{"nodes", "mtu", "kubeProxy", "maxPods", "ipFamily", "peer"}}

func (d *decoder) lab(n *yaml.Node, into *Lab) {
	fields, ok := d.Object(n, "lab", labKeys)
	if !ok {
		return
	}
	if v := fields["nodes"]; v != nil {
		d.Integer(v, "nodes", 1, maxNodes, &into.Nodes)
	}
	if v := fields["mtu"]; v != nil {
		d.mtus(v, &into.MTUs)
	}
	if v := fields["kubeProxy"]; v != nil {
		d.Choice(v, "kubeProxy", kubeProxyModes, &into.KubeProxy)
	}
	if v := fields["maxPods"]; v != nil {
		d.Integer(v, "maxPods", minMaxPods, maxPods, &into.MaxPods)
	}
	if v := fields["ipFamily"]; v != nil {
		d.Choice(v, "ipFamily", []string{"ipv4", "ipv6", "dual"}, &into.IPFamily)
	}
	if v := fields["peer"]; v != nil {
		d.Boolean(v, "peer", &into.Peer)
		if into.Peer && into.IPFamily != "" && into.IPFamily != "ipv4" {
			d.Report(v, "labs with IPv6 cannot be joined", "remove peer, or ipFamily")
		}
	}
}

// mtus reads one MTU or a list of them.
func (d *decoder) mtus(n *yaml.Node, into *[]int) {
	mtus := oneOrMore(d, n, "mtu", func(n *yaml.Node, mtu *int) bool {
		*mtu = defaultLab().MTUs[0] // the example of a hint
		return d.Integer(n, "mtu", minMTU, maxMTU, mtu)
	})
	if len(mtus) > 0 {
		*into = mtus
	}
}

// nodesForPlacement reports a lab with one node where a scenario needs two.
func (d *decoder) nodesForPlacement(cluster *yaml.Node, s Spec) {
	if s.Cluster.Lab == nil || s.Cluster.Lab.Nodes >= 2 {
		return
	}
	for _, scenario := range s.Scenarios {
		if !slices.Contains(scenario.values(parameter.Placement), parameter.CrossNode) {
			continue
		}
		d.Report(child(child(cluster, "lab"), "nodes"),
			fmt.Sprintf("1 node is too few: %s runs cross-node, which takes 2", scenario.Name),
			"write nodes: 2 or more, or placement: same-node in every scenario")
		return
	}
}

// child returns the value of a key that is known to be there.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if document.Resolve(n.Content[i]).Value == key {
			return document.Resolve(n.Content[i+1])
		}
	}
	return n
}
