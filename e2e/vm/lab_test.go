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
sysctl net.ipv4.tcp_allowed_congestion_control`

// TestLab brings one lab up, and ends it; the steps between need each other.
func TestLab(t *testing.T) {
	before := must(t, traces).stdout
	must(t, "cnibench lab up stock --nodes 2 --variant flannel-vxlan")
	t.Run("the machine's own bridges are left alone", func(t *testing.T) {
		must(t, "cat /proc/sys/net/bridge/bridge-nf-call-iptables").says(t, "0\n")
	})
	t.Run("the lab freezes and thaws", func(t *testing.T) {
		must(t, "cnibench lab pause stock && cnibench lab list && cnibench lab resume stock")
	})
	must(t, "cnibench lab down stock")
	if diff := cmp.Diff(before, must(t, traces).stdout); diff != "" {
		t.Errorf("the guest is not as it was (-before +after):\n%s", diff)
	}
}
