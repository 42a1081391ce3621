package facts

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// bootOptions are those of the kernel's command line that change how fast it
// is. The rest of it is nobody's business: it may hold secrets.
var bootOptions = []string{
	"clocksource", "cpuidle.governor", "cpuidle.off", "default_hugepagesz", "hugepages", "hugepagesz", "idle", "intel_idle.max_cstate",
	"intel_iommu", "amd_iommu", "iommu", "iommu.passthrough", "intel_pstate", "amd_pstate", "irqaffinity", "isolcpus", "kthread_cpus",
	"l1tf", "maxcpus", "mds", "mitigations", "nohz", "nohz_full", "nosmt", "nospectre_v2", "nr_cpus", "numa_balancing", "preempt",
	"processor.max_cstate", "psi", "rcu_nocbs", "rcu_nocb_poll", "retbleed", "skew_tick", "spec_rstack_overflow", "spec_store_bypass_disable",
	"spectre_v2", "swiotlb", "threadirqs", "transparent_hugepage", "tsc", "tsx", "tsx_async_abort", "vmscape",
}

// bootLine notes the options of a command line. Those that are not on it are
// not noted: the kernel decides them, which other facts show.
func bootLine(f Facts, text string) {
	values := map[string][]string{}
	for _, word := range strings.Fields(text) {
		if word == "--" {
			break // what follows is for the first process
		}
		name, value, given := strings.Cut(word, "=")
		if !given {
			value = "given"
		}
		if slices.Contains(bootOptions, name) && value != "" {
			values[name] = append(values[name], value)
		}
	}
	for name, all := range values {
		f.Set("kernel.boot."+name, strings.Join(all, " "))
	}
}

// machine notes what the computer is, besides its CPUs.
func machine(f Facts, root fs.FS) {
	if b, err := fs.ReadFile(root, "proc/cmdline"); err != nil {
		f.Miss("kernel.boot", reason(err))
	} else {
		bootLine(f, string(b))
	}
	f.read(root, "kernel.release", "proc/sys/kernel/osrelease")
	f.read(root, "kernel.version", "proc/sys/kernel/version")
	f.read(root, "clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource")
	f.read(root, "clocksource.available", "sys/devices/system/clocksource/clocksource0/available_clocksource")
	f.readHere(root, "kernel.architecture", "proc/sys/kernel/arch")
	f.choice(root, "memory.transparent-hugepages", "sys/kernel/mm/transparent_hugepage/enabled")
	f.choice(root, "memory.ksm", "sys/kernel/mm/ksm/run")
	for _, name := range []string{"preempt", "base_slice_ns", "migration_cost_ns"} { // only root sees them, since Linux 5.13
		f.choice(root, "kernel.sched."+name, "sys/kernel/debug/sched/"+name)
	}
	memory(f, root)
	numa(f, root)
	hypervisor(f, root)
	sysctls(f, root, machineSysctls)
}

// choice notes the chosen word of a file.
func (f Facts) choice(root fs.FS, name, file string) {
	b, err := fs.ReadFile(root, file)
	if err != nil {
		f.Miss(name, reason(err))
		return
	}
	f.Set(name, bracketed(string(b)))
}

// memory notes how much there is in MiB: firmware takes some kB of it that
// differ from boot to boot.
func memory(f Facts, root fs.FS) {
	b, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		f.Miss("memory.total", reason(err))
		return
	}
	words := strings.Fields(field(string(b), "MemTotal"))
	if len(words) == 2 && words[1] == "kB" {
		if kib, err := strconv.ParseInt(words[0], 10, 64); err == nil && kib >= 0 {
			f.Set("memory.total", strconv.FormatInt(kib>>10, 10)+" MiB")
			return
		}
	}
	f.Miss("memory.total", "there is no MemTotal in kB in /proc/meminfo")
}

// field finds the value of the first line "NAME: VALUE"; empty if there is
// none.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// numa notes which CPUs are on which node of the memory.
func numa(f Facts, root fs.FS) {
	const dir = "sys/devices/system/node"
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		f.Miss("cpu.numa", reason(err))
		return
	}
	var parts []string
	for _, e := range entries {
		id, found := strings.CutPrefix(e.Name(), "node")
		if _, err := strconv.Atoi(id); !found || err != nil {
			continue
		}
		cpus, err := fs.ReadFile(root, path.Join(dir, e.Name(), "cpulist"))
		if list := strings.TrimSpace(string(cpus)); err == nil && list != "" { // memory alone has none
			parts = append(parts, id+": "+list)
		}
	}
	if len(parts) == 0 {
		f.Miss("cpu.numa", "this kernel does not show it")
		return
	}
	slices.Sort(parts)
	f.Set("cpu.numa", strings.Join(parts, "; "))
}

// firmware says of a file what it says of the computer: name in the facts by
// file in dmi/id. Serial numbers are left out.
var firmware = map[string]string{
	"machine.vendor": "sys_vendor", "machine.product": "product_name", "machine.firmware": "bios_version",
}

// hypervisor notes what kind of computer it is, as far as that shows.
func hypervisor(f Facts, root fs.FS) {
	for name, file := range firmware {
		f.read(root, name, "sys/class/dmi/id/"+file)
	}
	f.readHere(root, "machine.hypervisor.type", "sys/hypervisor/type") // Xen's
	b, err := fs.ReadFile(root, "proc/cpuinfo")
	flags := field(string(b), "flags")
	switch {
	case err != nil:
		f.Miss("machine.hypervisor", reason(err))
	case slices.Contains(strings.Fields(flags), "hypervisor"):
		f.Set("machine.hypervisor", "yes")
	case flags != "":
		f.Set("machine.hypervisor", "no")
	default:
		f.Miss("machine.hypervisor", "the CPUs of this architecture do not tell")
	}
}

// sysctls notes settings of the kernel. What the kernel or the network
// namespace does not have is left out: most of them came with some version.
func sysctls(f Facts, root fs.FS, names []string) {
	for _, name := range names {
		b, err := fs.ReadFile(root, "proc/sys/"+strings.ReplaceAll(name, ".", "/"))
		key := "sysctl." + name
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.Miss(key, "this kernel or network namespace has none")
		case err != nil:
			f.Miss(key, reason(err))
		case strings.HasSuffix(name, "_congestion_control"):
			// The order is that in which modules were loaded.
			f.Set(key, strings.Join(slices.Sorted(slices.Values(strings.Fields(string(b)))), " "))
		default:
			f.Set(key, string(b))
		}
	}
}
