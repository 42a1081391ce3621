package sample

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// softnetCPU is what one CPU counted, in 32 bits.
type softnetCPU struct{ cpu, processed, dropped, squeezed uint32 }

// parseSoftnet parses /proc/net/softnet_stat: a line of hexadecimal fields per
// CPU on line, of which the first three are processed, dropped and
// time_squeeze, and the thirteenth, since Linux 5.10, is the CPU
// (softnet_seq_show in the kernel's net/core/net-procfs.c). Without it the CPU
// is the number of the line.
func parseSoftnet(data []byte) ([]softnetCPU, error) {
	var all []softnetCPU
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		one := softnetCPU{cpu: uint32(len(all))}
		for i := range 13 {
			var field []byte
			if field, line = procfs.NextField(line); len(field) == 0 && i >= 3 {
				break
			}
			n, err := strconv.ParseUint(string(field), 16, 32)
			if err != nil {
				return nil, fmt.Errorf("softnet_stat, line %d: %s is no 32-bit hexadecimal number",
					len(all)+1, procfs.Quote(string(field)))
			}
			switch i {
			case 0:
				one.processed = uint32(n)
			case 1:
				one.dropped = uint32(n)
			case 2:
				one.squeezed = uint32(n)
			case 12:
				one.cpu = uint32(n)
			}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errors.New("softnet_stat is empty")
	}
	return all, nil
}

// softnetCounter sums over the CPUs, whose counters wrap one by one. A CPU
// that goes off line keeps its part.
type softnetCounter struct {
	cpus map[uint32]*[3]counter32
}

// add takes the next reading and returns the sums, and the CPUs whose counters
// wrapped.
func (c *softnetCounter) add(all []softnetCPU) (sum Softnet, wraps []uint32) {
	if c.cpus == nil {
		c.cpus = map[uint32]*[3]counter32{}
	}
	for _, one := range all {
		counters := c.cpus[one.cpu]
		if counters == nil {
			counters = &[3]counter32{}
			c.cpus[one.cpu] = counters
		}
		for i, n := range [...]uint32{one.processed, one.dropped, one.squeezed} {
			if counters[i].add(uint64(n)) == wrapped {
				wraps = append(wraps, one.cpu)
			}
		}
	}
	for _, counters := range c.cpus {
		sum.Processed += counters[0].total
		sum.Dropped += counters[1].total
		sum.Squeezed += counters[2].total
	}
	return sum, wraps
}
