package campaign

import "go.yaml.in/yaml/v3"

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
		d.Choice(n, "kubeProxy", kubeProxyModes, &a.KubeProxy)
	}
}
