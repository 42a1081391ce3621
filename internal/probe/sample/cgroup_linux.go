package sample

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// cgroupVersion tells which hierarchy the mounts under root are. A machine
// with v1 controllers may carry a v2 mount without controllers beside them:
// that is v1.
func cgroupVersion(root string) (int, error) {
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return 2, nil
	}
	if _, err := os.Stat(filepath.Join(root, "memory")); err == nil {
		return 1, nil
	}
	return 0, fmt.Errorf("%s holds neither cgroup v2 nor the memory controller of v1", root)
}

// cgroupReader reads the usage of one cgroup.
type cgroupReader interface {
	usage() (Usage, error)
	// opens counts the cgroups of the name that were read.
	opens() int
	close()
}

func newCgroupReader(version int, root, path string, buf *procfs.Buffer) cgroupReader {
	if version == 2 {
		dir := filepath.Join(root, path)
		return &cgroupV2{
			cpu:     procfs.NewFile(filepath.Join(dir, "cpu.stat"), buf),
			current: procfs.NewFile(filepath.Join(dir, "memory.current"), buf),
			stat:    procfs.NewFile(filepath.Join(dir, "memory.stat"), buf),
			times:   newKeyed(3, "usage_usec", "user_usec", "system_usec", "throttled_usec"),
			kinds:   newKeyed(3, "inactive_file", "anon", "file", "sock", "kernel"),
		}
	}
	account := filepath.Join(root, "cpuacct")
	if _, err := os.Stat(account); err != nil { // mounted together, without the usual link
		account = filepath.Join(root, "cpu,cpuacct")
	}
	memory := filepath.Join(root, "memory", path)
	return &cgroupV1{
		total:   procfs.NewFile(filepath.Join(account, path, "cpuacct.usage"), buf),
		modes:   procfs.NewFile(filepath.Join(account, path, "cpuacct.stat"), buf),
		current: procfs.NewFile(filepath.Join(memory, "memory.usage_in_bytes"), buf),
		stat:    procfs.NewFile(filepath.Join(memory, "memory.stat"), buf),
		times:   newKeyed(2, "user", "system"),
		// total_ includes the cgroups below, as memory.usage_in_bytes does.
		kinds: newKeyed(3, "total_inactive_file", "total_rss", "total_cache"),
	}
}

type cgroupV2 struct {
	cpu, current, stat *procfs.File
	times, kinds       *keyed
}

func (c *cgroupV2) usage() (Usage, error) {
	if err := readKeyed(c.cpu, c.times); err != nil {
		return Usage{}, err
	}
	used, err := readMemory(c.current, c.stat, c.kinds)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{
		CPU:        float64(c.times.values[0]) / 1e6,
		User:       float64(c.times.values[1]) / 1e6,
		System:     float64(c.times.values[2]) / 1e6,
		WorkingSet: workingSet(used, c.kinds.values[0]),
		Anon:       c.kinds.optional(1), File: c.kinds.optional(2),
		Socket: c.kinds.optional(3), Kernel: c.kinds.optional(4),
	}
	if micros := c.times.optional(3); micros != nil {
		seconds := float64(*micros) / 1e6
		u.Throttled = &seconds
	}
	return u, nil
}

func (c *cgroupV2) opens() int { return c.cpu.Opens() }

func (c *cgroupV2) close() {
	c.cpu.Close()
	c.current.Close()
	c.stat.Close()
}

type cgroupV1 struct {
	total, modes, current, stat *procfs.File
	times, kinds                *keyed
}

func (c *cgroupV1) usage() (Usage, error) {
	nanos, err := readSingle(c.total)
	if err != nil {
		return Usage{}, err
	}
	if err := readKeyed(c.modes, c.times); err != nil {
		return Usage{}, err
	}
	used, err := readMemory(c.current, c.stat, c.kinds)
	if err != nil {
		return Usage{}, err
	}
	return Usage{
		CPU:        float64(nanos) / 1e9,
		User:       float64(c.times.values[0]) / procfs.UserHZ,
		System:     float64(c.times.values[1]) / procfs.UserHZ,
		WorkingSet: workingSet(used, c.kinds.values[0]),
		Anon:       c.kinds.optional(1), File: c.kinds.optional(2),
	}, nil
}

func (c *cgroupV1) opens() int { return c.total.Opens() }

func (c *cgroupV1) close() {
	c.total.Close()
	c.modes.Close()
	c.current.Close()
	c.stat.Close()
}

func readMemory(current, stat *procfs.File, kinds *keyed) (used uint64, err error) {
	if used, err = readSingle(current); err != nil {
		return 0, err
	}
	return used, readKeyed(stat, kinds)
}

func readSingle(f *procfs.File) (uint64, error) {
	data, err := f.Read()
	if err != nil {
		return 0, err
	}
	n, err := parseSingle(data)
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", f.Path, err)
	}
	return n, nil
}

func readKeyed(f *procfs.File, k *keyed) error {
	data, err := f.Read()
	if err != nil {
		return err
	}
	if err := k.parse(data); err != nil {
		return fmt.Errorf("reading %s: %w", f.Path, err)
	}
	return nil
}
