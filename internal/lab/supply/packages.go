package supply

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// packageSet is a tree made of Debian packages.
type packageSet struct {
	Name     string   // "node", or the image whose layer it is
	Packages []string // asked for; libraries come along
	Applets  []string // names that are links to busybox
}

const nodeSet = "node"

// applets are what people and charts run in a container with busybox alone.
var applets = strings.Fields(`[ ash awk base64 basename cat chmod chown clear cmp cp cut date dd df diff dirname dmesg du
	echo env expr false find free grep gunzip gzip head hostname id ip kill killall less ln ls md5sum mkdir mktemp more
	mount mv nc nslookup od ping ping6 printf ps pwd readlink realpath rm rmdir route sed seq sh sha256sum sleep
	sort stat stty sync tail tar tee telnet test time timeout top touch tr traceroute true umount uname uniq uptime vi
	watch wc wget which xargs yes zcat`)

// packageSets are all Debian trees of the kit.
func packageSets() []packageSet {
	return []packageSet{
		{Name: nodeSet, Applets: applets, Packages: []string{
			"base-files", "bash", "busybox-static", "conntrack", "containerd", "containernetworking-plugins", "coreutils",
			"dash", "ethtool", "findutils", "grep", "iperf3", "iproute2", "ipset", "iptables", "iputils-ping", "kmod", "mount", "nftables", "procps", "runc",
			"sed", "tcpdump", "util-linux",
		}},
		{Name: flannelImage, Packages: []string{"busybox-static", "dash", "iproute2", "iptables", "nftables"}, Applets: applets},
		{Name: flannelCNIImage, Packages: []string{"busybox-static"}, Applets: applets},
		{Name: toolsImage, Packages: []string{
			"busybox-static", "dash", "ethtool", "ipset", "iperf3", "iproute2", "iptables", "iputils-ping", "kmod", "nftables", "qperf",
			"sockperf", "util-linux",
		}, Applets: applets},
	}
}

// nodeDirs are where labs mount things or programs expect a directory.
var nodeDirs = []string{
	"etc/cni/net.d", "etc/kubernetes", "lib/modules", "mnt", "opt/cni/bin", "usr/local/bin", "var/lib/containerd",
	"var/lib/kubelet", "var/log",
}

// nodeFiles are what container runtimes and kubelets read of any node; a lab
// may put its own over them.
var nodeFiles = map[string]string{
	"etc/hosts":       "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n",
	"etc/resolv.conf": "",
}

// distribution identifies the machine's distribution, because packages follow
// from it: "debian 12".
func distribution() (string, error) {
	f, err := os.Open("/etc/os-release") // os-release(5)
	if err != nil {
		return "", fmt.Errorf("finding out the distribution: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	values := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		values[key] = strings.Trim(value, `"'`)
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("finding out the distribution: %w", err)
	}
	return strings.TrimSpace(values["ID"] + " " + values["VERSION_ID"]), nil
}

// allPackages are the packages of all sets, sorted.
func allPackages(sets []packageSet) []string {
	var names []string
	for _, set := range sets {
		names = append(names, set.Packages...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
