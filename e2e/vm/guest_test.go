//go:build vm

package vm

import (
	"strings"
	"testing"
)

// run runs a script in the guest and ends the test if the guest ended.
func run(t *testing.T, script string) outcome {
	t.Helper()
	o, err := guest.run(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\nexit status %d after %.1f s\n%s%s", script, o.status, o.took.Seconds(), o.stdout, o.stderr)
	return o
}

// must fails the test unless the script exits with 0.
func must(t *testing.T, script string) outcome {
	t.Helper()
	o := run(t, script)
	if o.status != 0 {
		t.Fatalf("exit status %d: %s", o.status, script)
	}
	return o
}

// says fails the test unless the command's output has the text.
func (o outcome) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(o.stdout+o.stderr, text) {
		t.Errorf("the output does not say %q", text)
	}
}

// TestCommand runs what was asked for with -command.
func TestCommand(t *testing.T) {
	must(t, *commandFlag)
}

// TestGuest holds the guest to what makes it worth booting: where it is like
// the machine that the other tests run on, it shows nothing new.
func TestGuest(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"cgroup v2 alone", "stat -f -c %T /sys/fs/cgroup", "cgroup2fs"},
		{"all controllers of a kubelet", "cat /sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc"},
		{"all capabilities", "grep CapEff /proc/self/status", "CapEff:\t000001ffffffffff"},
		{"modules, none loaded before its time", "modprobe --dry-run --first-time wireguard && echo loadable", "loadable"},
		{"no network", "ls /sys/class/net", "lo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimSpace(must(t, tt.script).stdout); got != tt.want {
				t.Errorf("it has %q, want %q", got, tt.want)
			}
		})
	}
}
