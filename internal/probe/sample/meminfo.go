package sample

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// parseMeminfo parses /proc/meminfo, whose kB are 1024 bytes.
func parseMeminfo(data []byte) (*Memory, error) {
	var m Memory
	found := map[string]bool{}
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		name, rest, _ := bytes.Cut(line, []byte{':'})
		target := m.field(string(name))
		if target == nil {
			continue
		}
		field, _ := procfs.NextField(rest)
		n, err := procfs.ParseUint(field)
		if err != nil {
			return nil, fmt.Errorf("meminfo, %s: %w", name, err)
		}
		if n > math.MaxUint64/1024 {
			return nil, fmt.Errorf("meminfo, %s: %d kB", name, n)
		}
		*target = n * 1024
		found[string(name)] = true
	}
	if len(found) < 8 {
		return nil, errors.New("meminfo lacks one of MemTotal, MemFree, MemAvailable, Buffers, Cached, Slab, SReclaimable, Shmem")
	}
	return &m, nil
}

func (m *Memory) field(name string) *uint64 {
	switch name {
	case "MemTotal":
		return &m.Total
	case "MemFree":
		return &m.Free
	case "MemAvailable":
		return &m.Available
	case "Buffers":
		return &m.Buffers
	case "Cached":
		return &m.Cached
	case "Slab":
		return &m.Slab
	case "SReclaimable":
		return &m.Reclaimable
	case "Shmem":
		return &m.Shmem
	}
	return nil
}
