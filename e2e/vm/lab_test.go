//go:build vm

package vm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// traces prints everything that a lab could leave in the guest.
const traces = `ls /var/lib/cnibench/labs 2>/dev/null
find /sys/fs/cgroup -mindepth 1 -type d
findmnt --noheadings --raw --output TARGET,FSTYPE
ip -brief link
ip route
ps -N --ppid 2 -o comm=
sysctl net.ipv4.tcp_allowed_congestion_control fs.inotify.max_user_instances fs.inotify.max_user_watches`

// leavesNothing fails the test if it changes the guest.
func leavesNothing(t *testing.T) {
	t.Helper()
	before := must(t, "mkdir -p /var/lib/cnibench/labs; "+traces).stdout
	t.Cleanup(func() {
		if diff := cmp.Diff(before, must(t, traces).stdout); diff != "" {
			t.Errorf("the guest is not as it was (-before +after):\n%s", diff)
		}
	})
}

// labUp makes a lab with a variant, which proves the variant, and ends it with
// the test.
func labUp(t *testing.T, variant string) outcome {
	t.Helper()
	leavesNothing(t)
	t.Cleanup(func() { run(t, "cnibench lab list | grep -q ^stock && cnibench lab down stock") })
	return must(t, "cnibench lab up stock --nodes 2 --variant "+variant)
}

// TestPlain: the canary is seen where nothing is encrypted, so that not seeing
// it elsewhere means something.
func TestPlain(t *testing.T) {
	up := labUp(t, "flannel-vxlan")
	up.says(t, "vxlan on the link with the canary in plain text (not encrypted)")
	t.Run("br_netfilter is off for the machine's own bridges", func(t *testing.T) {
		must(t, "sysctl -n net.bridge.bridge-nf-call-iptables").says(t, "0\n")
	})
	t.Run("pause and resume", func(t *testing.T) {
		must(t, "cnibench lab pause stock && cnibench lab resume stock")
	})
	// Nobody looks at the nodes of a lab before its own variant is installed,
	// so the proof that nothing stays is that of the second one.
	must(t, "cnibench variants remove --lab stock")
	must(t, "cnibench variants install flannel-wireguard --lab stock")
	must(t, "cnibench variants remove --lab stock").says(t, "nodes are as before")
	must(t, "cnibench lab down stock")
}

// TestWireGuard: the kernel of the machine that other tests run on may not
// have it.
func TestWireGuard(t *testing.T) {
	up := labUp(t, "flannel-wireguard")
	up.says(t, "wireguard on the link without the canary (encrypted)")
	must(t, "cnibench lab down stock")
}
