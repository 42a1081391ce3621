package run

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// machineSysctls are those of the machine that may explain a result. Nodes and
// pods have their own values of most.
var machineSysctls = []string{
	"net.core.default_qdisc", "net.core.rmem_max", "net.core.wmem_max", "net.core.netdev_max_backlog",
	"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_available_congestion_control", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
	"net.netfilter.nf_conntrack_max", "kernel.numa_balancing", "vm.swappiness",
}

// DescribeMachine reads what there is to know of this computer. What cannot
// be read is left out.
func DescribeMachine() result.Machine {
	m := result.Machine{Cores: runtime.NumCPU(), Sysctls: map[string]string{}, IRQTime: sample.IRQTime("/proc"), CPU: field("/proc/cpuinfo", "model name", ":"), OS: strings.Trim(field("/etc/os-release", "PRETTY_NAME", "="), `"`)}
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		m.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	if kib, err := strconv.ParseUint(strings.TrimSuffix(field("/proc/meminfo", "MemTotal", ":"), " kB"), 10, 64); err == nil {
		m.MemoryBytes = kib << 10
	}
	if h, err := cgroup.Detect(); err == nil {
		m.CgroupVersion = h.Version
	}
	for _, name := range machineSysctls {
		if b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/")); err == nil {
			m.Sysctls[name] = strings.Join(strings.Fields(string(b)), " ")
		}
	}
	return m
}

// field finds the value of the first line "KEY SEPARATOR VALUE" in a file.
func field(file, key, separator string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Sprintf("unknown: %v", err)
	}
	for line := range strings.Lines(string(b)) {
		k, v, ok := strings.Cut(line, separator)
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}
