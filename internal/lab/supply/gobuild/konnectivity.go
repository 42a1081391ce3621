package gobuild

// Konnectivity is the server and the agent of Kubernetes' apiserver-network-proxy.
func Konnectivity() Program {
	const proxy = "sigs.k8s.io/apiserver-network-proxy"
	return Program{
		Name: "konnectivity", Module: "konnectivity", Release: proxy, Package: proxy + "/cmd/server", Output: "proxy-server",
		More:  []Target{{Package: proxy + "/cmd/agent", Output: "proxy-agent"}},
		Space: Space{Modules: gib / 2, Cache: gib, Result: gib / 8},
	}
}
