package openmetrics

import (
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// modes in the order of /proc/stat.
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

func (b *builder) memory() {
	fields := []struct {
		name string
		of   func(*sample.Memory) uint64
	}{
		{"total", func(m *sample.Memory) uint64 { return m.Total }},
		{"free", func(m *sample.Memory) uint64 { return m.Free }},
		{"available", func(m *sample.Memory) uint64 { return m.Available }},
		{"buffers", func(m *sample.Memory) uint64 { return m.Buffers }},
		{"cached", func(m *sample.Memory) uint64 { return m.Cached }},
		{"slab", func(m *sample.Memory) uint64 { return m.Slab }},
		{"shmem", func(m *sample.Memory) uint64 { return m.Shmem }},
	}
	for _, f := range fields {
		b.gauge("cnibench_memory_bytes", "bytes", "Memory of the machine by the fields of /proc/meminfo.",
			map[string]string{"field": f.name},
			func(s *sample.Sample) (float64, bool) { return float64(f.of(&s.Memory)), true })
	}
}

func (b *builder) network() {
	softnet := []struct {
		name string
		of   func(*sample.Softnet) uint64
	}{
		{"processed", func(n *sample.Softnet) uint64 { return n.Processed }},
		{"dropped", func(n *sample.Softnet) uint64 { return n.Dropped }},
		{"squeezed", func(n *sample.Softnet) uint64 { return n.Squeezed }},
	}
	for _, f := range softnet {
		b.counter("cnibench_softnet_events", "", "What the network softirq counted on all CPUs.",
			map[string]string{"event": f.name}, func(s *sample.Sample) (float64, bool) {
				if s.Softnet == nil {
					return 0, false
				}
				return float64(f.of(s.Softnet)), true
			})
	}
	b.protocol("tcp", func(p *sample.Protocols) map[string]uint64 { return p.TCP })
	b.protocol("udp", func(p *sample.Protocols) map[string]uint64 { return p.UDP })
	b.traffic()
}

func (b *builder) protocol(protocol string, of func(*sample.Protocols) map[string]uint64) {
	counters := func(s *sample.Sample) map[string]uint64 {
		if s.Protocols == nil {
			return nil
		}
		return of(s.Protocols)
	}
	for _, name := range keys(b.samples, counters) {
		b.counter("cnibench_protocol_events", "", "Counters of /proc/net/snmp by their names there.",
			map[string]string{"protocol": protocol, "event": name}, func(s *sample.Sample) (float64, bool) {
				n, ok := counters(s)[name]
				return float64(n), ok
			})
	}
}

func (b *builder) traffic() {
	quantities := []struct {
		name, unit, help, direction string
		of                          func(sample.Traffic) uint64
	}{
		{"bytes", "bytes", "Bytes that passed an interface.", "rx", func(t sample.Traffic) uint64 { return t.RxBytes }},
		{"bytes", "bytes", "Bytes that passed an interface.", "tx", func(t sample.Traffic) uint64 { return t.TxBytes }},
		{"packets", "", "Packets that passed an interface.", "rx", func(t sample.Traffic) uint64 { return t.RxPackets }},
		{"packets", "", "Packets that passed an interface.", "tx", func(t sample.Traffic) uint64 { return t.TxPackets }},
		{"errors", "", "Packets in error at an interface.", "rx", func(t sample.Traffic) uint64 { return t.RxErrors }},
		{"errors", "", "Packets in error at an interface.", "tx", func(t sample.Traffic) uint64 { return t.TxErrors }},
		{"drops", "", "Packets dropped at an interface.", "rx", func(t sample.Traffic) uint64 { return t.RxDropped }},
		{"drops", "", "Packets dropped at an interface.", "tx", func(t sample.Traffic) uint64 { return t.TxDropped }},
	}
	names := keys(b.samples, func(s *sample.Sample) map[string]sample.Traffic { return s.Interfaces })
	for _, q := range quantities {
		for _, name := range names {
			b.counter("cnibench_interface_"+q.name, q.unit, q.help,
				map[string]string{"interface": name, "direction": q.direction},
				func(s *sample.Sample) (float64, bool) {
					t, ok := s.Interfaces[name]
					return float64(q.of(t)), ok
				})
		}
	}
}

func (b *builder) groups() {
	names := keys(b.samples, func(s *sample.Sample) map[string]sample.GroupSample { return s.Groups })
	usage := func(name string, of func(*sample.Usage) float64) value {
		return func(s *sample.Sample) (float64, bool) {
			u := s.Groups[name].Usage
			if u == nil {
				return 0, false
			}
			return of(u), true
		}
	}
	for _, name := range names {
		b.counter("cnibench_group_cpu_seconds", "seconds", "CPU time of a group of cgroups.",
			map[string]string{"group": name}, usage(name, func(u *sample.Usage) float64 { return u.CPU }))
	}
	for _, name := range names {
		b.gauge("cnibench_group_working_set_bytes", "bytes", "Memory of a group of cgroups, less inactive page cache.",
			map[string]string{"group": name}, usage(name, func(u *sample.Usage) float64 { return float64(u.WorkingSet) }))
	}
	for _, name := range names {
		b.gauge("cnibench_group_missing", "", "Cgroups of a group that do not exist; its figures leave them out.",
			map[string]string{"group": name}, func(s *sample.Sample) (float64, bool) {
				g, ok := s.Groups[name]
				return float64(len(g.Missing)), ok
			})
	}
}
