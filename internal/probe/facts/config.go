package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// options are those of a kernel's configuration that move throughput, latency
// or what can be accounted, and the debugging aids that make kernels slow.
var options = []string{
	"BPF_JIT", "BPF_JIT_ALWAYS_ON", "DEBUG_INFO_BTF", "CPU_FREQ_DEFAULT_GOV_PERFORMANCE", "CPU_ISOLATION", "DEFAULT_TCP_CONG",
	"HIGH_RES_TIMERS", "HZ", "IRQ_FORCED_THREADING", "IRQ_TIME_ACCOUNTING", "MITIGATION_RETPOLINE", "MITIGATION_PAGE_TABLE_ISOLATION",
	"RETPOLINE", "PAGE_TABLE_ISOLATION", "NET_RX_BUSY_POLL", "NET_SCH_DEFAULT", "DEFAULT_NET_SCH", "NO_HZ_FULL", "NO_HZ_IDLE", "NR_CPUS", "NUMA",
	"NUMA_BALANCING", "PARAVIRT", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT_NONE", "PREEMPT_RT", "PREEMPT_VOLUNTARY", "PSI",
	"PSI_DEFAULT_DISABLED", "RFS_ACCEL", "RPS", "SCHED_CORE", "TCP_CONG_BBR", "TICK_CPU_ACCOUNTING", "TRANSPARENT_HUGEPAGE_ALWAYS",
	"VIRT_CPU_ACCOUNTING_GEN", "VIRT_CPU_ACCOUNTING_NATIVE", "XPS", "BRIDGE_NETFILTER", "NETFILTER_XTABLES", "NF_CONNTRACK", "NF_TABLES",
	"NET_CLS_BPF", "NETKIT", "VXLAN", "GENEVE", "WIREGUARD", "INET_ESP_OFFLOAD", "TLS_DEVICE",
	"DEBUG_PAGEALLOC", "DEBUG_PREEMPT", "KASAN", "KCSAN", "KMEMLEAK", "LOCKDEP", "LOCK_STAT", "PROVE_LOCKING", "SLUB_DEBUG_ON", "UBSAN",
}

// How a kernel accounts the CPU time of interrupts.
const (
	irqExact = "exact" // at every entry and exit
	irqTick  = "tick"  // by what the timer tick happens to interrupt
)

// Configuration returns what a kernel's configuration says: the options that
// matter, a digest of all of them, and what follows from them. values are as
// [kernel.ParseConfig] returns them.
func Configuration(values map[string]string) Facts {
	f := New()
	for _, name := range options {
		value, set := values[name]
		if !set {
			value = "n"
		}
		f.Set("kernel.config."+name, value)
	}
	f.Set("kernel.config.sha256", digest(values))
	f.Set("kernel.irq-time", irqTime(values))
	return f
}

// NoConfiguration says why there is none.
func NoConfiguration(reason string) Facts {
	f := New()
	f.Miss("kernel.config", reason)
	return f
}

func irqTime(values map[string]string) string {
	if values["IRQ_TIME_ACCOUNTING"] == "y" || values["VIRT_CPU_ACCOUNTING_NATIVE"] == "y" {
		return irqExact
	}
	return irqTick
}

// digest identifies a configuration whatever the order of its options, its
// comments and the quotes of its texts are. Options that are not set count as
// if they were not there.
func digest(values map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		_, _ = fmt.Fprintf(sum, "%s=%s\n", name, values[name]) // a hash takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Merge adds the facts of another, which win. A family of facts that was
// missing as a whole is not any more if one of it is there.
func (f Facts) Merge(other Facts) {
	for name, value := range other.Values {
		f.Set(name, value)
	}
	for name, reason := range other.Missing {
		f.Miss(name, reason)
	}
}
