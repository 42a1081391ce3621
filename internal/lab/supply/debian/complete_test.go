package debian

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// TestComplete checks the links that maintainer scripts would have made.
func TestComplete(t *testing.T) {
	out := tree.New()
	for _, name := range []string{
		"usr/bin/busybox", "usr/bin/dash", "usr/bin/cp", "usr/sbin/ip",
		"usr/sbin/iptables-nft", "usr/sbin/iptables-nft-save", "usr/sbin/ebtables", "usr/sbin/ebtables-nft",
	} {
		if err := out.AddData(name, 0o755, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"var/run", "var/lock"} { // of base-files
		if err := out.AddDir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := Complete(out, []string{"sh", "cp", "ip", "ls"}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range out.Entries() {
		if e.Link != "" {
			got[e.Path] = e.Link
		}
	}
	want := map[string]string{
		"bin": "usr/bin", "sbin": "usr/sbin", "var/run": "/run", "var/lock": "/run/lock",
		"usr/bin/sh": "dash", "usr/bin/ls": "busybox", // cp and ip are programs of their own
		"usr/sbin/iptables": "iptables-nft", "usr/sbin/iptables-save": "iptables-nft-save",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, mode := range map[string]int64{"tmp": 0o1777, "etc/passwd": 0o644, "proc": 0o755} {
		if e, ok := out.Get(name); !ok || e.Mode != mode {
			t.Errorf("%s: %v with mode %o, want %o", name, ok, e.Mode, mode)
		}
	}
}

func TestAppletsNeedBusybox(t *testing.T) {
	if Complete(tree.New(), []string{"sh"}) == nil {
		t.Error("links to a busybox that is not there were accepted")
	}
}
