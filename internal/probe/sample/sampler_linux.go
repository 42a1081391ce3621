package sample

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
	"golang.org/x/sys/unix"
)

// Sampler reads the state of a node. It keeps the files that it reads open
// and is for use by one goroutine.
type Sampler struct {
	spec     Spec
	version  int
	buf      procfs.Buffer
	files    []*procfs.File
	stat     *procfs.File
	softirqs [len(softIRQKinds)]counter32
	sources  []source
	closers  []func()
	names    []string // of groups, sorted
	groups   map[string]*groupReader

	last       time.Time         // of the last sample
	unreadable map[string]string // figures that could not be read the last time, with the reason
	faults     []Fault
	asleep     time.Duration // by which the time since boot is ahead of the monotonic clock
}

// source reads some figure of a sample. An error means that the figure is not
// in the sample; the others are.
type source struct {
	figure string // as in [Summary.Missing]
	read   func(*Sample) error
}

// New prepares to sample what spec names.
func New(spec Spec) (*Sampler, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	spec.CgroupRoot = cmp.Or(spec.CgroupRoot, "/sys/fs/cgroup")
	spec.Procfs = cmp.Or(spec.Procfs, "/proc")
	spec.Sysfs = cmp.Or(spec.Sysfs, "/sys")
	s := &Sampler{spec: spec, groups: map[string]*groupReader{}, unreadable: map[string]string{}}
	s.stat = s.proc("stat")
	if len(spec.Groups) > 0 {
		version, err := cgroupVersion(spec.CgroupRoot)
		if err != nil {
			return nil, err
		}
		s.version = version
	}
	s.names = slices.Sorted(maps.Keys(spec.Groups))
	for _, name := range s.names {
		s.groups[name] = newGroupReader(s.version, spec.CgroupRoot, spec.Groups[name], &s.buf)
	}
	s.machineSources()
	s.networkSources()
	s.processorSources()
	return s, nil
}

// proc names a file of procfs.
func (s *Sampler) proc(name string) *procfs.File { return s.file(s.spec.Procfs, name) }

// sys names a file of sysfs.
func (s *Sampler) sys(name string) *procfs.File { return s.file(s.spec.Sysfs, name) }

func (s *Sampler) file(root, name string) *procfs.File {
	f := procfs.NewFile(filepath.Join(root, name), &s.buf)
	s.files = append(s.files, f)
	return f
}

// add adds a source of a figure, if the specification has it.
func (s *Sampler) add(name, figure string, read func(*Sample) error) {
	if s.spec.reads(name) {
		s.sources = append(s.sources, source{figure, read})
	}
}

// Series returns what a series of s begins with: all but the samples, and the
// host's name where that can be read.
func (s *Sampler) Series() Series {
	series := Series{
		Interval: s.spec.Interval, CgroupVersion: s.version, IRQTime: IRQTime(s.spec.Procfs), Groups: s.spec.Groups,
	}
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
		g.close()
	}
	for _, c := range s.closers {
		c()
	}
}

// Faults returns what went wrong since it was last called, in order of time.
func (s *Sampler) Faults() []Fault {
	faults := s.faults
	s.faults = nil
	return faults
}

// Sample reads everything once. The CPU times are read first, right after the
// clocks. Only they make it fail; what else cannot be read is not in the
// sample, and becomes a fault.
func (s *Sampler) Sample() (Sample, error) {
	var sample Sample
	mono, err := clock(unix.CLOCK_MONOTONIC)
	if err != nil {
		return Sample{}, err
	}
	sample.At, sample.Mono = time.Now().Round(0).UTC(), mono
	if s.last.IsZero() {
		s.last = sample.At
	}
	if err := s.sampleCPU(&sample); err != nil {
		return Sample{}, err
	}
	for _, name := range s.names {
		if sample.Groups == nil {
			sample.Groups = make(map[string]GroupSample, len(s.names))
		}
		sample.Groups[name] = s.groups[name].sample(func(kind, detail string) {
			s.fault(&sample, kind, "groups/"+name, detail)
		})
	}
	for _, source := range s.sources {
		s.note(&sample, source.figure, source.read(&sample))
	}
	if err := s.sleep(&sample); err != nil {
		return Sample{}, err
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return Sample{}, fmt.Errorf("reading own CPU time: %w", err)
	}
	sample.Own = time.Duration(own.Utime.Nano() + own.Stime.Nano()).Seconds()
	s.last = sample.At
	return sample, nil
}

