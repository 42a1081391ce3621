package supply

import (
	_ "embed"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
)

// Names of Cilium's images, as upstream's chart asks for them without digests
// (image.useDigest: false).
const (
	ciliumImage   = "quay.io/cilium/cilium:v1.15.19"
	operatorImage = "quay.io/cilium/operator-generic:v1.15.19"
)

// agentEntry is /usr/bin/cilium-agent of the image.
//
//go:embed scripts/cilium-agent.sh
var agentEntry string

// compilerEntry is /usr/bin/clang of the image.
//
//go:embed scripts/clang.sh
var compilerEntry string

// featureEntry is /usr/local/bin/bpftool of the image.
//
//go:embed scripts/bpftool.sh
var featureEntry string

// ciliumPart is Cilium's two images, laid out as upstream's Dockerfiles do
// (images/cilium, images/runtime and images/operator of the module).
func ciliumPart() part {
	return part{
		name: "cilium",
		sets: []packageSet{{Name: ciliumImage, Applets: applets, Packages: []string{
			"bash", "bpftool", "busybox-static", "clang-19", "coreutils", "dash", "findutils", "grep", "ipset", "iproute2", "iptables",
			"kmod", "mount", "sed", "util-linux",
		}}},
		program:  gobuild.Cilium(),
		images:   ciliumImages,
		chart:    "chart/cilium",
		duration: "about 6 minutes on two cores and 6 GB",
	}
}

func ciliumImages() []imageRecipe {
	program := gobuild.Cilium()
	image := imageRecipe{
		Name: ciliumImage, Step: program.Name, Module: program.Release,
		Program: "usr/lib/cilium/cilium-agent", File: "bin/cilium-agent",
		Entrypoint: []string{"/usr/bin/cilium-dbg"},
		Files: []imageFile{
			{Path: "usr/bin/cilium-agent", Mode: 0o755, Text: agentEntry},
			{Path: "usr/bin/clang", Mode: 0o755, Text: compilerEntry},
			{Path: "usr/local/bin/bpftool", Mode: 0o755, Text: featureEntry},
			{Path: "opt/cni/bin/cilium-cni", Mode: 0o755, From: "bin/cilium-cni"},
			{Path: "var/lib/cilium/bpf", Mode: 0o644, From: "bpf", Skip: []string{"tests", "complexity-tests"}},
		},
	}
	for _, name := range []string{"cilium-dbg", "cilium-health", "cilium-health-responder", "cilium-mount", "cilium-sysctlfix"} {
		image.Files = append(image.Files, imageFile{Path: "usr/bin/" + name, Mode: 0o755, From: "bin/" + name})
	}
	for _, name := range []string{"init-container.sh", "install-plugin.sh", "cni-uninstall.sh"} {
		image.Files = append(image.Files, imageFile{Path: name, Mode: 0o755, From: "scripts/" + name})
	}
	return []imageRecipe{image, {
		Name: operatorImage, Step: program.Name, Module: program.Release,
		Program: "usr/bin/cilium-operator-generic", File: "bin/cilium-operator-generic",
		Entrypoint: []string{"/usr/bin/cilium-operator-generic"},
	}}
}
