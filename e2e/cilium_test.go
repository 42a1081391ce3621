//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// machineParameters must stay the machine's: Cilium's agent sets both, the
// first for good.
var machineParameters = []string{"/proc/sys/kernel/unprivileged_bpf_disabled", "/proc/sys/kernel/timer_migration"}

// Cilium runs from the upstream chart, without kube-proxy and beside it. What
// up proves before it succeeds are packets between pods, Services, the tunnel
// and NetworkPolicies; here is what it does not look at.
func TestCilium(t *testing.T) {
	leavesNothing(t)
	before := map[string]string{}
	for _, file := range machineParameters {
		before[file] = readFile(t, file)
	}
	t.Cleanup(func() {
		for file, value := range before {
			if got := readFile(t, file); got != value {
				t.Errorf("%s was %q and is %q", file, value, got)
			}
		}
	})
	t.Run("without kube-proxy", func(t *testing.T) {
		downAtEnd(t, "e2e-kpr")
		mustRun(t, "lab", "up", "e2e-kpr", "--nodes", "2", "--variant", "cilium-kpr")
		status := agent(t, "e2e-kpr", "cilium-dbg", "status")
		if !slices.Equal(strings.Fields(lineOf(status, "KubeProxyReplacement:"))[:2], []string{"KubeProxyReplacement:", "True"}) {
			t.Errorf("the agent says\n%s", status)
		}
		if got := agent(t, "e2e-kpr", "cilium-dbg", "metrics", "list"); !strings.Contains(got, "cilium_bpf_map_pressure") {
			t.Errorf("no pressure of BPF maps among the agent's metrics\n%s", got)
		}
		testOwnCgroupRoot(t, "e2e-kpr")
	})
	t.Run("beside kube-proxy", func(t *testing.T) {
		downAtEnd(t, "e2e-native")
		mustRun(t, "lab", "up", "e2e-native", "--nodes", "2", "--variant", "cilium-native")
		if got := mustRun(t, "lab", "exec", "e2e-native", "node1", "--", "ls", "/run/cnibench").stdout; !strings.Contains(got, "kube-proxy") {
			t.Errorf("the node runs\n%s", got)
		}
	})
}

// testOwnCgroupRoot: programs at the root that Cilium mounts act on Services'
// addresses in connect(2) of every process below it. It must be the node's
// group: then the node reaches the API by its Service, and the control plane
// node, which runs no agent, does not.
func testOwnCgroupRoot(t *testing.T, name string) {
	mounts := agent(t, name, "cat", "/proc/1/mountinfo") // the agent's own view, with the machine's paths
	root := strings.Fields(lineOf(mounts, " /run/cilium/cgroupv2 "))
	if len(root) < 4 || !strings.HasPrefix(root[3], "/cnibench/"+name+"/node") {
		t.Errorf("the agent has at /run/cilium/cgroupv2: %q", root)
	}
	reach := []string{"--", "timeout", "3", "bash", "-c", "exec 3<>/dev/tcp/10.96.0.1/443"}
	if o := run(t, append([]string{"lab", "exec", name, "node1"}, reach...)...); o.status != 0 {
		t.Errorf("node1 does not reach the API's Service: %s", o.stderr)
	}
	if o := run(t, append([]string{"lab", "exec", name, "control-plane"}, reach...)...); o.status == 0 {
		t.Error("the control plane node reaches the API's Service, which nothing there translates")
	}
}

// agent runs a command in one of Cilium's pods.
func agent(t *testing.T, name string, argv ...string) string {
	t.Helper()
	args := []string{"lab", "kubectl", name, "--", "exec", "-n", "kube-system", "ds/cilium", "-c", "cilium-agent", "--"}
	return mustRun(t, append(args, argv...)...).stdout
}

// lineOf finds the first line with a text in it.
func lineOf(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