func (s *Sampler) sampleCPU(sample *Sample) error {
	stat, err := read(s.stat, parseStat)
	if err != nil {
		return fmt.Errorf("sampling: %w", err)
	}
	sample.CPU, sample.Cores, sample.ContextSwitches, sample.Tasks = stat.total, stat.cores, stat.switches, stat.tasks
	if stat.tasks == nil {
		s.note(sample, "tasks", errors.New("stat lacks one of processes, procs_running, procs_blocked"))
	}
	if len(stat.softirqs) == 0 {
		s.note(sample, "softirqs", fmt.Errorf("stat does not count the %d kinds of softirqs that are known", len(softIRQKinds)))
		return nil
	}
	sample.SoftIRQs = make(map[string]uint64, len(softIRQKinds))
	for i, kind := range softIRQKinds {
		change := s.softirqs[i].add(stat.softirqs[i])
		s.changed(sample, "softirqs/"+kind, "the count of a CPU", change)
		sample.SoftIRQs[kind] = s.softirqs[i].total
	}
	return nil
}

// changed makes a fault of a counter that wrapped. One that fell shows by
// itself.
func (s *Sampler) changed(sample *Sample, figure, what string, c change) {
	if c == wrapped {
		s.fault(sample, FaultWrap, figure, what+" began anew at 0 and was counted on")
	}
}

// note makes a fault of an error of a figure when it first occurs.
func (s *Sampler) note(sample *Sample, figure string, err error) {
	if err == nil {
		delete(s.unreadable, figure)
		return
	}
	if reason := err.Error(); s.unreadable[figure] != reason {
		s.unreadable[figure] = reason
		s.fault(sample, FaultUnreadable, figure, reason)
	}
}

func (s *Sampler) fault(sample *Sample, kind, figure, detail string) {
	s.faults = append(s.faults, Fault{Since: s.last, At: sample.At, Kind: kind, Figure: figure, Detail: detail})
}

// sleep notices that the machine slept, in which time the monotonic clock
// stands still.
func (s *Sampler) sleep(sample *Sample) error {
	boot, err := clock(unix.CLOCK_BOOTTIME)
	if err != nil {
		return err
	}
	mono, err := clock(unix.CLOCK_MONOTONIC)
	if err != nil {
		return err
	}
	before := s.asleep
	s.asleep = boot - mono
	const noise = 100 * time.Millisecond // between two readings of clocks
	if slept := s.asleep - before; before != 0 && slept > noise {
		s.fault(sample, FaultGap, "", fmt.Sprintf("the machine slept for %v", slept.Round(time.Millisecond)))
	}
	return nil
}

func clock(id int32) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0, fmt.Errorf("reading clock %d: %w", id, err)
	}
	return time.Duration(t.Nano()), nil
}

// read reads and parses a file.
func read[T any](f *procfs.File, parse func([]byte) (T, error)) (T, error) {
	var zero T
	data, err := f.Read()
	if err != nil {
		return zero, explain(f.Path, err)
	}
	v, err := parse(data)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", f.Path, err)
	}
	return v, nil
}

// explain says in words what the kernel says by the number of an error.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("this kernel has no %s: %w", path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s is not for this user: %w", path, fs.ErrPermission)
	case errors.Is(err, unix.EOPNOTSUPP): // pressure stall information may be switched off
		return fmt.Errorf("%s is switched off: %w", path, unix.EOPNOTSUPP)
	}
	return err
}
