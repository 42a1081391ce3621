package sample

import (
	"fmt"
	"os"
	"path/filepath"
)

// machineSources adds memory, pressure and disks.
func (s *Sampler) machineSources() {
	meminfo := s.proc("meminfo")
	s.add(SourceMemory, "memoryBytes", func(sample *Sample) (err error) {
		sample.Memory, err = read(meminfo, parseMeminfo)
		return err
	})
	for _, resource := range []string{"cpu", "memory", "io"} {
		file := s.proc("pressure/" + resource)
		s.add(SourcePressure, "pressure/"+resource, func(sample *Sample) error {
			p, err := read(file, parsePressure)
			if err != nil {
				return err
			}
			if sample.Pressure == nil {
				sample.Pressure = make(map[string]Pressure, 3)
			}
			sample.Pressure[resource] = p
			return nil
		})
	}
	diskstats := s.proc("diskstats")
	disks := diskCounter{whole: func(name string) bool {
		_, err := os.Stat(filepath.Join(s.spec.Sysfs, "block", name))
		return err == nil
	}}
	s.add(SourceDisks, "disks", func(sample *Sample) error {
		if _, err := os.Stat(filepath.Join(s.spec.Sysfs, "block")); disks.devices == nil && err != nil {
			return fmt.Errorf("telling devices from partitions: %w", err)
		}
		lines, err := read(diskstats, parseDiskstats)
		if err != nil {
			return err
		}
		var wraps []string
		sample.Disks, wraps = disks.add(lines)
		for _, name := range wraps {
			s.changed(sample, "disks/"+name, "its busy time", wrapped)
		}
		return nil
	})
}
