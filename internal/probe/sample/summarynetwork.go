package sample

// network fills in what has to do with the network.
func (c *cover) network(sum *Summary) {
	if c.have("softnet", func(s *Sample) bool { return s.Softnet != nil }) {
		if r, ok := c.rates("softnet",
			func(s *Sample) float64 { return float64(s.Softnet.Processed) },
			func(s *Sample) float64 { return float64(s.Softnet.Dropped) },
			func(s *Sample) float64 { return float64(s.Softnet.Squeezed) }); ok {
			sum.Softnet = &SoftnetRates{Processed: r[0], Dropped: r[1], Squeezed: r[2]}
		}
	}
	if c.have("sockets", func(s *Sample) bool { return s.Sockets != nil }) {
		sum.Sockets = c.sockets()
	}
	sum.Interfaces = c.interfaces()
	if c.have("protocols", func(s *Sample) bool { return s.Protocols != nil }) {
		sum.Protocols = &ProtocolRates{
			TCP:    c.counters("protocols/tcp", func(s *Sample) map[string]uint64 { return s.Protocols.TCP }),
			TCPExt: c.counters("protocols/tcpExt", func(s *Sample) map[string]uint64 { return s.Protocols.TCPExt }),
			UDP:    c.counters("protocols/udp", func(s *Sample) map[string]uint64 { return s.Protocols.UDP }),
			UDP6:   c.counters("protocols/udp6", func(s *Sample) map[string]uint64 { return s.Protocols.UDP6 }),
		}
	}
	if c.have("conntrack", func(s *Sample) bool { return s.Conntrack != nil }) {
		sum.Conntrack = &ConntrackSummary{
			Entries: c.gauge(func(s *Sample) float64 { return float64(s.Conntrack.Entries) }),
			Limit:   c.samples[len(c.samples)-1].Conntrack.Limit,
			Events:  c.counters("conntrack/events", func(s *Sample) map[string]uint64 { return s.Conntrack.Events }),
		}
	}
}

func (c *cover) sockets() *SocketSummary {
	gauge := func(v func(*Sockets) uint64) Gauge {
		return c.gauge(func(s *Sample) float64 { return float64(v(s.Sockets)) })
	}
	also := func(n uint64, more *uint64) uint64 {
		if more == nil {
			return n
		}
		return n + *more
	}
	return &SocketSummary{
		TCP:       gauge(func(s *Sockets) uint64 { return also(s.TCP, s.TCP6) }),
		Orphans:   gauge(func(s *Sockets) uint64 { return s.Orphans }),
		TimeWait:  gauge(func(s *Sockets) uint64 { return s.TimeWait }),
		UDP:       gauge(func(s *Sockets) uint64 { return also(s.UDP, s.UDP6) }),
		TCPMemory: gauge(func(s *Sockets) uint64 { return s.TCPMemory }),
		UDPMemory: gauge(func(s *Sockets) uint64 { return s.UDPMemory }),
	}
}

func (c *cover) interfaces() map[string]TrafficRates {
	return summarizeEach(c, "interfaces", func(s *Sample) map[string]Traffic { return s.Interfaces },
		func(figure string, of func(*Sample) Traffic) (TrafficRates, bool) {
			r, ok := c.rates(figure,
				func(s *Sample) float64 { return float64(of(s).RxBytes) },
				func(s *Sample) float64 { return float64(of(s).RxPackets) },
				func(s *Sample) float64 { t := of(s); return float64(t.RxErrors + t.RxDropped) },
				func(s *Sample) float64 { return float64(of(s).TxBytes) },
				func(s *Sample) float64 { return float64(of(s).TxPackets) },
				func(s *Sample) float64 { t := of(s); return float64(t.TxErrors + t.TxDropped) })
			if !ok {
				return TrafficRates{}, false
			}
			return TrafficRates{RxBytes: r[0], RxPackets: r[1], RxLost: r[2], TxBytes: r[3], TxPackets: r[4], TxLost: r[5]}, true
		})
}
