package sample

import (
	"bytes"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// keyed are the values of names in a file of "NAME VALUE" lines, such as
// cpu.stat or memory.stat.
type keyed struct {
	names    []string // at most 63
	required int      // so many of the first must be there
	values   []uint64
	seen     uint64 // a bit per name
}

func newKeyed(required int, names ...string) *keyed {
	return &keyed{names: names, required: required, values: make([]uint64, len(names))}
}

// parse replaces the values by those in data.
func (k *keyed) parse(data []byte) error {
	k.seen = 0
	for len(data) > 0 && k.seen != 1<<len(k.names)-1 {
		var line []byte
		line, data = procfs.NextLine(data)
		key, rest := procfs.NextField(line)
		for i, name := range k.names {
			if string(key) != name {
				continue
			}
			n, err := parseFirst(rest)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			k.values[i] = n
			k.seen |= 1 << i
		}
	}
	for i, name := range k.names[:k.required] {
		if k.seen&(1<<i) == 0 {
			return fmt.Errorf("%s is not there", name)
		}
	}
	return nil
}

// optional is the i-th value, nil if it was not there.
func (k *keyed) optional(i int) *uint64 {
	if k.seen&(1<<i) == 0 {
		return nil
	}
	n := k.values[i]
	return &n
}

// parseSingle parses a file that holds one number.
func parseSingle(data []byte) (uint64, error) { return procfs.ParseUint(bytes.TrimSpace(data)) }

// workingSet is memory in use less inactive page cache, not below 0, as the
// kubelet's cAdvisor computes it (setMemoryStats in its
// container/libcontainer/handler.go).
func workingSet(usage, inactiveFile uint64) uint64 {
	return usage - min(inactiveFile, usage)
}
