package lab

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ttl is a parameter that every network namespace has for itself, so that the
// test changes nothing of the machine's.
const ttl = "net.ipv4.ip_default_ttl"

// ownNetwork moves the test into a network namespace of its own, for good.
func ownNetwork(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip("no network namespace here: ", err)
	}
}

func setSysctl(t *testing.T, name, value string) {
	t.Helper()
	if err := os.WriteFile(sysctlFile(name), []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

func sysctl(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(sysctlFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func saveSysctls(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(savedSysctls(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReleaseMachineRestoresWithTheLastLab(t *testing.T) {
	ownState(t)
	ownNetwork(t)
	if err := releaseMachine(); err != nil {
		t.Error("when nothing was changed: ", err)
	}
	setSysctl(t, ttl, "42")
	saveSysctls(t, `{"`+ttl+`": "63"}`)
	recordLab(t, record{Config: Defaults("a")})
	if err := releaseMachine(); err != nil {
		t.Fatal(err)
	}
	if got := sysctl(t, ttl); got != "42" {
		t.Errorf("with a lab left, %s is %s already", ttl, got)
	}
	if err := os.RemoveAll(labDir("a")); err != nil {
		t.Fatal(err)
	}
	if err := releaseMachine(); err != nil {
		t.Fatal(err)
	}
	if got := sysctl(t, ttl); got != "63" {
		t.Errorf("with the last lab gone, %s is %s, want 63", ttl, got)
	}
	if _, err := os.Stat(savedSysctls()); err == nil {
		t.Error("the note of the machine's settings is still there")
	}
}

// A note that cannot be read stays, so that somebody can still put right what
// it says.
func TestReleaseMachineKeepsABrokenNote(t *testing.T) {
	ownState(t)
	saveSysctls(t, `{"`+ttl+`": "6`)
	if err := releaseMachine(); err == nil || !strings.Contains(err.Error(), savedSysctls()) {
		t.Errorf("error %v, want one that names the file", err)
	}
	saveSysctls(t, `{"net.no.such.parameter": "1"}`)
	if err := releaseMachine(); err == nil || !strings.Contains(err.Error(), "net.no.such.parameter") {
		t.Errorf("error %v, want one that names the parameter", err)
	}
	if _, err := os.Stat(savedSysctls()); err != nil {
		t.Error(err)
	}
}

// Nodes and pods are pinned to the algorithm that claimMachine allows.
func TestCongestionControlIsPinned(t *testing.T) {
	const name = "net.ipv4.tcp_congestion_control"
	for where, values := range map[string]map[string]string{"nodes": nodeSysctls(network{family: DualStack}), "pods": PodSysctls()} {
		if values[name] != CongestionControl {
			t.Errorf("%s have %v", where, values)
		}
	}
	if got := sysctlFile(name); got != "/proc/sys/net/ipv4/tcp_congestion_control" {
		t.Errorf("the file of %s is %s", name, got)
	}
}
