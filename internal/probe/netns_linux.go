package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
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
		i := Interface{Name: d.Name, MTU: d.MTU, Addresses: []string{}, SpeedMbit: lineSpeed("/sys/class/net", d.Name)}
		addresses, _ := d.Addrs()
		for _, a := range addresses {
			i.Addresses = append(i.Addresses, a.String())
		}
		n.Interfaces = append(n.Interfaces, i)
	}
	return n
}

// lineSpeed reads what a device's driver says of its line in Mbit/s, or 0. A
// device without hardware has no link named device, and its rate is made up.
func lineSpeed(sysClassNet, name string) int {
	dir := filepath.Join(sysClassNet, name)
	if _, err := os.Stat(filepath.Join(dir, "device")); err != nil {
		return 0
	}
	data, err := os.ReadFile(filepath.Join(dir, "speed"))
	if err != nil {
		return 0 // also while the link is down
	}
	speed, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return max(0, speed) // -1 is unknown
}

// notServed names the first port of a load that no socket of this network
// namespace serves, over IPv4 or IPv6; empty when all are served.
func notServed(procfs string, spec LoadSpec) (string, error) {
	for _, protocol := range []struct {
		name, state string
		tables      []string
		ports       []int
	}{
		{"TCP", tcpListen, []string{"tcp", "tcp6"}, spec.Listen},
		{"UDP", udpBound, []string{"udp", "udp6"}, spec.ListenUDP},
	} {
		if len(protocol.ports) == 0 {
			continue
		}
		open, err := servedPorts(procfs, protocol.tables, protocol.state)
		if err != nil {
			return "", err
		}
		for _, port := range protocol.ports {
			if !open[port] {
				return fmt.Sprintf("%s port %d", protocol.name, port), nil
			}
		}
	}
	return "", nil
}

// servedPorts reads the ports that sockets in the given state have.
func servedPorts(procfs string, tables []string, state string) (map[int]bool, error) {
	open := map[int]bool{}
	for _, table := range tables {
		data, err := os.ReadFile(filepath.Join(procfs, "net", table))
		if strings.HasSuffix(table, "6") && errors.Is(err, fs.ErrNotExist) {
			continue // a kernel without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("looking for listening ports: %w", err)
		}
		if err := parseListening(data, state, open); err != nil {
			return nil, fmt.Errorf("looking for listening ports: %w", err)
		}
	}
	return open, nil
}
