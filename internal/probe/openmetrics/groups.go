package openmetrics

import "github.com/cnibench/cnibench/internal/probe/sample"

func (b *builder) groups() {
	quantities := []struct {
		family Family
		label  string // besides the group
		value  string
		of     func(*sample.Usage) *float64
	}{
		{groupCPU, "", "", func(u *sample.Usage) *float64 { return &u.CPU }},
		{groupModes, "mode", "user", func(u *sample.Usage) *float64 { return &u.User }},
		{groupModes, "mode", "system", func(u *sample.Usage) *float64 { return &u.System }},
		{groupThrottled, "", "", func(u *sample.Usage) *float64 { return u.Throttled }},
		{groupWorkingSet, "", "", func(u *sample.Usage) *float64 { return inBytes(&u.WorkingSet) }},
		{groupMemory, "kind", "anon", func(u *sample.Usage) *float64 { return inBytes(u.Anon) }},
		{groupMemory, "kind", "file", func(u *sample.Usage) *float64 { return inBytes(u.File) }},
		{groupMemory, "kind", "kernel", func(u *sample.Usage) *float64 { return inBytes(u.Kernel) }},
		{groupMemory, "kind", "socket", func(u *sample.Usage) *float64 { return inBytes(u.Socket) }},
	}
	names := keys(b.samples, func(s *sample.Sample) map[string]sample.GroupSample { return s.Groups })
	for _, q := range quantities {
		for _, name := range names {
			labels := map[string]string{"group": name}
			if q.label != "" {
				labels[q.label] = q.value
			}
			b.add(q.family, labels, func(s *sample.Sample) (float64, bool) {
				u := s.Groups[name].Usage
				if u == nil || q.of(u) == nil {
					return 0, false
				}
				return *q.of(u), true
			})
		}
	}
	for _, name := range names {
		b.gauge("cnibench_group_missing", "", "Cgroups of a group that do not exist; its figures leave them out.",
			map[string]string{"group": name}, func(s *sample.Sample) (float64, bool) {
				g, ok := s.Groups[name]
				return float64(len(g.Missing)), ok
			})
	}
	for _, name := range names {
		b.counter("cnibench_group_restarts", "", "How often a cgroup of a group was replaced by another, whose counters begin at 0.",
			map[string]string{"group": name}, func(s *sample.Sample) (float64, bool) {
				g, ok := s.Groups[name]
				return float64(g.Restarts), ok
			})
	}
}

var (
	groupCPU        = Family{Name: "cnibench_group_cpu_seconds", Type: Counter, Unit: "seconds", Help: "CPU time of a group of cgroups."}
	groupModes      = Family{Name: "cnibench_group_cpu_mode_seconds", Type: Counter, Unit: "seconds", Help: "CPU time of a group of cgroups by mode."}
	groupThrottled  = Family{Name: "cnibench_group_throttled_seconds", Type: Counter, Unit: "seconds", Help: "Time for which CPU limits held a group of cgroups back."}
	groupWorkingSet = Family{Name: "cnibench_group_working_set_bytes", Type: Gauge, Unit: "bytes", Help: "Memory of a group of cgroups, less inactive page cache."}
	groupMemory     = Family{Name: "cnibench_group_memory_bytes", Type: Gauge, Unit: "bytes", Help: "Memory of a group of cgroups by kind."}
)

func inBytes(n *uint64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}
