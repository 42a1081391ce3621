package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// netnsSysctls are the settings of a network namespace that decide what TCP
// and UDP in it can reach.
var netnsSysctls = []string{
	"net.core.default_qdisc",
	"net.core.rmem_default",
	"net.core.rmem_max",
	"net.core.wmem_default",
	"net.core.wmem_max",
	"net.ipv4.ip_no_pmtu_disc",
	"net.ipv4.tcp_congestion_control",
	"net.ipv4.tcp_ecn",
	"net.ipv4.tcp_limit_output_bytes",
	"net.ipv4.tcp_min_tso_segs",
	"net.ipv4.tcp_moderate_rcvbuf",
	"net.ipv4.tcp_mtu_probing",
	"net.ipv4.tcp_no_metrics_save",
	"net.ipv4.tcp_notsent_lowat",
	"net.ipv4.tcp_rmem",
	"net.ipv4.tcp_sack",
	"net.ipv4.tcp_slow_start_after_idle",
	"net.ipv4.tcp_timestamps",
	"net.ipv4.tcp_window_scaling",
	"net.ipv4.tcp_wmem",
}

// readNetns describes the network namespace it runs in. What cannot be read
// is left out.
func readNetns() Netns {
	n := Netns{Sysctls: map[string]string{}}
	n.Hostname, _ = os.Hostname()
	for _, name := range netnsSysctls {
		data, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
		if err == nil {
			n.Sysctls[name] = strings.Join(strings.Fields(string(data)), " ")
		}
	}
	devices, _ := net.Interfaces()
	for _, d := range devices {
		i := Interface{Name: d.Name, MTU: d.MTU, Addresses: []string{}}
		addresses, _ := d.Addrs()
		for _, a := range addresses {
			i.Addresses = append(i.Addresses, a.String())
		}
		n.Interfaces = append(n.Interfaces, i)
	}
	return n
}

// notListening returns those of ports that no TCP socket of this network
// namespace listens on, over IPv4 or IPv6.
func notListening(procfs string, ports []int) ([]int, error) {
	open := map[int]bool{}
	for _, table := range []string{"tcp", "tcp6"} {
		data, err := os.ReadFile(filepath.Join(procfs, "net", table))
		if table == "tcp6" && errors.Is(err, fs.ErrNotExist) {
			continue // a kernel without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("looking for listening ports: %w", err)
		}
		if err := parseListening(data, open); err != nil {
			return nil, fmt.Errorf("looking for listening ports: %w", err)
		}
	}
	var missing []int
	for _, p := range ports {
		if !open[p] {
			missing = append(missing, p)
		}
	}
	return missing, nil
}
