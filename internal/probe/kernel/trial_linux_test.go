package kernel

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestEveryFeatureIsTried(t *testing.T) {
	names := Features()
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(trials()))); diff != "" {
		t.Errorf("features and trials differ (-features +trials):\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Answer
	}{
		{nil, Answer{Yes, ""}},
		{&kernelError{unix.EOPNOTSUPP, "Unknown device type"}, Answer{No, "operation not supported: Unknown device type"}},
		{unix.ENODEV, Answer{No, "no such device"}},
		{&kernelError{4099, ""}, Answer{No, "ipset error 4099"}},
		{&absentError{"/dev/net/tun is not there"}, Answer{No, "/dev/net/tun is not there"}},
		{unix.EPERM, Answer{Unknown, "operation not permitted"}},
		{fmt.Errorf("making a network namespace: %w", unix.EPERM), Answer{Unknown, "making a network namespace: operation not permitted"}},
		{unix.EACCES, Answer{Unknown, "permission denied"}},
		{unix.ENOMEM, Answer{Unknown, "cannot allocate memory"}},
		// What is missing is the trial's own footing, not the feature.
		{&needError{"veth", unix.EOPNOTSUPP}, Answer{Unknown, "the trial needs a veth: operation not supported"}},
		// Of two ways the kernel lacks one and forbids the other.
		{errors.Join(unix.EINVAL, unix.EPERM), Answer{Unknown, "invalid argument; operation not permitted"}},
	} {
		if got := judge(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

// Names of the answers of other processes come and go; what a trial makes has
// a place in one of these lists.
type listing struct {
	Links, Mounts, Namespaces []string
}

func list(t *testing.T) listing {
	t.Helper()
	var l listing
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range links {
		l.Links = append(l.Links, i.Name)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	l.Mounts = []string{string(mounts)}
	files, err := filepath.Glob("/proc/self/task/*/ns/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if ns, err := os.Readlink(f); err == nil && !slices.Contains(l.Namespaces, ns) { // a thread may end meanwhile
			l.Namespaces = append(l.Namespaces, ns)
		}
	}
	slices.Sort(l.Namespaces)
	return l
}

func TestTrialsLeaveNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("namespaces need root")
	}
	before := list(t)
	answers := try(Features())
	// The thread of the trials ends soon after it has answered.
	var after listing
	for range 1000 {
		if after = list(t); cmp.Equal(before, after) {
			break
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("something is left (-before +after):\n%s", diff)
	}
	for name, a := range answers {
		t.Logf("%-14s %-8s %s", name, a.Can, a.Reason)
	}
}

// Every trial must also end where an earlier one was cut short.
func TestTrialsDoNotDependOnEachOther(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("namespaces need root")
	}
	first, again := map[string]Answer{}, map[string]Answer{}
	err := inScratch(func() {
		for name, try := range trials() {
			first[name] = judge(try())
			_ = deleteLink(trialLink) // as if it had failed before it did so
		}
	})
	if err != nil {
		t.Skip(err)
	}
	for name := range trials() {
		if err := inScratch(func() { again[name] = judge(trials()[name]()) }); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("alone a trial answers otherwise (-together +alone):\n%s", diff)
	}
}

// What the configuration has built in must work, and what it lacks must not.
func TestTrialsAgreeWithConfiguration(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("namespaces need root")
	}
	r, err := Examine(Spec{Features: Features()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Config.Source == "" {
		t.Skip(r.Config.Unknown)
	}
	for name, a := range r.Features {
		builtin, missing := true, ""
		for _, symbol := range Symbols(name) {
			any := slices.ContainsFunc(Alternatives(symbol), func(s string) bool { return r.Config.Values[s] != NotSet })
			all := slices.ContainsFunc(Alternatives(symbol), func(s string) bool { return r.Config.Values[s] == "y" })
			builtin = builtin && all
			if !any {
				missing = symbol
			}
		}
		if a.Can == No && builtin || a.Can == Yes && missing != "" {
			t.Errorf("%s: %s (%s); all built in: %t, missing: %s", name, a.Can, a.Reason, builtin, missing)
		}
	}
}
