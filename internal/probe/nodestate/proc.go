package nodestate

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// parseMounts reads mountinfo (proc_pid_mountinfo(5)) and keeps what plugins
// mount: below /run, /sys/fs/bpf and /sys/fs/cgroup, without the mounts of
// containers, pods and sessions.
func parseMounts(mountinfo string) []Item {
	var items []Item
	for line := range strings.Lines(mountinfo) {
		before, after, found := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !found || len(f) < 5 || len(g) < 1 || !mountOfInterest(f[4]) {
			continue
		}
		items = append(items, Item{Mount, runPaths([]string{f[4]})[0], g[0]})
	}
	return items
}

func mountOfInterest(point string) bool {
	point = runPaths([]string{point})[0]
	for _, dir := range []string{"/run/containerd", "/run/containers", "/run/crio", "/run/docker", "/run/netns", "/run/user", "/run/credentials", "/run/k3s", "/run/utsns", "/run/ipcns"} {
		if point == dir || strings.HasPrefix(point, dir+"/") {
			return false
		}
	}
	for _, dir := range []string{"/run", "/sys/fs/bpf", "/sys/fs/cgroup"} {
		if strings.HasPrefix(point, dir+"/") || point == dir && dir != "/run" {
			return true
		}
	}
	return false
}

// cgroupMounts lists where the control groups of version 2 are mounted. Groups
// above those of the node, which are shown with .. for their root, are those of
// a machine that has several nodes.
func cgroupMounts(mountinfo string) []string {
	var points []string
	for line := range strings.Lines(mountinfo) {
		f := strings.Fields(line)
		if len(f) > 4 && strings.Contains(line, " - cgroup2 ") && !strings.HasPrefix(f[3], "/..") && mountOfInterest(f[4]) {
			points = append(points, runPaths([]string{f[4]})[0])
		}
	}
	return points
}

// parseTunnelPorts reads /proc/net/udp and keeps the sockets without an inode:
// those are the kernel's own, of tunnels.
func parseTunnelPorts(table string) []Item {
	var items []Item
	seen := map[uint64]bool{}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[9] != "0" {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		port, err := strconv.ParseUint(hex, 16, 16)
		if err != nil || port == 0 || seen[port] {
			continue
		}
		seen[port] = true
		items = append(items, Item{TunnelPort, fmt.Sprintf("%d/udp", port), ""})
	}
	return items
}

// sysctls are the settings that plugins change, of the node's network
// namespace; %s is a link.
func sysctls(links []string) []string {
	names := []string{
		"net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding", "net.ipv4.conf.all.src_valid_mark",
		"net.ipv4.fib_multipath_use_neigh", "net.ipv4.vs.conntrack",
		"net.bridge.bridge-nf-call-iptables", "net.bridge.bridge-nf-call-ip6tables",
	}
	for _, link := range append([]string{"all", "default"}, links...) {
		for _, key := range []string{"rp_filter", "accept_local", "proxy_arp", "send_redirects"} {
			names = append(names, path.Join("net/ipv4/conf", link, key))
		}
	}
	return names
}

// sysctlFile is the path of a setting. Links have dots in their names, so what
// has slashes has them instead of dots (sysctl.d(5)).
func sysctlFile(name string) string {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, ".", "/")
	}
	return "/proc/sys/" + name
}
