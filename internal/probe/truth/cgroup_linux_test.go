//go:build e2e

package truth

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const cgroupRoot = "/sys/fs/cgroup"

// cgroups is where a test puts its cgroups: a directory relative to the
// controllers' roots (v1) or to the one root (v2).
type cgroups struct {
	dir   string
	roots map[string]string // by controller: cpu and memory
}

func newCgroups(t *testing.T, name string) cgroups {
	t.Helper()
	g := cgroups{roots: map[string]string{"cpu": cgroupRoot, "memory": cgroupRoot}}
	if _, err := os.Stat(filepath.Join(cgroupRoot, "cgroup.controllers")); err != nil {
		g.roots = map[string]string{"cpu": filepath.Join(cgroupRoot, "cpuacct"), "memory": filepath.Join(cgroupRoot, "memory")}
	}
	g.dir = g.make(t, name)
	if g.unified() {
		control := filepath.Join(cgroupRoot, g.dir, "cgroup.subtree_control")
		if err := os.WriteFile(control, []byte("+cpu +memory"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (g cgroups) unified() bool { return g.roots["cpu"] == g.roots["memory"] }

// make makes a cgroup, removes it when the test ends, and returns its path.
func (g cgroups) make(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(g.dir, name)
	for _, root := range g.roots {
		dir := filepath.Join(root, path)
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	return path
}

// add puts a process into a cgroup.
func (g cgroups) add(t *testing.T, path string, pid int) {
	t.Helper()
	for _, root := range g.roots {
		if err := os.WriteFile(filepath.Join(root, path, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// account is what the kernel says of a cgroup in files that the sampler does
// not read where there is a choice: CPU seconds and bytes.
type account struct{ cpu, memory float64 }

// read reads, on v1, the usage of the cgroup per CPU, and the memory that its
// processes have mapped rather than what is charged.
func (g cgroups) read(path string) (account, error) {
	if g.unified() {
		micros, err := field(filepath.Join(cgroupRoot, path, "cpu.stat"), "usage_usec")
		if err != nil {
			return account{}, err
		}
		bytes, err := field(filepath.Join(cgroupRoot, path, "memory.stat"), "anon")
		return account{micros / 1e6, bytes}, err
	}
	perCPU, err := os.ReadFile(filepath.Join(g.roots["cpu"], path, "cpuacct.usage_percpu"))
	if err != nil {
		return account{}, err
	}
	var a account
	for _, text := range strings.Fields(string(perCPU)) {
		nanos, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return account{}, err
		}
		a.cpu += nanos / 1e9
	}
	a.memory, err = field(filepath.Join(g.roots["memory"], path, "memory.stat"), "total_rss")
	return a, err
}

// field returns the value of a line "NAME VALUE".
func field(file, name string) (float64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, errors.New(file + " has no " + name)
}
