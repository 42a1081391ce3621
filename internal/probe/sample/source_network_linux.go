package sample

import (
	"fmt"
	"os"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// networkSources adds what the network namespace of the sampler tells.
func (s *Sampler) networkSources() {
	dev := s.proc("net/dev")
	s.add(SourceInterfaces, "interfaces", func(sample *Sample) (err error) {
		sample.Interfaces, err = read(dev, parseNetDev)
		return err
	})
	stat, softnet := s.proc("net/softnet_stat"), softnetCounter{}
	s.add(SourceSoftnet, "softnet", func(sample *Sample) error {
		lines, err := read(stat, parseSoftnet)
		if err != nil {
			return err
		}
		sum, wraps := softnet.add(lines)
		for _, cpu := range wraps {
			s.changed(sample, "softnet", fmt.Sprintf("a counter of CPU %d", cpu), wrapped)
		}
		sample.Softnet = &sum
		return nil
	})
	s.protocolSources()
	s.socketSources()
	s.conntrackSources()
}

func (s *Sampler) protocolSources() {
	snmp, netstat, snmp6 := s.proc("net/snmp"), s.proc("net/netstat"), s.proc("net/snmp6")
	tables := []struct {
		figure string
		file   *procfs.File
		parse  func([]byte) (map[string]uint64, error)
		of     func(*Protocols) *map[string]uint64
	}{
		{"protocols/tcp", snmp, (&protocolTable{protocol: "Tcp:", wanted: tcpCounters}).parse,
			func(p *Protocols) *map[string]uint64 { return &p.TCP }},
		{"protocols/udp", snmp, (&protocolTable{protocol: "Udp:", wanted: udpCounters}).parse,
			func(p *Protocols) *map[string]uint64 { return &p.UDP }},
		{"protocols/tcpExt", netstat, (&protocolTable{protocol: "TcpExt:", wanted: tcpExtCounters}).parse,
			func(p *Protocols) *map[string]uint64 { return &p.TCPExt }},
		{"protocols/udp6", snmp6, parseUDP6,
			func(p *Protocols) *map[string]uint64 { return &p.UDP6 }},
	}
	for _, t := range tables {
		s.add(SourceProtocols, t.figure, func(sample *Sample) error {
			counters, err := read(t.file, t.parse)
			if err != nil {
				return err
			}
			if sample.Protocols == nil {
				sample.Protocols = &Protocols{}
			}
			*t.of(sample.Protocols) = counters
			return nil
		})
	}
}

func (s *Sampler) socketSources() {
	v4, v6, pageSize := s.proc("net/sockstat"), s.proc("net/sockstat6"), uint64(os.Getpagesize())
	s.add(SourceSockets, "sockets", func(sample *Sample) (err error) {
		sample.Sockets, err = read(v4, func(data []byte) (*Sockets, error) { return parseSockstat(data, pageSize) })
		return err
	})
	s.add(SourceSockets, "sockets/tcp6", func(sample *Sample) error {
		if sample.Sockets == nil {
			return nil // that has its own reason
		}
		_, err := read(v6, func(data []byte) (any, error) { return nil, parseSockstat6(data, sample.Sockets) })
		return err
	})
}

func (s *Sampler) conntrackSources() {
	count, limit := s.proc("sys/net/netfilter/nf_conntrack_count"), s.proc("sys/net/netfilter/nf_conntrack_max")
	events, counters := s.proc("net/stat/nf_conntrack"), map[string]*counter32{}
	s.add(SourceConntrack, "conntrack", func(sample *Sample) error {
		entries, err := read(count, parseSingle)
		if err != nil {
			return err
		}
		sample.Conntrack = &Conntrack{Entries: entries}
		return nil
	})
	s.add(SourceConntrack, "conntrack/limit", func(sample *Sample) error {
		if sample.Conntrack == nil {
			return nil // that has its own reason
		}
		n, err := read(limit, parseSingle)
		if err != nil {
			return err
		}
		sample.Conntrack.Limit = &n
		return nil
	})
	s.add(SourceConntrack, "conntrack/events", func(sample *Sample) error {
		if sample.Conntrack == nil {
			return nil
		}
		read, err := read(events, ParseConntrackStat)
		if err != nil {
			return err
		}
		for event, n := range read {
			if counters[event] == nil {
				counters[event] = &counter32{}
			}
			s.changed(sample, "conntrack/events/"+event, "the counter of a CPU", counters[event].add(n))
			read[event] = counters[event].total
		}
		sample.Conntrack.Events = read
		return nil
	})
}
