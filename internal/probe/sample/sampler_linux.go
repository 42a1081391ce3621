package sample

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
	"golang.org/x/sys/unix"
)

// Sampler reads the state of a node. It keeps the files that it reads open
// and is for use by one goroutine.
type Sampler struct {
	spec     Spec
	version  int
	files    map[string]*procfs.File // below procfs, by path
	groups   map[string]*groupReader
	softnet  Softnet
	lastSeen softnetSum
}

// New prepares to sample what spec names.
func New(spec Spec) (*Sampler, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	spec.CgroupRoot = cmp.Or(spec.CgroupRoot, "/sys/fs/cgroup")
	spec.Procfs = cmp.Or(spec.Procfs, "/proc")
	s := &Sampler{spec: spec, files: map[string]*procfs.File{}, groups: map[string]*groupReader{}}
	if len(spec.Groups) > 0 {
		version, err := cgroupVersion(spec.CgroupRoot)
		if err != nil {
			return nil, err
		}
		s.version = version
	}
	for name, paths := range spec.Groups {
		g := &groupReader{paths: paths}
		for _, p := range paths {
			g.readers = append(g.readers, newCgroupReader(s.version, spec.CgroupRoot, p))
		}
		s.groups[name] = g
	}
	return s, nil
}

// Series returns what a series of s begins with: all but the samples, and the
// host's name where that can be read.
func (s *Sampler) Series() Series {
	series := Series{Interval: s.spec.Interval, CgroupVersion: s.version, IRQTime: IRQTime(s.spec.Procfs)}
	if name, err := os.Hostname(); err == nil {
		series.Hostname = name
	}
	return series
}

// Close closes the files.
func (s *Sampler) Close() {
	for _, f := range s.files {
		f.Close()
	}
	for _, g := range s.groups {
		for _, r := range g.readers {
			r.close()
		}
	}
}

// Sample reads everything once. The CPU times are read first, right after the
// clocks.
func (s *Sampler) Sample() (Sample, error) {
	var sample Sample
	var mono unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono); err != nil {
		return Sample{}, fmt.Errorf("reading the monotonic clock: %w", err)
	}
	sample.At, sample.Mono = time.Now().Round(0).UTC(), time.Duration(mono.Nano())
	stat, err := readProc(s, "stat", parseStat)
	if err != nil {
		return Sample{}, err
	}
	sample.CPU, sample.Cores, sample.ContextSwitches = stat.total, stat.cores, stat.switches
	if err := s.sampleGroups(&sample); err != nil {
		return Sample{}, err
	}
	if sample.Memory, err = readProc(s, "meminfo", parseMeminfo); err != nil {
		return Sample{}, err
	}
	if err := s.sampleOptional(&sample); err != nil {
		return Sample{}, err
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return Sample{}, fmt.Errorf("reading own CPU time: %w", err)
	}
	sample.Own = time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds()
	return sample, nil
}

func (s *Sampler) sampleGroups(sample *Sample) error {
	if len(s.groups) == 0 {
		return nil
	}
	sample.Groups = make(map[string]GroupSample, len(s.groups))
	for name, g := range s.groups {
		usage, err := g.sample()
		if err != nil {
			return fmt.Errorf("sampling group %s: %w", name, err)
		}
		sample.Groups[name] = usage
	}
	return nil
}

// sampleOptional reads what not every kernel or namespace has.
func (s *Sampler) sampleOptional(sample *Sample) error {
	var err error
	if sample.Pressure, err = optional(readProc(s, "pressure/cpu", parsePressure)); err != nil {
		return err
	}
	if sample.Interfaces, err = optional(readProc(s, "net/dev", parseNetDev)); err != nil {
		return err
	}
	if sample.Protocols, err = optional(readProc(s, "net/snmp", parseSNMP)); err != nil {
		return err
	}
	sum, err := readProc(s, "net/softnet_stat", parseSoftnet)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.softnet.advance(s.lastSeen, sum)
	s.lastSeen = sum
	counted := s.softnet
	sample.Softnet = &counted
	return nil
}

// readProc reads and parses a file of procfs.
func readProc[T any](s *Sampler, name string, parse func([]byte) (T, error)) (T, error) {
	f := s.files[name]
	if f == nil {
		f = procfs.NewFile(filepath.Join(s.spec.Procfs, name))
		s.files[name] = f
	}
	var zero T
	data, err := f.Read()
	if err != nil {
		return zero, fmt.Errorf("sampling: %w", err)
	}
	v, err := parse(data)
	if err != nil {
		return zero, fmt.Errorf("sampling %s: %w", f.Path, err)
	}
	return v, nil
}

// optional turns the error of a file that is not there, or not for this
// reader, into the zero value.
func optional[T any](v T, err error) (T, error) {
	if absent(err) {
		var zero T
		return zero, nil
	}
	return v, err
}

// absent also knows the error of a kernel that has pressure stall information
// switched off.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EOPNOTSUPP)
}
