package sample

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// conntrackEvents are the columns of /proc/net/stat/nf_conntrack that tell of
// trouble. Not every kernel has all of them.
var conntrackEvents = []string{"drop", "early_drop", "insert_failed", "invalid", "clashres", "search_restart", "chaintoolong"}

// ParseConntrackStat parses /proc/net/stat/nf_conntrack: a line of names, then
// per CPU a line of hexadecimal counters of 32 bits (ct_cpu_seq_show in the
// kernel's net/netfilter/nf_conntrack_standalone.c). It returns the sums over
// the CPUs, all of which have a line whether they are on line or not.
func ParseConntrackStat(data []byte) (map[string]uint64, error) {
	header, data := procfs.NextLine(data)
	var columns []string
	for {
		var name []byte
		if name, header = procfs.NextField(header); len(name) == 0 {
			break
		}
		column := ""
		for _, event := range conntrackEvents {
			if string(name) == event {
				column = event
			}
		}
		columns = append(columns, column)
	}
	events := map[string]uint64{}
	lines := 0
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if first, _ := procfs.NextField(line); len(first) == 0 {
			continue
		}
		lines++
		for _, column := range columns {
			var field []byte
			field, line = procfs.NextField(line)
			if column == "" {
				continue
			}
			n, err := strconv.ParseUint(string(field), 16, 32)
			if err != nil {
				return nil, fmt.Errorf("nf_conntrack, line %d, %s: %s is no 32-bit hexadecimal number",
					lines, column, procfs.Quote(string(field)))
			}
			events[column] += n
		}
	}
	if lines == 0 || len(events) == 0 {
		return nil, errors.New("nf_conntrack has no counters")
	}
	return events, nil
}
