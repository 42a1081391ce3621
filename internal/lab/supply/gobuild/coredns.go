package gobuild

// CoreDNS is the DNS of Kubernetes clusters, with those plugins that a lab
// uses: it answers for the cluster and forwards nothing.
func CoreDNS() Program {
	return Program{
		Name: "coredns", Module: "coredns", Release: "github.com/coredns/coredns", Package: ".", Output: "coredns",
		Space: Space{Modules: gib / 2, Cache: gib, Result: gib / 8},
	}
}
