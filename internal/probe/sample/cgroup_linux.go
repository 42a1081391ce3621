package sample

import (
	"errors"
	"fmt"
	"io/fs"
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
	close()
}

func newCgroupReader(version int, root, path string) cgroupReader {
	if version == 2 {
		dir := filepath.Join(root, path)
		return &cgroupV2{
			cpu:     procfs.NewFile(filepath.Join(dir, "cpu.stat")),
			current: procfs.NewFile(filepath.Join(dir, "memory.current")),
			stat:    procfs.NewFile(filepath.Join(dir, "memory.stat")),
		}
	}
	account := filepath.Join(root, "cpuacct")
	if _, err := os.Stat(account); err != nil { // mounted together, without the usual link
		account = filepath.Join(root, "cpu,cpuacct")
	}
	memory := filepath.Join(root, "memory", path)
	return &cgroupV1{
		total:   procfs.NewFile(filepath.Join(account, path, "cpuacct.usage")),
		modes:   procfs.NewFile(filepath.Join(account, path, "cpuacct.stat")),
		current: procfs.NewFile(filepath.Join(memory, "memory.usage_in_bytes")),
		stat:    procfs.NewFile(filepath.Join(memory, "memory.stat")),
	}
}

type cgroupV2 struct{ cpu, current, stat *procfs.File }

func (c *cgroupV2) usage() (Usage, error) {
	var micros [3]uint64
	if err := readKeyed(c.cpu, []string{"usage_usec", "user_usec", "system_usec"}, micros[:]); err != nil {
		return Usage{}, err
	}
	memory, err := readWorkingSet(c.current, c.stat, "inactive_file")
	return Usage{
		CPU:        float64(micros[0]) / 1e6,
		User:       float64(micros[1]) / 1e6,
		System:     float64(micros[2]) / 1e6,
		WorkingSet: memory,
	}, err
}

func (c *cgroupV2) close() {
	c.cpu.Close()
	c.current.Close()
	c.stat.Close()
}

type cgroupV1 struct{ total, modes, current, stat *procfs.File }

func (c *cgroupV1) usage() (Usage, error) {
	nanos, err := readSingle(c.total)
	if err != nil {
		return Usage{}, err
	}
	var ticks [2]uint64
	if err := readKeyed(c.modes, []string{"user", "system"}, ticks[:]); err != nil {
		return Usage{}, err
	}
	// total_ includes the cgroups below, as memory.usage_in_bytes does.
	memory, err := readWorkingSet(c.current, c.stat, "total_inactive_file")
	return Usage{
		CPU:        float64(nanos) / 1e9,
		User:       float64(ticks[0]) / procfs.UserHZ,
		System:     float64(ticks[1]) / procfs.UserHZ,
		WorkingSet: memory,
	}, err
}

func (c *cgroupV1) close() {
	c.total.Close()
	c.modes.Close()
	c.current.Close()
	c.stat.Close()
}

func readWorkingSet(current, stat *procfs.File, inactive string) (uint64, error) {
	usage, err := readSingle(current)
	if err != nil {
		return 0, err
	}
	var inactiveFile [1]uint64
	if err := readKeyed(stat, []string{inactive}, inactiveFile[:]); err != nil {
		return 0, err
	}
	return workingSet(usage, inactiveFile[0]), nil
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

func readKeyed(f *procfs.File, names []string, out []uint64) error {
	data, err := f.Read()
	if err != nil {
		return err
	}
	if err := parseKeyed(data, names, out); err != nil {
		return fmt.Errorf("reading %s: %w", f.Path, err)
	}
	return nil
}

// groupReader sums the usage of the cgroups of a group.
type groupReader struct {
	paths   []string
	readers []cgroupReader
}

func (g *groupReader) sample() (GroupSample, error) {
	var s GroupSample
	var sum Usage
	for i, r := range g.readers {
		u, err := r.usage()
		if errors.Is(err, fs.ErrNotExist) {
			s.Missing = append(s.Missing, g.paths[i])
			continue
		}
		if err != nil {
			return GroupSample{}, err
		}
		sum.add(u)
		s.Usage = &sum
	}
	return s, nil
}
