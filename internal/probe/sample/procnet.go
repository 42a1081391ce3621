package sample

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// softnetSum is /proc/net/softnet_stat summed over the CPUs. The kernel's
// counters have 32 bits, so the sum is kept modulo 2³².
type softnetSum struct{ processed, dropped, squeezed uint32 }

// parseSoftnet parses /proc/net/softnet_stat: a line of hexadecimal fields per
// CPU, of which the first three are processed, dropped and time_squeeze
// (softnet_seq_show in the kernel's net/core/net-procfs.c).
func parseSoftnet(data []byte) (softnetSum, error) {
	var sum softnetSum
	lines := 0
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		lines++
		for _, out := range []*uint32{&sum.processed, &sum.dropped, &sum.squeezed} {
			var field []byte
			field, line = procfs.NextField(line)
			n, err := strconv.ParseUint(string(field), 16, 32)
			if err != nil {
				return softnetSum{}, fmt.Errorf("softnet_stat, line %d: %s is no 32-bit hexadecimal number",
					lines, procfs.Quote(string(field)))
			}
			*out += uint32(n)
		}
	}
	if lines == 0 {
		return softnetSum{}, errors.New("softnet_stat is empty")
	}
	return sum, nil
}

// advance adds to s what was counted between two readings.
func (s *Softnet) advance(before, after softnetSum) {
	s.Processed += uint64(after.processed - before.processed)
	s.Dropped += uint64(after.dropped - before.dropped)
	s.Squeezed += uint64(after.squeezed - before.squeezed)
}

// parseNetDev parses /proc/net/dev: two header lines, then per interface eight
// receive and eight transmit counters.
func parseNetDev(data []byte) (map[string]Traffic, error) {
	_, data = procfs.NextLine(data)
	header, data := procfs.NextLine(data)
	if !bytes.Contains(header, []byte("|bytes")) {
		return nil, errors.New("net/dev has no header")
	}
	devices := map[string]Traffic{}
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		// A name may hold a colon, as aliases do; no counter can.
		colon := bytes.LastIndexByte(line, ':')
		if colon < 0 {
			return nil, fmt.Errorf("net/dev has the line %s", procfs.Quote(string(line)))
		}
		name := string(bytes.TrimSpace(line[:colon]))
		var n [12]uint64
		if err := procfs.ParseUints(line[colon+1:], n[:]); err != nil {
			return nil, fmt.Errorf("net/dev, interface %s: %w", procfs.Quote(name), err)
		}
		devices[name] = Traffic{
			RxBytes: n[0], RxPackets: n[1], RxErrors: n[2], RxDropped: n[3],
			TxBytes: n[8], TxPackets: n[9], TxErrors: n[10], TxDropped: n[11],
		}
	}
	return devices, nil
}

// The counters of /proc/net/snmp that tell about a load.
var (
	tcpCounters = []string{"InSegs", "OutSegs", "RetransSegs", "InErrs", "OutRsts", "InCsumErrors"}
	udpCounters = []string{"InDatagrams", "OutDatagrams", "NoPorts", "InErrors", "RcvbufErrors", "SndbufErrors",
		"InCsumErrors", "MemErrors"}
)

// parseSNMP parses /proc/net/snmp: per protocol a line of names and a line of
// values. Counters that the kernel does not have are left out.
func parseSNMP(data []byte) (*Protocols, error) {
	p := &Protocols{}
	for len(data) > 0 {
		var names, values []byte
		names, data = procfs.NextLine(data)
		values, data = procfs.NextLine(data)
		protocol, names := procfs.NextField(names)
		again, values := procfs.NextField(values)
		if !bytes.Equal(protocol, again) {
			return nil, fmt.Errorf("net/snmp has no values for %s", procfs.Quote(string(protocol)))
		}
		var err error
		switch string(protocol) {
		case "Tcp:":
			p.TCP, err = pickCounters(names, values, tcpCounters)
		case "Udp:":
			p.UDP, err = pickCounters(names, values, udpCounters)
		}
		if err != nil {
			return nil, fmt.Errorf("net/snmp, %s %w", protocol, err)
		}
	}
	if p.TCP == nil || p.UDP == nil {
		return nil, errors.New("net/snmp has no Tcp or no Udp")
	}
	return p, nil
}

func pickCounters(names, values []byte, wanted []string) (map[string]uint64, error) {
	picked := make(map[string]uint64, len(wanted))
	for {
		var name, value []byte
		name, names = procfs.NextField(names)
		value, values = procfs.NextField(values)
		if len(name) == 0 && len(value) == 0 {
			return picked, nil
		}
		for _, w := range wanted {
			if string(name) != w {
				continue
			}
			n, err := procfs.ParseUint(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w, err)
			}
			picked[w] = n
		}
	}
}
