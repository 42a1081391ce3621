// Package cgroup creates, joins, freezes and removes control groups on both
// versions of the kernel's interface. A path such as "/cnibench/a/node1" names
// the same group in every hierarchy.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// root is where every distribution mounts its control groups.
const root = "/sys/fs/cgroup"

// version2Magic is CGROUP2_SUPER_MAGIC of linux/magic.h.
const version2Magic = 0x63677270

// controllers are those that a kubelet insists on under its cgroupRoot
// (version 2; in version 1 every mounted hierarchy is used).
var controllers = []string{"cpu", "memory", "pids", "cpuset", "io", "hugetlb"}

// Hierarchy is the machine's control group file system: one tree in version
// 2, one per controller in version 1.
type Hierarchy struct {
	Version int // 1 or 2
	mounts  []string
}

// Detect reads which version is mounted and where.
func Detect() (Hierarchy, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return Hierarchy{}, fmt.Errorf("looking for control groups at %s: %w", root, err)
	}
	if st.Type == version2Magic {
		return Hierarchy{Version: 2, mounts: []string{root}}, nil
	}
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Hierarchy{}, fmt.Errorf("listing control group mounts: %w", err)
	}
	h := Hierarchy{Version: 1, mounts: mountsV1(string(info))}
	if len(h.mounts) == 0 {
		return Hierarchy{}, fmt.Errorf("no control group hierarchy is mounted below %s", root)
	}
	return h, nil
}

// mountsV1 picks the control group mount points out of a mountinfo file. The
// version 2 mount that accompanies version 1 on some machines counts too:
// runc joins it like the others.
func mountsV1(mountinfo string) []string {
	var dirs []string
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || !strings.HasPrefix(after, "cgroup") {
			continue
		}
		if filepath.Dir(fields[4]) == root {
			dirs = append(dirs, fields[4])
		}
	}
	return dirs
}

// Create makes the group and its ancestors, usable for processes and, in
// version 2, with every controller handed down to its children.
func (h Hierarchy) Create(path string) error {
	for _, m := range h.mounts {
		dir := m
		for _, name := range strings.Split(strings.Trim(path, "/"), "/") {
			if err := h.delegate(dir); err != nil {
				return fmt.Errorf("creating control group %s: %w", path, err)
			}
			parent := dir
			dir = filepath.Join(dir, name)
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("creating control group %s: %w", path, err)
			}
			if err := h.inheritCpuset(parent, dir); err != nil {
				return fmt.Errorf("creating control group %s: %w", path, err)
			}
		}
	}
	return nil
}

// CreateLeaf makes one group below an existing one and, unlike Create, hands no
// controllers down to it: version 2 allows that only while no process is in the
// upper one. Create of a group beside it makes up for it.
func (h Hierarchy) CreateLeaf(path string) error {
	for _, m := range h.mounts {
		dir := filepath.Join(m, path)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("creating control group %s: %w", path, err)
		}
		if err := h.inheritCpuset(filepath.Dir(dir), dir); err != nil {
			return fmt.Errorf("creating control group %s: %w", path, err)
		}
	}
	return nil
}

// Delegate hands the controllers down to the children of an existing group,
// which version 2 allows only while the group itself has no process.
func (h Hierarchy) Delegate(path string) error {
	for _, m := range h.mounts {
		if err := h.delegate(filepath.Join(m, path)); err != nil {
			return fmt.Errorf("delegating controllers of %s: %w", path, err)
		}
	}
	return nil
}

func (h Hierarchy) delegate(dir string) error {
	if h.Version == 1 {
		return nil
	}
	available, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	var enable []string
	for _, c := range controllers {
		if strings.Contains(" "+strings.TrimSpace(string(available))+" ", " "+c+" ") {
			enable = append(enable, "+"+c)
		}
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte(strings.Join(enable, " ")), 0)
}

// inheritCpuset copies the parent's CPUs and memory nodes, without which a
// version 1 cpuset accepts no process. In version 2 empty means the parent's.
func (h Hierarchy) inheritCpuset(parent, dir string) error {
	if h.Version == 2 {
		return nil
	}
	for _, f := range []string{"cpuset.cpus", "cpuset.mems"} {
		have, err := os.ReadFile(filepath.Join(dir, f))
		if errors.Is(err, fs.ErrNotExist) || strings.TrimSpace(string(have)) != "" {
			continue
		}
		if err != nil {
			return err
		}
		value, err := os.ReadFile(filepath.Join(parent, f))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f), value, 0); err != nil {
			return err
		}
	}
	return nil
}

// Join moves the calling process into the group.
func (h Hierarchy) Join(path string) error {
	for _, m := range h.mounts {
		if err := os.WriteFile(filepath.Join(m, path, "cgroup.procs"), []byte("0"), 0); err != nil {
			return fmt.Errorf("joining control group %s: %w", path, err)
		}
	}
	return nil
}

// MemoryBytes reads the memory that the group and its descendants use now.
func (h Hierarchy) MemoryBytes(path string) (uint64, error) {
	file := filepath.Join(root, path, "memory.current")
	if h.Version == 1 {
		file = filepath.Join(root, "memory", path, "memory.usage_in_bytes")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("reading memory of control group %s: %w", path, err)
	}
	var n uint64
	if _, err := fmt.Sscan(string(b), &n); err != nil {
		return 0, fmt.Errorf("reading memory of control group %s: %w", path, err)
	}
	return n, nil
}

// MissingControllers names those of the controllers that a kubelet needs and
// that this machine does not offer.
func (h Hierarchy) MissingControllers() []string {
	needed := []string{"cpu", "memory", "pids", "cpuset"}
	if h.Version == 1 {
		needed = append(needed, "cpuacct", "freezer")
	}
	var missing []string
	for _, c := range needed {
		if !h.offers(c) {
			missing = append(missing, c)
		}
	}
	return missing
}

func (h Hierarchy) offers(controller string) bool {
	if h.Version == 1 {
		_, err := os.Stat(filepath.Join(root, controller))
		return err == nil
	}
	b, err := os.ReadFile(filepath.Join(root, "cgroup.controllers"))
	return err == nil && slices.Contains(strings.Fields(string(b)), controller)
}
