package supply

import "github.com/cnibench/cnibench/internal/lab/supply/gobuild"

// FlannelUpgradeVersion is the version of Flannel that the part FlannelUpgrade
// has beside the base's.
const FlannelUpgradeVersion = "v0.28.10"

// Names of its images, as its chart asks for them.
const (
	flannelUpgradeImage    = "ghcr.io/flannel-io/flannel:" + FlannelUpgradeVersion
	flannelUpgradeCNIImage = "ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3"
)

// flannelUpgradePart is a later Flannel than the base's.
func flannelUpgradePart() part {
	program, plugin := gobuild.FlannelUpgrade(), gobuild.FlannelCNIUpgrade()
	return part{
		name: FlannelUpgrade, program: program, also: []gobuild.Program{plugin}, chart: program.Copies[0].To,
		sets: []packageSet{
			{Name: flannelUpgradeImage, Packages: []string{"busybox-static", "dash", "iproute2", "iptables", "nftables"}, Applets: applets},
			{Name: flannelUpgradeCNIImage, Packages: []string{"busybox-static"}, Applets: applets},
		},
		images: func() []imageRecipe {
			return []imageRecipe{
				{
					Name: flannelUpgradeImage, Step: program.Name, Module: program.Release,
					Program: "opt/bin/flanneld", File: program.Output, Entrypoint: []string{"/opt/bin/flanneld"},
					Files: []imageFile{{Path: "opt/bin/install-conf", Mode: 0o755, From: "install-conf"}},
				},
				{
					Name: flannelUpgradeCNIImage, Step: plugin.Name, Module: plugin.Release,
					Program: "flannel", File: plugin.Output, Entrypoint: []string{"/flannel"},
				},
			}
		},
		duration: "about 3 minutes on two cores and 1 GB",
	}
}
