package rtt

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// Machine is what decides whether round trips can be measured.
type Machine struct {
	Release string // of the kernel, as uname says
	// BTF tells that the kernel describes its types (/sys/kernel/btf/vmlinux).
	BTF bool
	// Capabilities are the process's effective ones, as CapEff in
	// /proc/self/status.
	Capabilities uint64
}

// oldest is the first kernel with all that the programs use and that is still
// maintained: LRU maps (4.10), atomic adds, arrays that can be mapped (5.5),
// bounded loops (5.3), helpers under any licence (5.8).
var oldest = kernel.Version{5, 10}

// Bits of capabilities(7).
const (
	capNetAdmin = 12
	capSysAdmin = 21
	capPerfmon  = 38
	capBPF      = 39
)

// Unsupported says why round trips cannot be measured on a machine; empty:
// they can.
func (m Machine) Unsupported() string {
	version, err := kernel.ParseRelease(m.Release)
	if err != nil {
		return err.Error()
	}
	if version.Compare(oldest) < 0 {
		return fmt.Sprintf("the kernel is %s, and eBPF round-trip times need %d.%d", m.Release, oldest[0], oldest[1])
	}
	if !m.BTF {
		return "the kernel was built without BTF: there is no /sys/kernel/btf/vmlinux"
	}
	has := func(bit int) bool { return m.Capabilities>>bit&1 == 1 }
	mayLoad := has(capSysAdmin) || has(capBPF) && has(capPerfmon)
	if !has(capNetAdmin) || !mayLoad {
		return "no permission to load eBPF programs: CAP_NET_ADMIN and either CAP_SYS_ADMIN or CAP_BPF and CAP_PERFMON are needed"
	}
	return ""
}
