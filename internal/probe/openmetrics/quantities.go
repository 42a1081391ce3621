package openmetrics

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// modes are CPU times by the names of the label "mode".
var modes = []struct {
	name string
	of   func(*sample.Modes) float64
}{
	{"user", func(m *sample.Modes) float64 { return m.User }},
	{"nice", func(m *sample.Modes) float64 { return m.Nice }},
	{"system", func(m *sample.Modes) float64 { return m.System }},
	{"idle", func(m *sample.Modes) float64 { return m.Idle }},
	{"iowait", func(m *sample.Modes) float64 { return m.IOWait }},
	{"irq", func(m *sample.Modes) float64 { return m.IRQ }},
	{"softirq", func(m *sample.Modes) float64 { return m.SoftIRQ }},
	{"steal", func(m *sample.Modes) float64 { return m.Steal }},
}

// CPUFamily counts the CPU time of a machine by the label "mode".
const CPUFamily = "cnibench_cpu_seconds"

// Families of what a load generator reports of each stream over time.
const (
	ThroughputFamily  = "cnibench_throughput_bits_per_second"
	RetransmitsFamily = "cnibench_retransmits_segments_per_second"
)

func (b *builder) cpu() {
	for _, mode := range modes {
		b.counter(CPUFamily, "seconds", "CPU time of all cores by mode.",
			map[string]string{"mode": mode.name},
			func(s *sample.Sample) (float64, bool) { return mode.of(&s.CPU), true })
	}
	for _, id := range coreIDs(b.samples) {
		for _, mode := range modes {
			b.counter("cnibench_core_cpu_seconds", "seconds", "CPU time of one core by mode.",
				map[string]string{"core": strconv.Itoa(id), "mode": mode.name},
				func(s *sample.Sample) (float64, bool) {
					i := slices.IndexFunc(s.Cores, func(c sample.Core) bool { return c.ID == id })
					if i < 0 {
						return 0, false
					}
					return mode.of(&s.Cores[i].Modes), true
				})
		}
	}
	b.counter("cnibench_context_switches", "", "Context switches of all CPUs.",
		nil, func(s *sample.Sample) (float64, bool) { return float64(s.ContextSwitches), true })
	b.events("cnibench_softirqs", "Runs of softirq handlers on all CPUs.", "kind", nil,
		func(s *sample.Sample) map[string]uint64 { return s.SoftIRQs })
	tasks := func(s *sample.Sample) *sample.Tasks { return s.Tasks }
	each(b, Family{Name: "cnibench_tasks", Type: Gauge, Help: "Tasks by what they wait for: running ones for a CPU at most, blocked ones for input or output."},
		"state", tasks, []part[sample.Tasks]{
			{"running", func(t *sample.Tasks) float64 { return float64(t.Running) }},
			{"blocked", func(t *sample.Tasks) float64 { return float64(t.Blocked) }},
		})
	one(b, Family{Name: "cnibench_forks", Type: Counter, Help: "Processes and threads that began."},
		tasks, func(t *sample.Tasks) float64 { return float64(t.Forks) })
	b.pressure()
}

