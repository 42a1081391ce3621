//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snapshot is everything on the machine that a lab could leave behind.
type snapshot struct {
	Processes, NetworkNamespaces, Mounts, Links, Cgroups, Labs []string
	Settings                                                   map[string]string
}

// leavesNothing fails the test if it changes the machine. It must be called
// before the test registers other clean-ups, because those run first.
func leavesNothing(t testing.TB) {
	t.Helper()
	others := labGroups(t)
	before := takeSnapshot(t, others)
	t.Cleanup(func() {
		if diff := cmp.Diff(before, takeSnapshot(t, others)); diff != "" {
			t.Errorf("the machine is not as it was (-before +after):\n%s", diff)
		}
	})
}

// takeSnapshot leaves out what belongs to the labs of others: they run, change
// and end as they please.
func takeSnapshot(t testing.TB, others []string) snapshot {
	t.Helper()
	return snapshot{
		Processes:         processes(t, others),
		NetworkNamespaces: names(t, "/run/netns"),
		Mounts:            mounts(t),
		Links:             links(t),
		Cgroups:           cgroups(t, others),
		Labs:              names(t, "/var/lib/cnibench/labs"),
		Settings:          settings(t),
	}
}

// settings are those of the machine that labs may change.
func settings(t testing.TB) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, name := range []string{"net/ipv4/tcp_allowed_congestion_control", "fs/inotify/max_user_instances", "fs/inotify/max_user_watches", "net/core/netdev_tstamp_prequeue"} {
		values[name] = readFile(t, "/proc/sys/"+name)
	}
	return values
}

var labProgram = regexp.MustCompile(`^(cnibench-node|cnibench-probe|pause|etcd|kube|containerd|runc|flannel|iperf3)`)

// processes lists those that labs start: what supervises them, and what has
// one of their PID namespaces. A program of the same name that somebody runs on
// the machine itself is not a lab's. A zombie counts as ended: only its parent,
// pid 1 of the machine, can remove it.
func processes(t testing.TB, others []string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(line) == 0 {
			continue // it ended, is a zombie, or belongs to the kernel
		}
		argv := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		name := filepath.Base(argv[0])
		namespace, err := os.Readlink(filepath.Join(dir, "ns/pid"))
		if err != nil || namespace == own && name != "cnibench-node" {
			continue
		}
		groups, err := os.ReadFile(filepath.Join(dir, "cgroup"))
		if err != nil || ofLab(string(groups), others) {
			continue
		}
		if labProgram.MatchString(name) {
			found = append(found, fmt.Sprintf("%s %q", filepath.Base(dir), argv))
		}
	}
	return found
}

func mounts(t testing.TB) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(readFile(t, "/proc/self/mountinfo")) {
		before, after, _ := strings.Cut(line, " - ")
		found = append(found, strings.Fields(before)[4]+" "+strings.Fields(after)[0])
	}
	slices.Sort(found)
	return found
}

func links(t testing.TB) []string {
	t.Helper()
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%s mtu %d %v", i.Name, i.MTU, addresses))
	}
	return found
}

// labGroups are the control groups of the labs there are, such as
// /cnibench/NAME. Those of another state directory are in no list of ours.
func labGroups(t testing.TB) []string {
	t.Helper()
	var found []string
	for _, group := range cgroups(t, nil) {
		_, path, _ := strings.Cut(group, "/cnibench/")
		if name, _, _ := strings.Cut(path, "/"); name != "" {
			found = append(found, "/cnibench/"+name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// ofLab tells whether text, which names control groups line by line, names one
// of a lab.
func ofLab(text string, labs []string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line) + "/"
		if slices.ContainsFunc(labs, func(lab string) bool { return strings.Contains(line, lab+"/") }) {
			return true
		}
	}
	return false
}

func cgroups(t testing.TB, others []string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(path, "/cnibench") && !ofLab(path, others) {
			found = append(found, path)
		}
		return nil // groups of others come and go
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func readFile(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
