package sample

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// Spec says what a [Sampler] samples.
type Spec struct {
	// Interval between samples: 1 s in general, 100 ms for trials under 5 s.
	Interval time.Duration `json:"intervalNs"`
	// Groups are sets of cgroups whose usage is summed, by name. Paths are
	// relative to the cgroup root (on v1, to each controller's).
	Groups map[string][]string `json:"groups,omitempty"`
	// CgroupRoot is /sys/fs/cgroup and Procfs /proc when empty.
	CgroupRoot string `json:"cgroupRoot,omitempty"`
	Procfs     string `json:"procfs,omitempty"`
}

// MinInterval is the resolution of CPU times in /proc/stat.
const MinInterval = time.Second / procfs.UserHZ

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	if s.Interval < MinInterval {
		return fmt.Errorf("sampling every %v: the kernel counts CPU time in steps of %v", s.Interval, MinInterval)
	}
	for name, paths := range s.Groups {
		if name == "" {
			return errors.New("a group of cgroups has no name")
		}
		if err := validGroup(paths); err != nil {
			return fmt.Errorf("group %s: %w", name, err)
		}
	}
	return nil
}

// validGroup refuses paths that leave the cgroup root, and paths inside each
// other, whose usage would count twice.
func validGroup(paths []string) error {
	if len(paths) == 0 {
		return errors.New("no cgroup paths")
	}
	for i, p := range paths {
		if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") {
			return fmt.Errorf("%q is not a clean path relative to the cgroup root", p)
		}
		for j, q := range paths {
			if i != j && (p == q || q == "." || strings.HasPrefix(p, q+"/")) {
				return fmt.Errorf("%q lies in %q and would count twice", p, q)
			}
		}
	}
	return nil
}

// Ready tells that the first sample is taken.
type Ready struct {
	CgroupVersion int                 `json:"cgroupVersion"`
	Missing       map[string][]string `json:"missing,omitempty"` // paths not there (yet), by group
}

// Series is what a sampler saw of one node. Everything but gauges counts up
// from an arbitrary start.
type Series struct {
	Hostname      string        `json:"hostname"`
	Interval      time.Duration `json:"intervalNs"`
	CgroupVersion int           `json:"cgroupVersion"` // 1 or 2, or 0 where no group was sampled
	// IRQTime is how the kernel accounts the CPU time of interrupts: "exact",
	// "tick" (sampled by the timer) or "unknown".
	IRQTime string   `json:"irqTimeAccounting"`
	Samples []Sample `json:"samples"`
}

// Sample is the state of a node at one moment. What the kernel does not offer
// is nil or not in the map, never 0.
type Sample struct {
	At              time.Time              `json:"at"`     // UTC
	Mono            time.Duration          `json:"monoNs"` // CLOCK_MONOTONIC
	CPU             Modes                  `json:"cpu"`    // all cores together
	Cores           []Core                 `json:"cores"`
	ContextSwitches uint64                 `json:"contextSwitches"`
	Softnet         *Softnet               `json:"softnet,omitempty"`
	Memory          Memory                 `json:"memory"`
	Pressure        *Pressure              `json:"pressure,omitempty"`
	Interfaces      map[string]Traffic     `json:"interfaces,omitempty"`
	Protocols       *Protocols             `json:"protocols,omitempty"`
	Groups          map[string]GroupSample `json:"groups,omitempty"`
	// Own is the CPU time of the sampling process, in seconds.
	Own float64 `json:"ownSeconds"`
}

// Modes is CPU time in seconds by mode, as in /proc/stat (proc_stat(5)). The
// kernel includes guest in User and guest_nice in Nice.
type Modes struct {
	User    float64 `json:"user"`
	Nice    float64 `json:"nice"`
	System  float64 `json:"system"`
	IRQ     float64 `json:"irq"`
	SoftIRQ float64 `json:"softirq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	IOWait  float64 `json:"iowait"`
}

// Busy is the sum of all modes but Idle and IOWait.
func (m Modes) Busy() float64 {
	return m.User + m.Nice + m.System + m.IRQ + m.SoftIRQ + m.Steal
}

// Core is the CPU time of one logical CPU; ID is its number in the kernel.
type Core struct {
	ID int `json:"id"`
	Modes
}

// Softnet counts what the network softirq did on all CPUs: packets processed,
// packets dropped because the backlog was full, and runs cut off with work
// left.
type Softnet struct {
	Processed uint64 `json:"processed"`
	Dropped   uint64 `json:"dropped"`
	Squeezed  uint64 `json:"squeezed"`
}

// Memory holds fields of /proc/meminfo in bytes.
type Memory struct {
	Total     uint64 `json:"total"`
	Free      uint64 `json:"free"`
	Available uint64 `json:"available"`
	Buffers   uint64 `json:"buffers"`
	Cached    uint64 `json:"cached"`
	Slab      uint64 `json:"slab"`
	Shmem     uint64 `json:"shmem"`
}

// Used is what is not available to programs.
func (m Memory) Used() uint64 { return m.Total - min(m.Available, m.Total) }

// Pressure is the CPU's pressure stall information: seconds in which some or
// all tasks waited for a CPU.
type Pressure struct {
	Some float64  `json:"someSeconds"`
	Full *float64 `json:"fullSeconds,omitempty"` // not before Linux 5.13
}

// Traffic counts what passed a network interface.
type Traffic struct {
	RxBytes   uint64 `json:"rxBytes"`
	RxPackets uint64 `json:"rxPackets"`
	RxErrors  uint64 `json:"rxErrors"`
	RxDropped uint64 `json:"rxDropped"`
	TxBytes   uint64 `json:"txBytes"`
	TxPackets uint64 `json:"txPackets"`
	TxErrors  uint64 `json:"txErrors"`
	TxDropped uint64 `json:"txDropped"`
}

// Protocols holds counters of /proc/net/snmp, by the names used there. UDP is
// that over IPv4.
type Protocols struct {
	TCP map[string]uint64 `json:"tcp"`
	UDP map[string]uint64 `json:"udp"`
}

// GroupSample is the usage of a group of cgroups.
type GroupSample struct {
	// Usage is the sum over the paths that could be read, nil if none could.
	Usage *Usage `json:"usage,omitempty"`
	// Missing are the paths that do not exist (yet, or any more).
	Missing []string `json:"missing,omitempty"`
}

// Usage is what cgroups use.
type Usage struct {
	// CPU seconds as the scheduler counts them. Interrupts are in it only
	// where the kernel does not account them by themselves.
	CPU    float64 `json:"cpuSeconds"`
	User   float64 `json:"userSeconds"`
	System float64 `json:"systemSeconds"`
	// WorkingSet is memory less inactive page cache, in bytes, as the kubelet
	// computes it.
	WorkingSet uint64 `json:"workingSetBytes"`
}

func (u *Usage) add(v Usage) {
	u.CPU += v.CPU
	u.User += v.User
	u.System += v.System
	u.WorkingSet += v.WorkingSet
}

// Missing returns the paths of each group that were missing in at least one
// sample, sorted.
func (s Series) Missing() map[string][]string {
	missing := map[string][]string{}
	for _, sample := range s.Samples {
		for name, g := range sample.Groups {
			missing[name] = append(missing[name], g.Missing...)
		}
	}
	for name, paths := range missing {
		if len(paths) == 0 {
			delete(missing, name)
			continue
		}
		slices.Sort(paths)
		missing[name] = slices.Compact(paths)
	}
	return missing
}
