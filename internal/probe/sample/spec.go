package sample

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// Spec says what a [Sampler] samples.
type Spec struct {
	// Interval between samples: 1 s in general, 100 ms for trials under 5 s.
	Interval time.Duration `json:"intervalNs"`
	// Groups are sets of cgroups whose usage is summed, by name. Paths are
	// relative to the cgroup root (on v1, to each controller's).
	Groups map[string][]string `json:"groups,omitempty"`
	// Only are the [Sources] to read besides CPU times and groups, all when
	// empty: fewer cost less.
	Only []string `json:"only,omitempty"`
	// CgroupRoot is /sys/fs/cgroup, Procfs /proc and Sysfs /sys when empty.
	CgroupRoot string `json:"cgroupRoot,omitempty"`
	Procfs     string `json:"procfs,omitempty"`
	Sysfs      string `json:"sysfs,omitempty"`
}

// The sources of a sample besides CPU times and groups.
const (
	SourceMemory     = "memory"
	SourceSockets    = "sockets"
	SourcePressure   = "pressure"
	SourceInterfaces = "interfaces"
	SourceDisks      = "disks"
	SourceProtocols  = "protocols"
	SourceSoftnet    = "softnet"
	SourceConntrack  = "conntrack"
	SourceFrequency  = "frequency"
	SourceThrottles  = "throttles"
	SourceEnergy     = "energy"
	SourceHardware   = "hardware"
)

// Sources lists what [Spec.Only] may name.
func Sources() []string {
	return []string{
		SourceMemory, SourceSockets, SourcePressure, SourceInterfaces, SourceDisks, SourceProtocols,
		SourceSoftnet, SourceConntrack, SourceFrequency, SourceThrottles, SourceEnergy, SourceHardware,
	}
}

// MinInterval is the resolution of CPU times in /proc/stat.
const MinInterval = time.Second / procfs.UserHZ

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	if s.Interval < MinInterval {
		return fmt.Errorf("sampling every %v: the kernel counts CPU time in steps of %v", s.Interval, MinInterval)
	}
	for _, source := range s.Only {
		if !slices.Contains(Sources(), source) {
			return fmt.Errorf("there is no source %q; there are %v", source, Sources())
		}
	}
	for name, paths := range s.Groups {
		if name == "" {
			return errors.New("a group of cgroups has no name")
		}
		if err := validGroup(paths); err != nil {
			return fmt.Errorf("group %s: %w", name, err)
		}
	}
	return nil
}

// reads tells whether a source is to be read.
func (s Spec) reads(source string) bool { return len(s.Only) == 0 || slices.Contains(s.Only, source) }

// validGroup refuses paths that leave the cgroup root, and paths inside each
// other, whose usage would count twice.
func validGroup(paths []string) error {
	if len(paths) == 0 {
		return errors.New("no cgroup paths")
	}
	for i, p := range paths {
		if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") {
			return fmt.Errorf("%q is not a clean path relative to the cgroup root", p)
		}
		for j, q := range paths {
			if i != j && within(p, q) {
				return fmt.Errorf("%q lies in %q and would count twice", p, q)
			}
		}
	}
	return nil
}

// within tells whether the cgroup p is q or lies below it.
func within(p, q string) bool { return p == q || q == "." || strings.HasPrefix(p, q+"/") }

// Ready tells that the first sample is taken.
type Ready struct {
	CgroupVersion int                 `json:"cgroupVersion"`
	Missing       map[string][]string `json:"missing,omitempty"` // paths not there (yet), by group
}
