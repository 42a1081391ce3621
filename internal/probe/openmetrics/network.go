package openmetrics

import "github.com/cnibench/cnibench/internal/probe/sample"

func (b *builder) network() {
	each(b, Family{Name: "cnibench_softnet_events", Type: Counter, Help: "What the network softirq counted on all CPUs."},
		"event", func(s *sample.Sample) *sample.Softnet { return s.Softnet }, []part[sample.Softnet]{
			{"processed", func(n *sample.Softnet) float64 { return float64(n.Processed) }},
			{"dropped", func(n *sample.Softnet) float64 { return float64(n.Dropped) }},
			{"squeezed", func(n *sample.Softnet) float64 { return float64(n.Squeezed) }},
		})
	b.protocol("tcp", func(p *sample.Protocols) map[string]uint64 { return p.TCP })
	b.protocol("tcp_ext", func(p *sample.Protocols) map[string]uint64 { return p.TCPExt })
	b.protocol("udp", func(p *sample.Protocols) map[string]uint64 { return p.UDP })
	b.protocol("udp6", func(p *sample.Protocols) map[string]uint64 { return p.UDP6 })
	b.traffic()
	b.sockets()
	b.conntrack()
}

func (b *builder) protocol(protocol string, of func(*sample.Protocols) map[string]uint64) {
	b.events("cnibench_protocol_events", "Counters of /proc/net/snmp, netstat and snmp6 by their names there.",
		"event", map[string]string{"protocol": protocol}, func(s *sample.Sample) map[string]uint64 {
			if s.Protocols == nil {
				return nil
			}
			return of(s.Protocols)
		})
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

func (b *builder) sockets() {
	sockets := func(s *sample.Sample) *sample.Sockets { return s.Sockets }
	each(b, Family{Name: "cnibench_sockets", Type: Gauge, Help: "Sockets of the network namespace."},
		"kind", sockets, []part[sample.Sockets]{
			{"all", func(s *sample.Sockets) float64 { return float64(s.Used) }},
			{"tcp", func(s *sample.Sockets) float64 { return float64(s.TCP) }},
			{"tcp_orphan", func(s *sample.Sockets) float64 { return float64(s.Orphans) }},
			{"tcp_time_wait", func(s *sample.Sockets) float64 { return float64(s.TimeWait) }},
			{"udp", func(s *sample.Sockets) float64 { return float64(s.UDP) }},
		})
	optional := func(f Family, label, name string, of func(*sample.Sockets) *uint64) {
		b.add(f, map[string]string{label: name}, func(s *sample.Sample) (float64, bool) {
			if s.Sockets == nil || of(s.Sockets) == nil {
				return 0, false
			}
			return float64(*of(s.Sockets)), true
		})
	}
	kinds := Family{Name: "cnibench_sockets", Type: Gauge, Help: "Sockets of the network namespace."}
	optional(kinds, "kind", "tcp6", func(s *sample.Sockets) *uint64 { return s.TCP6 })
	optional(kinds, "kind", "udp6", func(s *sample.Sockets) *uint64 { return s.UDP6 })
	memory := Family{Name: "cnibench_socket_memory_bytes", Type: Gauge, Unit: "bytes", Help: "Memory in sockets, and of datagrams to put together."}
	each(b, memory, "protocol", sockets, []part[sample.Sockets]{
		{"tcp", func(s *sample.Sockets) float64 { return float64(s.TCPMemory) }},
		{"udp", func(s *sample.Sockets) float64 { return float64(s.UDPMemory) }},
	})
	optional(memory, "protocol", "fragments", func(s *sample.Sockets) *uint64 { return s.Fragments })
}

func (b *builder) conntrack() {
	conntrack := func(s *sample.Sample) *sample.Conntrack { return s.Conntrack }
	one(b, Family{Name: "cnibench_conntrack_entries", Type: Gauge, Help: "Connections that are tracked in the network namespace."},
		conntrack, func(c *sample.Conntrack) float64 { return float64(c.Entries) })
	b.gauge("cnibench_conntrack_limit", "", "How many connections can be tracked.", nil, func(s *sample.Sample) (float64, bool) {
		if s.Conntrack == nil || s.Conntrack.Limit == nil {
			return 0, false
		}
		return float64(*s.Conntrack.Limit), true
	})
	b.events("cnibench_conntrack_events", "Counters of /proc/net/stat/nf_conntrack by their names there.", "event", nil,
		func(s *sample.Sample) map[string]uint64 {
			if s.Conntrack == nil {
				return nil
			}
			return s.Conntrack.Events
		})
}
