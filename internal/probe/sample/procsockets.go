package sample

import (
	"errors"
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// parseSockstat parses /proc/net/sockstat (sockstat_seq_show in the kernel's
// net/ipv4/proc.c): lines of a protocol with pairs of a name and a number.
// Memory is in pages.
func parseSockstat(data []byte, pageSize uint64) (*Sockets, error) {
	var s Sockets
	found := 0
	err := eachPair(data, func(protocol, name string, n uint64) {
		found++
		switch protocol + name {
		case "sockets:used":
			s.Used = n
		case "TCP:inuse":
			s.TCP = n
		case "TCP:orphan":
			s.Orphans = n
		case "TCP:tw":
			s.TimeWait = n
		case "TCP:mem":
			s.TCPMemory = n * pageSize
		case "UDP:inuse":
			s.UDP = n
		case "UDP:mem":
			s.UDPMemory = n * pageSize
		case "FRAG:memory":
			found--
			s.Fragments = &n
		default:
			found--
		}
	})
	if err != nil {
		return nil, fmt.Errorf("sockstat, %w", err)
	}
	if found != 7 {
		return nil, errors.New("sockstat lacks one of sockets used, TCP inuse, orphan, tw, mem, UDP inuse, mem")
	}
	return &s, nil
}

// parseSockstat6 adds /proc/net/sockstat6 to s.
func parseSockstat6(data []byte, s *Sockets) error {
	err := eachPair(data, func(protocol, name string, n uint64) {
		switch protocol + name {
		case "TCP6:inuse":
			s.TCP6 = &n
		case "UDP6:inuse":
			s.UDP6 = &n
		}
	})
	if err != nil {
		return fmt.Errorf("sockstat6, %w", err)
	}
	if s.TCP6 == nil || s.UDP6 == nil {
		return errors.New("sockstat6 lacks one of TCP6 inuse, UDP6 inuse")
	}
	return nil
}

func eachPair(data []byte, pair func(protocol, name string, n uint64)) error {
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		protocol, rest := procfs.NextField(line)
		for {
			var name, value []byte
			if name, rest = procfs.NextField(rest); len(name) == 0 {
				break
			}
			value, rest = procfs.NextField(rest)
			n, err := procfs.ParseUint(value)
			if err != nil {
				return fmt.Errorf("%s %s: %w", protocol, name, err)
			}
			if n > math.MaxInt64>>16 { // pages of 64 KiB
				return fmt.Errorf("%s %s: %d", protocol, name, n)
			}
			pair(string(protocol), string(name), n)
		}
	}
	return nil
}
