package sample

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// processorSources adds what CPUs and their packages tell of themselves. Most
// virtual machines have none of it.
func (s *Sampler) processorSources() {
	if s.spec.reads(SourceFrequency) {
		s.frequencySource()
	}
	if s.spec.reads(SourceThrottles) {
		s.throttleSource()
	}
	if s.spec.reads(SourceEnergy) {
		s.energySource()
	}
	if s.spec.reads(SourceHardware) {
		s.hardwareSource()
	}
}

const cpuDirs = "devices/system/cpu"

// cpus are the directories of the CPUs in sysfs.
func (s *Sampler) cpus() []string {
	dirs, err := filepath.Glob(filepath.Join(s.spec.Sysfs, cpuDirs, "cpu[0-9]*"))
	if err != nil {
		return nil // the pattern is good
	}
	for i, dir := range dirs {
		dirs[i] = filepath.Base(dir)
	}
	return dirs
}

// absent is a source of something that this machine does not have.
func absent(what string) func(*Sample) error {
	err := errors.New(what)
	return func(*Sample) error { return err }
}

func (s *Sampler) frequencySource() {
	var files []*procfs.File
	for _, cpu := range s.cpus() {
		name := filepath.Join(cpuDirs, cpu, "cpufreq/scaling_cur_freq")
		if s.exists(name) {
			files = append(files, s.sys(name))
		}
	}
	if len(files) == 0 {
		s.add(SourceFrequency, "frequency", absent("the kernel does not tell the frequency of any CPU (cpufreq/scaling_cur_freq)"))
		return
	}
	s.add(SourceFrequency, "frequency", func(sample *Sample) error {
		var hertz []float64
		for _, f := range files {
			kilohertz, err := read(f, parseSingle)
			if err != nil {
				continue // its CPU is off line, which the sample shows
			}
			hertz = append(hertz, float64(kilohertz)*1000)
		}
		sample.Frequency = frequency(hertz)
		if sample.Frequency == nil {
			return errors.New("the frequency of no CPU can be read")
		}
		return nil
	})
}

func (s *Sampler) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.spec.Sysfs, name))
	return err == nil
}

// word is a short file of sysfs that does not change, empty if it is not there.
func (s *Sampler) word(name string) string {
	data, err := os.ReadFile(filepath.Join(s.spec.Sysfs, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// throttleSource reads the counters of one CPU per core and per package, which
// the others share.
func (s *Sampler) throttleSource() {
	var cores, packages []*procfs.File
	seen := map[string]bool{}
	for _, cpu := range s.cpus() {
		dir := filepath.Join(cpuDirs, cpu)
		counts := filepath.Join(dir, "thermal_throttle")
		if !s.exists(counts) {
			continue
		}
		pkg := s.word(filepath.Join(dir, "topology/physical_package_id"))
		core := pkg + "/" + s.word(filepath.Join(dir, "topology/core_id"))
		if name := filepath.Join(counts, "core_throttle_count"); !seen[core] && s.exists(name) {
			seen[core] = true
			cores = append(cores, s.sys(name))
		}
		if name := filepath.Join(counts, "package_throttle_count"); !seen[pkg] && s.exists(name) {
			seen[pkg] = true
			packages = append(packages, s.sys(name))
		}
	}
	if len(cores) == 0 {
		s.add(SourceThrottles, "throttles", absent("the kernel does not count thermal throttling (thermal_throttle/core_throttle_count)"))
		return
	}
	s.add(SourceThrottles, "throttles", func(sample *Sample) error {
		var t Throttles
		for files, total := range map[*[]*procfs.File]*uint64{&cores: &t.Core, &packages: &t.Package} {
			for _, f := range *files {
				n, err := read(f, parseSingle)
				if err != nil {
					return err
				}
				*total += n
			}
		}
		sample.Throttles = &t
		return nil
	})
}

// energyDomain is a package whose energy the kernel counts, in microjoules
// that begin anew at 0 after reaching span.
type energyDomain struct {
	name    string
	file    *procfs.File
	span    uint64
	counter counter32
}

// energySource reads the running average power limit's counters of packages
// (the kernel's Documentation/power/powercap/powercap.rst), which AMD's CPUs
// have under the same name.
func (s *Sampler) energySource() {
	zones, err := filepath.Glob(filepath.Join(s.spec.Sysfs, "class/powercap/intel-rapl:*"))
	var domains []*energyDomain
	for _, zone := range zones {
		dir, _ := filepath.Rel(s.spec.Sysfs, zone) // it is below
		name := s.word(filepath.Join(dir, "name"))
		span, parseErr := strconv.ParseUint(s.word(filepath.Join(dir, "max_energy_range_uj")), 10, 64)
		if strings.HasPrefix(name, "package-") && parseErr == nil {
			domains = append(domains, &energyDomain{name: name, file: s.sys(filepath.Join(dir, "energy_uj")), span: span})
		}
	}
	if err != nil || len(domains) == 0 {
		s.add(SourceEnergy, "powerWatts", absent("the kernel does not count the energy of any CPU package (powercap/intel-rapl)"))
		return
	}
	for _, d := range domains {
		s.add(SourceEnergy, "powerWatts/"+d.name, func(sample *Sample) error {
			n, err := read(d.file, parseSingle)
			if err != nil {
				return err
			}
			s.changed(sample, "powerWatts/"+d.name, "energy", d.counter.addModulo(n, d.span))
			if sample.Energy == nil {
				sample.Energy = make(map[string]float64, len(domains))
			}
			sample.Energy[d.name] = float64(d.counter.total) / 1e6
			return nil
		})
	}
}

func (s *Sampler) hardwareSource() {
	counters, err := openHardware()
	if err != nil {
		reason := fmt.Sprintf("cycles cannot be counted: %v", err)
		if errors.Is(err, fs.ErrNotExist) {
			reason = "this machine has no counter of cycles"
		}
		s.add(SourceHardware, "hardware", absent(reason))
		return
	}
	s.closers = append(s.closers, counters.close)
	s.add(SourceHardware, "hardware", func(sample *Sample) (err error) {
		sample.Hardware, err = counters.read()
		return err
	})
}
