package sample

import (
	"bytes"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// parseKeyed fills out with the values of names in a file of "NAME VALUE"
// lines, such as cpu.stat or memory.stat. All names, at most 63, must be there.
func parseKeyed(data []byte, names []string, out []uint64) error {
	var seen uint64 // a bit per name
	for len(data) > 0 && seen != 1<<len(names)-1 {
		var line []byte
		line, data = procfs.NextLine(data)
		key, rest := procfs.NextField(line)
		for i, name := range names {
			if string(key) != name {
				continue
			}
			value, _ := procfs.NextField(rest)
			n, err := procfs.ParseUint(value)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			out[i] = n
			seen |= 1 << i
		}
	}
	if seen != 1<<len(names)-1 {
		return fmt.Errorf("not all of %v are there", names)
	}
	return nil
}

// parseSingle parses a file that holds one number.
func parseSingle(data []byte) (uint64, error) { return procfs.ParseUint(bytes.TrimSpace(data)) }

// workingSet is memory in use less inactive page cache, not below 0, as the
// kubelet's cAdvisor computes it (setMemoryStats in its
// container/libcontainer/handler.go).
func workingSet(usage, inactiveFile uint64) uint64 {
	return usage - min(inactiveFile, usage)
}