func coreIDs(samples []sample.Sample) []int {
	all := map[int]bool{}
	for i := range samples {
		for _, c := range samples[i].Cores {
			all[c.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (b *builder) pressure() {
	const name, help = "cnibench_pressure_seconds", "Time in which some or all tasks waited for a resource."
	for _, resource := range keys(b.samples, func(s *sample.Sample) map[string]sample.Pressure { return s.Pressure }) {
		b.counter(name, "seconds", help, map[string]string{"resource": resource, "share": "some"},
			func(s *sample.Sample) (float64, bool) {
				p, ok := s.Pressure[resource]
				return p.Some, ok
			})
		b.counter(name, "seconds", help, map[string]string{"resource": resource, "share": "full"},
			func(s *sample.Sample) (float64, bool) {
				p := s.Pressure[resource].Full
				if p == nil {
					return 0, false
				}
				return *p, true
			})
	}
}

func (b *builder) memory() {
	each(b, Family{Name: "cnibench_memory_bytes", Type: Gauge, Unit: "bytes",
		Help: "Memory of the machine by the fields of /proc/meminfo. used is total less available; less_caches is total less free, buffers, cached and reclaimable."},
		"field", func(s *sample.Sample) *sample.Memory { return s.Memory }, []part[sample.Memory]{
			{"total", func(m *sample.Memory) float64 { return float64(m.Total) }},
			{"free", func(m *sample.Memory) float64 { return float64(m.Free) }},
			{"available", func(m *sample.Memory) float64 { return float64(m.Available) }},
			{"buffers", func(m *sample.Memory) float64 { return float64(m.Buffers) }},
			{"cached", func(m *sample.Memory) float64 { return float64(m.Cached) }},
			{"slab", func(m *sample.Memory) float64 { return float64(m.Slab) }},
			{"reclaimable", func(m *sample.Memory) float64 { return float64(m.Reclaimable) }},
			{"shmem", func(m *sample.Memory) float64 { return float64(m.Shmem) }},
			{"used", func(m *sample.Memory) float64 { return float64(m.Used()) }},
			{"less_caches", func(m *sample.Memory) float64 { return float64(m.LessCaches()) }},
		})
}

func (b *builder) disks() {
	quantities := []struct {
		name, unit, help, direction string
		of                          func(sample.Disk) float64
	}{
		{"bytes", "bytes", "Bytes that a block device read or wrote.", "read", func(d sample.Disk) float64 { return float64(d.ReadBytes) }},
		{"bytes", "bytes", "Bytes that a block device read or wrote.", "written", func(d sample.Disk) float64 { return float64(d.WrittenBytes) }},
		{"operations", "", "Reads and writes of a block device.", "read", func(d sample.Disk) float64 { return float64(d.Reads) }},
		{"operations", "", "Reads and writes of a block device.", "written", func(d sample.Disk) float64 { return float64(d.Writes) }},
		{"busy_seconds", "seconds", "Time in which a block device had something to do.", "", func(d sample.Disk) float64 { return d.Busy }},
	}
	names := keys(b.samples, func(s *sample.Sample) map[string]sample.Disk { return s.Disks })
	for _, q := range quantities {
		for _, name := range names {
			labels := map[string]string{"device": name}
			if q.direction != "" {
				labels["direction"] = q.direction
			}
			b.counter("cnibench_disk_"+q.name, q.unit, q.help, labels, func(s *sample.Sample) (float64, bool) {
				d, ok := s.Disks[name]
				return q.of(d), ok
			})
		}
	}
}

// processor is what CPUs tell of themselves.
func (b *builder) processor() {
	each(b, Family{Name: "cnibench_cpu_frequency_hertz", Type: Gauge, Unit: "hertz", Help: "How fast the CPUs run."},
		"statistic", func(s *sample.Sample) *sample.Frequency { return s.Frequency }, []part[sample.Frequency]{
			{"mean", func(f *sample.Frequency) float64 { return f.Mean }},
			{"min", func(f *sample.Frequency) float64 { return f.Min }},
			{"max", func(f *sample.Frequency) float64 { return f.Max }},
		})
	each(b, Family{Name: "cnibench_cpu_throttles", Type: Counter, Help: "How often heat slowed down a core or a package."},
		"scope", func(s *sample.Sample) *sample.Throttles { return s.Throttles }, []part[sample.Throttles]{
			{"core", func(t *sample.Throttles) float64 { return float64(t.Core) }},
			{"package", func(t *sample.Throttles) float64 { return float64(t.Package) }},
		})
	for _, name := range keys(b.samples, func(s *sample.Sample) map[string]float64 { return s.Energy }) {
		b.counter("cnibench_energy_joules", "joules", "Energy that a CPU package used.",
			map[string]string{"package": name}, func(s *sample.Sample) (float64, bool) {
				joules, ok := s.Energy[name]
				return joules, ok
			})
	}
	hardware := func(s *sample.Sample) *sample.Hardware { return s.Hardware }
	one(b, Family{Name: "cnibench_cpu_cycles", Type: Counter, Help: "Cycles of all CPUs that were not halted."},
		hardware, func(h *sample.Hardware) float64 { return float64(h.Cycles) })
	one(b, Family{Name: "cnibench_cpu_instructions", Type: Counter, Help: "Instructions that all CPUs retired."},
		hardware, func(h *sample.Hardware) float64 { return float64(h.Instructions) })
}
