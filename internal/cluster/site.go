package cluster

// Site is what a network plugin's manifests must know of a cluster.
type Site struct {
	PodCIDR     string // of the whole cluster: "10.244.0.0/16"; empty without IPv4
	ServiceCIDR string
	// PodCIDRv6 and ServiceCIDRv6 are those of IPv6; empty without.
	PodCIDRv6, ServiceCIDRv6 string
	// APIHost and APIPort are where nodes reach the API server without a
	// Service: a plugin that replaces kube-proxy needs them.
	APIHost, APIPort string
	Uplink           string   // the nodes' interface to each other: "eth0"
	LinkMTU          int      // of the uplink, in bytes
	ControlPlaneIPs  []string // empty if the cluster does not show its control plane
	KubeVersion      string   // "v1.34.4"
}

// DualStack tells whether pods have addresses of both families.
func (s Site) DualStack() bool { return s.PodCIDR != "" && s.PodCIDRv6 != "" }

// IPv6Only tells whether pods have addresses of IPv6 alone.
func (s Site) IPv6Only() bool { return s.PodCIDR == "" && s.PodCIDRv6 != "" }
