package sample

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// The counters of /proc/net/snmp, /proc/net/netstat and /proc/net/snmp6 that
// tell about a load.
var (
	tcpCounters = []string{"ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets", "InSegs", "OutSegs",
		"RetransSegs", "InErrs", "OutRsts", "InCsumErrors"}
	udpCounters = []string{"InDatagrams", "OutDatagrams", "NoPorts", "InErrors", "RcvbufErrors", "SndbufErrors",
		"InCsumErrors", "MemErrors"}
	tcpExtCounters = []string{"ListenOverflows", "ListenDrops", "SyncookiesSent", "TCPTimeouts", "TCPLostRetransmit",
		"TCPFastRetrans", "TCPSlowStartRetrans", "TCPSynRetrans", "TCPSpuriousRTOs", "TCPLossProbes", "TCPRetransFail",
		"TCPBacklogDrop", "TCPRcvQDrop", "TCPOFOQueue", "TCPOFODrop", "TCPZeroWindowDrop", "PruneCalled", "RcvPruned",
		"TCPMemoryPressures", "TCPAbortOnMemory", "TCPAbortOnTimeout", "TCPTimeWaitOverflow", "TCPReqQFullDrop",
		"TCPDSACKRecv", "TCPSACKReorder", "PFMemallocDrop", "IPReversePathFilter"}
)

// protocolTable is a table of the form of /proc/net/snmp: per protocol a line
// of names and a line of values. It remembers which columns are wanted, since
// the names stay the same.
type protocolTable struct {
	protocol string // as in the file, "Tcp:"
	wanted   []string
	names    []byte // the line of names that columns are of
	columns  []string
}

// parse returns the wanted counters that the kernel has. It is an error if the
// protocol is not there.
func (t *protocolTable) parse(data []byte) (map[string]uint64, error) {
	for len(data) > 0 {
		var names, values []byte
		names, data = procfs.NextLine(data)
		values, data = procfs.NextLine(data)
		protocol, names := procfs.NextField(names)
		again, values := procfs.NextField(values)
		if !bytes.Equal(protocol, again) {
			return nil, fmt.Errorf("%s has no values", procfs.Quote(string(protocol)))
		}
		if string(protocol) == t.protocol {
			return t.pick(names, values)
		}
	}
	return nil, fmt.Errorf("there is no %s", t.protocol)
}

func (t *protocolTable) pick(names, values []byte) (map[string]uint64, error) {
	if !bytes.Equal(names, t.names) {
		t.names, t.columns = bytes.Clone(names), nil
		for {
			var name []byte
			if name, names = procfs.NextField(names); len(name) == 0 {
				break
			}
			column := "" // not wanted
			for _, w := range t.wanted {
				if string(name) == w {
					column = w
				}
			}
			t.columns = append(t.columns, column)
		}
	}
	picked := make(map[string]uint64, len(t.wanted))
	for _, column := range t.columns {
		var value []byte
		value, values = procfs.NextField(values)
		if column == "" {
			continue
		}
		n, err := procfs.ParseUint(value)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.protocol, column, err)
		}
		picked[column] = n
	}
	return picked, nil
}

// parseUDP6 picks the counters of UDP over IPv6 out of /proc/net/snmp6, which
// has lines of a name and a value.
func parseUDP6(data []byte) (map[string]uint64, error) {
	picked := make(map[string]uint64, len(udpCounters))
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		name, rest := procfs.NextField(line)
		name, ok := bytes.CutPrefix(name, []byte("Udp6"))
		if !ok {
			continue
		}
		for _, w := range udpCounters {
			if string(name) != w {
				continue
			}
			n, err := parseFirst(rest)
			if err != nil {
				return nil, fmt.Errorf("net/snmp6, Udp6%s: %w", w, err)
			}
			picked[w] = n
		}
	}
	if len(picked) == 0 {
		return nil, errors.New("net/snmp6 has no Udp6")
	}
	return picked, nil
}
