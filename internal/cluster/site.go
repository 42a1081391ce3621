package cluster

// Site is what a network plugin's manifests must know of a cluster.
type Site struct {
	PodCIDR     string // of the whole cluster: "10.244.0.0/16"
	ServiceCIDR string
	// APIHost and APIPort are where nodes reach the API server without a
	// Service: a plugin that replaces kube-proxy needs them.
	APIHost, APIPort string
	Uplink           string   // the nodes' interface to each other: "eth0"
	LinkMTU          int      // of the uplink, in bytes
	ControlPlaneIPs  []string // empty if the cluster does not show its control plane
	KubeVersion      string   // "v1.34.4"
}
