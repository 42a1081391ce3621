package gobuild

// FlannelUpgrade is a later flannel than [Flanneld], to upgrade to: its daemon,
// its program that installs configurations, and its Helm chart.
func FlannelUpgrade() Program {
	const flannel = "github.com/flannel-io/flannel"
	p := Flanneld()
	p.Name, p.Module = "flannel-upgrade", "flannel-upgrade"
	p.Package = "cnibench.io/lab/flannel-upgrade" // "." has no name beside another one
	p.More = []Target{{Package: flannel + "/cmd/install_conf", Output: "install-conf"}}
	p.Copies = []Copy{{Module: flannel, From: "chart/kube-flannel", To: "chart/kube-flannel-upgrade"}}
	return p
}

// FlannelCNIUpgrade is the CNI plugin of [FlannelUpgrade], whose configuration
// has a later version of CNI: the same program with a later library.
func FlannelCNIUpgrade() Program {
	p := FlannelCNI()
	p.Name, p.Module = "flannel-cni-upgrade", "flannel-cni-upgrade"
	return p
}
