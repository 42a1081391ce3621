package sample

import (
	"bytes"
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// diskLine is what /proc/diskstats tells of one device.
type diskLine struct {
	name                              string
	reads, readBytes, writes, written uint64
	busyMillis                        uint64 // in 32 bits
}

const sector = 512 // bytes, whatever the device has (Documentation/ABI/testing/procfs-diskstats)

// Devices that mirror files or memory.
const (
	majorRAM  = 1
	majorLoop = 7
)

// parseDiskstats parses /proc/diskstats (the kernel's
// Documentation/admin-guide/iostats.rst) except for ramdisks and loop devices.
func parseDiskstats(data []byte) ([]diskLine, error) {
	var all []diskLine
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		major, err := parseFirst(line)
		if err != nil {
			return nil, fmt.Errorf("diskstats, major number: %w", err)
		}
		if major == majorRAM || major == majorLoop {
			continue
		}
		_, rest := procfs.NextField(line)
		_, rest = procfs.NextField(rest)
		name, rest := procfs.NextField(rest)
		var n [10]uint64
		if err := procfs.ParseUints(rest, n[:]); err != nil {
			return nil, fmt.Errorf("diskstats, device %s: %w", procfs.Quote(string(name)), err)
		}
		if n[2] > math.MaxUint64/sector || n[6] > math.MaxUint64/sector {
			return nil, fmt.Errorf("diskstats, device %s: %d and %d sectors", procfs.Quote(string(name)), n[2], n[6])
		}
		all = append(all, diskLine{
			name: string(name), reads: n[0], readBytes: n[2] * sector,
			writes: n[4], written: n[6] * sector, busyMillis: n[9],
		})
	}
	return all, nil
}

// diskCounter keeps whole devices apart from their partitions, whose work is
// in the devices' too, and counts on where busy time wraps.
type diskCounter struct {
	whole   func(name string) bool
	devices map[string]*counter32 // nil for what is no whole device
}

// add takes the next reading and names the devices whose busy time wrapped.
func (c *diskCounter) add(lines []diskLine) (disks map[string]Disk, wraps []string) {
	if c.devices == nil {
		c.devices = map[string]*counter32{}
	}
	disks = make(map[string]Disk, len(lines))
	for _, line := range lines {
		busy, known := c.devices[line.name]
		if !known {
			if c.whole(line.name) {
				busy = &counter32{}
			}
			c.devices[line.name] = busy
		}
		if busy == nil {
			continue
		}
		if busy.add(line.busyMillis) == wrapped {
			wraps = append(wraps, line.name)
		}
		disks[line.name] = Disk{
			Reads: line.reads, ReadBytes: line.readBytes, Writes: line.writes, WrittenBytes: line.written,
			Busy: float64(busy.total) / 1000,
		}
	}
	return disks, wraps
}
