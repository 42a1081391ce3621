//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// One variant follows another on a running cluster, and in between the nodes
// are as they were: with pods that the first had connected, after a hand has
// planted what looks like a leftover, and after an installation that died.
func TestSwap(t *testing.T) {
	leavesNothing(t)
	const lab = "e2e-swap"
	downAtEnd(t, lab)
	o := mustRun(t, "lab", "up", lab, "--nodes", "2", "--variant", "none")
	kubeconfig := strings.TrimPrefix(strings.TrimSpace(o.stdout), "export KUBECONFIG=")
	node := func(t *testing.T, command string) string {
		t.Helper()
		return strings.TrimSpace(mustRun(t, "lab", "exec", lab, "node1", "--", "sh", "-c", command).stdout)
	}
	awaitWeb := func(t *testing.T) {
		t.Helper()
		kubectl(t, lab, kubeconfig, "rollout", "status", "deployment", "web", "--timeout=120s")
	}
	run(t, "variants", "remove", "--lab", lab).refused(t, 1, "was installed by cnibench")

	t.Run("a plugin that pods used leaves nothing", func(t *testing.T) {
		mustRun(t, "variants", "install", "flannel-vxlan", "--lab", lab)
		run(t, "variants", "install", "flannel-host-gw", "--lab", lab).refused(t, 1, "flannel-vxlan", "variants remove")
		kubectl(t, lab, kubeconfig, "create", "deployment", "web", "--image=docker.io/cnibench/tools:lab", "--replicas=3", "--", "cnibench-probe", "pause")
		awaitWeb(t)
		o := mustRun(t, "variants", "remove", "--lab", lab)
		for _, want := range []string{"removed link flannel.1", "nodes are as before"} {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("remove does not say %q:\n%s", want, o.stderr)
			}
		}
		if got := node(t, "ls /etc/cni/net.d /run/flannel 2>&1; ip -o link | grep -E 'cni0|flannel'; iptables-save | grep FLANNEL; true"); strings.Contains(got, "lannel") && !strings.Contains(got, "/run/flannel': No such file") {
			t.Errorf("the node still has\n%s", got)
		}
	})

	t.Run("what is planted is named", func(t *testing.T) {
		mustRun(t, "variants", "install", "flannel-host-gw", "--lab", lab)
		awaitWeb(t) // its pods came back without anybody's help
		node(t, "ip link add planted0 type bridge; echo '{}' > /etc/cni/net.d/99-planted.conflist")
		run(t, "variants", "remove", "--lab", lab).refused(t, 1, "node1: link planted0 (bridge", "99-planted.conflist", "cnibench: hint: ")
		node(t, "ip link del planted0; rm /etc/cni/net.d/99-planted.conflist")
		mustRun(t, "variants", "remove", "--lab", lab)
	})

	t.Run("a second CNI configuration is refused", func(t *testing.T) {
		node(t, "echo '{}' > /etc/cni/net.d/99-planted.conflist")
		run(t, "variants", "install", "flannel-vxlan", "--lab", lab).refused(t, 1, "node1: /etc/cni/net.d/99-planted.conflist", "cnibench: hint: ")
		node(t, "rm /etc/cni/net.d/99-planted.conflist")
		run(t, "variants", "remove", "--lab", lab).refused(t, 1, "was installed by cnibench")
	})

	t.Run("an installation that died is finished by remove", func(t *testing.T) {
		c := start(t, "variants", "install", "flannel-vxlan", "--lab", lab)
		eventually(t, "the installation to begin", func() bool {
			return !c.running() || strings.Contains(kubectl(t, lab, kubeconfig, "get", "namespaces", "--output", "name"), "kube-flannel")
		})
		c.signal(syscall.SIGKILL)
		c.wait()
		run(t, "variants", "install", "flannel-host-gw", "--lab", lab).refused(t, 1, "flannel-vxlan", "variants remove")
		mustRun(t, "variants", "remove", "--lab", lab)
		if got := kubectl(t, lab, kubeconfig, "get", "namespaces,clusterroles", "--output", "name"); strings.Contains(got, "flannel") {
			t.Errorf("the cluster still has\n%s", got)
		}
	})

	t.Run("a plugin that does not get ready says why", func(t *testing.T) {
		dir := t.TempDir()
		values := filepath.Join(dir, "values.yaml")
		if err := os.WriteFile(values, []byte("flannel: {image: {repository: docker.io/cnibench/no-such-image}}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		evidence := filepath.Join(dir, "evidence")
		run(t, "variants", "install", "flannel-vxlan", "--lab", lab, "--values", values, "--timeout", "20s", "--evidence", evidence).
			refused(t, 1, "no-such-image", "pod kube-flannel/", evidence)
		if text := readFile(t, filepath.Join(evidence, "events.txt")); !strings.Contains(text, "no-such-image") {
			t.Errorf("the events do not name the image:\n%s", text)
		}
		mustRun(t, "variants", "remove", "--lab", lab)
	})
}
