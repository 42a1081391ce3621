package gobuild

// Cilium is the agent with everything else that upstream's two images have of
// Cilium itself: operator, CNI plugin, command line, health endpoint, and the
// programs that init containers run on the node; BPF sources, scripts and the
// Helm chart come along. Left out is Envoy, which is no Go.
func Cilium() Program {
	const cilium = "github.com/cilium/cilium"
	file := func(from, to string) Copy { return Copy{Module: cilium, From: from, To: to} }
	return Program{
		Name: "cilium", Module: "cilium", Release: cilium,
		Package: cilium + "/daemon", Output: "bin/cilium-agent",
		More: []Target{
			{cilium + "/operator", "bin/cilium-operator-generic"},
			{cilium + "/cilium-dbg", "bin/cilium-dbg"},
			{cilium + "/cilium-health", "bin/cilium-health"},
			{cilium + "/cilium-health/responder", "bin/cilium-health-responder"},
			{cilium + "/plugins/cilium-cni", "bin/cilium-cni"},
			{cilium + "/tools/mount", "bin/cilium-mount"},
			{cilium + "/tools/sysctlfix", "bin/cilium-sysctlfix"},
		},
		// operator/Makefile and Makefile.defs of the module; the first tag makes
		// the operator the generic one and means nothing to the others.
		Tags: []string{"ipam_provider_operator", "osusergo"},
		// Version, revision and date (pkg/version FromString); a module has only
		// the first.
		Stamp: []Variable{{cilium + "/pkg/version.ciliumVersion", "{number} module undated"}},
		Copies: []Copy{
			file("install/kubernetes/cilium", "chart/cilium"), file("bpf", "bpf"),
			file("images/cilium/init-container.sh", "scripts/init-container.sh"),
			file("plugins/cilium-cni/install-plugin.sh", "scripts/install-plugin.sh"),
			file("plugins/cilium-cni/cni-uninstall.sh", "scripts/cni-uninstall.sh"),
		},
		Space: Space{Modules: gib, Cache: 3 * gib, Result: gib},
	}
}
