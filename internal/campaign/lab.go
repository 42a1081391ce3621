package campaign

import (
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
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
		d.nodes(v, &into.Nodes)
	}
	if v := fields["mtu"]; v != nil {
		d.mtus(v, &into.MTUs)
	}
	if v := fields["kubeProxy"]; v != nil {
		d.kubeProxy(v, &into.KubeProxy)
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

// nodes reads how many nodes a lab has.
func (d *decoder) nodes(n *yaml.Node, into *int) {
	if n.Value == "1" {
		d.Report(n, "1 node is too few: two nodes are needed, between which a variant is proven before anything is measured",
			"write nodes: 2 or more, also for placement: same-node")
		return
	}
	d.Integer(n, "nodes", 2, maxNodes, into)
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
