package campaign

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// kubeProxyModes are the ways in which a lab carries Services.
var kubeProxyModes = []string{"iptables", "nftables", "none"}

// ownKubeProxy reads the mode in which kube-proxy runs in the labs of one
// variant, whichever it has in the others. Other clusters have theirs, and next
// to a plugin that carries Services there is none.
func (d *decoder) ownKubeProxy(n *yaml.Node, lab bool, a *arm) {
	switch {
	case !lab:
		d.Report(n, "kubeProxy of a variant can be chosen in labs only: other clusters have a kube-proxy or have none", "remove kubeProxy")
	case a.info.CarriesServices:
		d.Report(n, a.Entry+" carries Services itself, and its labs have no kube-proxy", "remove kubeProxy")
	default:
		d.kubeProxy(n, &a.KubeProxy)
	}
}

// kubeProxy reads one mode. Several are variants, unlike several MTUs.
func (d *decoder) kubeProxy(n *yaml.Node, into *string) {
	if n.Kind == yaml.SequenceNode {
		d.Report(n, "kubeProxy must be one of "+strings.Join(kubeProxyModes, ", ")+", not a list",
			"compare two by two variants: {variant: NAME, as: NAME-iptables, kubeProxy: iptables}, {variant: NAME, as: NAME-nftables, kubeProxy: nftables}")
		return
	}
	d.Choice(n, "kubeProxy", kubeProxyModes, into)
}
