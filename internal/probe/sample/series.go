package sample

import (
	"slices"
	"time"
)

// Series is what a sampler saw of one node. Everything but gauges counts up
// from an arbitrary start.
type Series struct {
	Hostname      string        `json:"hostname"`
	Interval      time.Duration `json:"intervalNs"`
	CgroupVersion int           `json:"cgroupVersion"` // 1 or 2, or 0 where no group was sampled
	// IRQTime is how the kernel accounts the CPU time of interrupts: "exact",
	// "tick" (sampled by the timer) or "unknown".
	IRQTime string `json:"irqTimeAccounting"`
	// Groups are the cgroups of each group, as the specification named them.
	Groups map[string][]string `json:"groups,omitempty"`
	// Faults are in order of time.
	Faults  []Fault  `json:"faults,omitempty"`
	Samples []Sample `json:"samples"`
}

// Sample is the state of a node at one moment. What the kernel does not offer
// is nil or not in the map, never 0.
type Sample struct {
	At              time.Time              `json:"at"`     // UTC
	Mono            time.Duration          `json:"monoNs"` // CLOCK_MONOTONIC
	CPU             Modes                  `json:"cpu"`    // all cores together, those off line too
	Cores           []Core                 `json:"cores"`  // those on line
	ContextSwitches uint64                 `json:"contextSwitches"`
	SoftIRQs        map[string]uint64      `json:"softirqs,omitempty"` // runs of handlers, by the kernel's names: NET_RX
	Tasks           *Tasks                 `json:"tasks,omitempty"`
	Softnet         *Softnet               `json:"softnet,omitempty"`
	Memory          *Memory                `json:"memory,omitempty"`
	Sockets         *Sockets               `json:"sockets,omitempty"`
	Pressure        map[string]Pressure    `json:"pressure,omitempty"`   // on cpu, memory, io
	Interfaces      map[string]Traffic     `json:"interfaces,omitempty"` // of the sampler's network namespace
	Disks           map[string]Disk        `json:"disks,omitempty"`      // whole devices
	Protocols       *Protocols             `json:"protocols,omitempty"`
	Conntrack       *Conntrack             `json:"conntrack,omitempty"`
	Frequency       *Frequency             `json:"frequency,omitempty"`
	Throttles       *Throttles             `json:"throttles,omitempty"`
	Energy          map[string]float64     `json:"energyJoules,omitempty"` // of CPU packages, by name: package-0
	Hardware        *Hardware              `json:"hardware,omitempty"`
	Groups          map[string]GroupSample `json:"groups,omitempty"`
	// Own is the CPU time of the sampling process, in seconds.
	Own float64 `json:"ownSeconds"`
}

// GroupSample is the usage of a group of cgroups.
type GroupSample struct {
	// Usage is the sum over the paths that could be read, nil if none could.
	Usage *Usage `json:"usage,omitempty"`
	// Missing are the paths that do not exist (yet, or any more).
	Missing []string `json:"missing,omitempty"`
	// Restarts counts how often a cgroup was replaced by another of its name,
	// whose counters begin at 0.
	Restarts uint64 `json:"restarts,omitempty"`
}

// Usage is what cgroups use.
type Usage struct {
	// CPU seconds as the scheduler counts them. Interrupts are in it only
	// where the kernel does not account them by themselves.
	CPU    float64 `json:"cpuSeconds"`
	User   float64 `json:"userSeconds"`
	System float64 `json:"systemSeconds"`
	// Throttled is how long CPU limits held them back. Cgroup v2.
	Throttled *float64 `json:"throttledSeconds,omitempty"`
	// WorkingSet is memory less inactive page cache, in bytes, as the kubelet
	// computes it.
	WorkingSet uint64 `json:"workingSetBytes"`
	// Anon is memory of programs, File page cache and shared memory. Kernel
	// and Socket are memory that the kernel holds for them. Cgroup v2 has all
	// of them (Kernel since Linux 5.18), v1 the first two. In bytes.
	Anon   *uint64 `json:"anonBytes,omitempty"`
	File   *uint64 `json:"fileBytes,omitempty"`
	Kernel *uint64 `json:"kernelBytes,omitempty"`
	Socket *uint64 `json:"socketBytes,omitempty"`
}

// plus is the sum of two usages. What one of them lacks, the sum lacks.
func (u Usage) plus(v Usage) Usage {
	return Usage{
		CPU: u.CPU + v.CPU, User: u.User + v.User, System: u.System + v.System,
		WorkingSet: u.WorkingSet + v.WorkingSet,
		Throttled:  sum(u.Throttled, v.Throttled),
		Anon:       sum(u.Anon, v.Anon), File: sum(u.File, v.File),
		Kernel: sum(u.Kernel, v.Kernel), Socket: sum(u.Socket, v.Socket),
	}
}

func sum[N uint64 | float64](a, b *N) *N {
	if a == nil || b == nil {
		return nil
	}
	both := *a + *b
	return &both
}

// Missing returns the paths of each group that were missing in at least one
// sample, sorted.
func (s Series) Missing() map[string][]string {
	missing := map[string][]string{}
	for i := range s.Samples {
		for name, paths := range s.Samples[i].Missing() {
			missing[name] = append(missing[name], paths...)
		}
	}
	for name, paths := range missing {
		slices.Sort(paths)
		missing[name] = slices.Compact(paths)
	}
	return missing
}

// Missing returns the paths of each group that are missing.
func (s *Sample) Missing() map[string][]string {
	missing := map[string][]string{}
	for name, g := range s.Groups {
		if len(g.Missing) > 0 {
			missing[name] = slices.Clone(g.Missing)
		}
	}
	return missing
}
