//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two labs of different shape live side by side and end without a trace.
func TestLabs(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-a", "e2e-b")
	a, b := start(t, "lab", "up", "e2e-a"), start(t, "lab", "up", "e2e-b", "--nodes", "2")
	kubeconfigs := map[string]string{}
	for name, up := range map[string]*command{"e2e-a": a, "e2e-b": b} {
		o := up.wait()
		if o.status != 0 {
			t.Fatalf("lab up %s: exit status %d\n%s", name, o.status, o.stderr)
		}
		kubeconfig, ok := strings.CutPrefix(strings.TrimSpace(o.stdout), "export KUBECONFIG=")
		if !ok {
			t.Fatalf("lab up %s prints %q, want a line for the shell", name, o.stdout)
		}
		kubeconfigs[name] = kubeconfig
	}
	t.Run("list", func(t *testing.T) {
		for name, want := range map[string][]string{
			"e2e-a": {"e2e-a", "running", "3", "1500", "iptables", "-", "flannel-vxlan"},
			"e2e-b": {"e2e-b", "running", "2", "1500", "iptables", "-", "flannel-vxlan"},
		} {
			if got := listed(t, name); len(got) < len(want) || cmp.Diff(want, got[:len(want)]) != "" {
				t.Errorf("lab list shows %q, want %q first", got, want)
			}
		}
	})
	t.Run("kubeconfig", func(t *testing.T) {
		for name, want := range map[string]int{"e2e-a": 3, "e2e-b": 2} {
			if got := readyNodes(t, name, kubeconfigs[name]); got != want {
				t.Errorf("%s has %d ready nodes, want %d", name, got, want)
			}
			if got := strings.TrimSpace(mustRun(t, "lab", "kubeconfig", name).stdout); got != kubeconfigs[name] {
				t.Errorf("lab kubeconfig prints %q, lab up printed %q", got, kubeconfigs[name])
			}
		}
	})
	t.Run("exec", func(t *testing.T) { testExec(t, "e2e-a") })
	t.Run("taken", func(t *testing.T) {
		run(t, "lab", "up", "e2e-a").refused(t, 1, "e2e-a", "exists", "cnibench: hint: ")
		if got := readyNodes(t, "e2e-a", kubeconfigs["e2e-a"]); got != 3 {
			t.Errorf("the lab that had the name has %d ready nodes now", got)
		}
	})
	t.Run("pause", func(t *testing.T) { testPause(t, "e2e-a", kubeconfigs["e2e-a"]) })
	mustRun(t, "lab", "down", "e2e-a", "e2e-b")
	if got := mustRun(t, "lab", "list").stdout; strings.Contains(got, "e2e-") {
		t.Errorf("after down, lab list shows\n%s", got)
	}
}

func testExec(t *testing.T, name string) {
	for _, node := range []string{"node1", "node3", "control-plane"} {
		if got := strings.TrimSpace(mustRun(t, "lab", "exec", name, node, "--", "hostname").stdout); got != node {
			t.Errorf("the host name of %s is %q", node, got)
		}
	}
	if o := run(t, "lab", "exec", name, "node1", "--", "sh", "-c", "exit 7"); o.status != 7 || o.stderr != "" {
		t.Errorf("a command that exits with 7 gives %d and says %q", o.status, o.stderr)
	}
	run(t, "lab", "exec", name, "node9", "--", "true").refused(t, 1, "node9", "node1")
	if got := mustRun(t, "lab", "kubectl", name, "--", "get", "nodes", "--output", "name").stdout; !strings.Contains(got, "node/node3") {
		t.Errorf("lab kubectl get nodes prints %q", got)
	}
}

func testPause(t *testing.T, name, kubeconfig string) {
	used := func() float64 {
		before := cpuSeconds(t, name)
		time.Sleep(2 * time.Second)
		return cpuSeconds(t, name) - before
	}
	running := used()
	mustRun(t, "lab", "pause", name)
	if paused := used(); paused > running/10 {
		t.Errorf("in two seconds the paused lab uses %.3f s of CPU, the running one %.3f s", paused, running)
	}
	if got := listed(t, name); len(got) < 2 || got[1] != "paused" {
		t.Errorf("lab list shows %q, want a paused lab", got)
	}
	for _, args := range [][]string{{"exec", name, "node1", "--", "true"}, {"kubectl", name, "--", "get", "nodes"}} {
		run(t, append([]string{"lab"}, args...)...).refused(t, 1, "paused", "cnibench lab resume "+name)
	}
	mustRun(t, "lab", "resume", name)
	if got := readyNodes(t, name, kubeconfig); got != 3 {
		t.Errorf("after resume %d nodes are ready, want 3", got)
	}
}

// What up proves before it succeeds, connections to a Service among it, holds
// in nftables mode too. Without kube-proxy nothing can be proven, and nothing
// runs that would do its work.
func TestKubeProxyModes(t *testing.T) {
	leavesNothing(t)
	t.Run("nftables", func(t *testing.T) {
		downAtEnd(t, "e2e-nft")
		mustRun(t, "lab", "up", "e2e-nft", "--nodes", "2", "--kube-proxy", "nftables", "--variant", "flannel-host-gw")
		argv := mustRun(t, "lab", "exec", "e2e-nft", "node1", "--", "sh", "-c", "tr '\\0' ' ' < /proc/$(pgrep -x kube-proxy)/cmdline").stdout
		if !strings.Contains(argv, "--proxy-mode=nftables") {
			t.Errorf("kube-proxy runs as %q", argv)
		}
	})
	t.Run("none", func(t *testing.T) {
		downAtEnd(t, "e2e-none")
		o := mustRun(t, "lab", "up", "e2e-none", "--nodes", "1", "--kube-proxy", "none", "--variant", "none")
		kubeconfig := strings.TrimPrefix(strings.TrimSpace(o.stdout), "export KUBECONFIG=")
		if got := kubectl(t, "e2e-none", kubeconfig, "get", "nodes", "--no-headers"); !strings.Contains(got, "NotReady") {
			t.Errorf("without a network plugin the node is\n%s", got)
		}
		if got := mustRun(t, "lab", "exec", "e2e-none", "node1", "--", "ls", "/run/cnibench").stdout; strings.Contains(got, "kube-proxy") {
			t.Errorf("the node runs\n%s", got)
		}
	})
}

// A link of 9000 bytes leaves 8950 to pods behind VXLAN, whose header up
// proves with packets of that size. Here only the interfaces are looked at.
func TestMTU(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-mtu")
	mustRun(t, "lab", "up", "e2e-mtu", "--nodes", "2", "--mtu", "9000")
	for link, want := range map[string]string{"eth0": "9000", "flannel.1": "8950"} {
		if got := strings.TrimSpace(mustRun(t, "lab", "exec", "e2e-mtu", "node1", "--", "cat", "/sys/class/net/"+link+"/mtu").stdout); got != want {
			t.Errorf("the MTU of %s is %s, want %s", link, got, want)
		}
	}
}
