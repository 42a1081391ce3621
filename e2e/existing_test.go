//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// labAsExisting starts a lab of two nodes and returns the file of its
// kubeconfig, which is all that the tests below use of it.
func labAsExisting(t testing.TB, name string, args ...string) string {
	t.Helper()
	downAtEnd(t, name)
	o := mustRun(t, append([]string{"lab", "up", name, "--nodes", "2"}, args...)...)
	return strings.TrimPrefix(strings.TrimSpace(o.stdout), "export KUBECONFIG=")
}

// writeExisting writes a campaign for a cluster that somebody else runs.
func writeExisting(t testing.TB, kubeconfig, cluster, spec string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "campaign.yaml")
	text := "apiVersion: cnibench.io/v1alpha1\nkind: Campaign\nmetadata: {name: e2e}\nspec:\n  cluster:\n    existing: {kubeconfig: " + kubeconfig + cluster +
		"}\n  seed: 1\n  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 1s}]\n  freshCluster: false\n  validity: off\n" + spec
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// suppliedCharts lays the charts of the lab's supply out as --charts wants
// them: on this machine upstream's repositories are out of reach.
func suppliedCharts(t testing.TB, plugins ...string) string {
	t.Helper()
	args := []string{"lab", "supply"}
	for _, p := range plugins {
		args = append(args, "--for", p)
	}
	dir := t.TempDir()
	for line := range strings.Lines(mustRun(t, args...).stdout) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "chart" {
			continue
		}
		// Flannel's chart lies in a directory of another name.
		if err := os.Symlink(fields[2], filepath.Join(dir, strings.TrimPrefix(fields[1], "kube-"))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// nothingOfOurs fails the test if the cluster has anything of cnibench's, but
// for the inventory of a plugin that stays.
func nothingOfOurs(t testing.TB, lab, kubeconfig string) {
	t.Helper()
	for _, kind := range []string{"namespaces", "pods", "daemonsets", "configmaps", "services", "clusterroles", "clusterrolebindings"} {
		got := kubectl(t, lab, kubeconfig, "get", kind, "--all-namespaces", "--selector", "app.kubernetes.io/managed-by=cnibench", "--output", "name")
		if got = strings.TrimSpace(got); got != "" && got != "configmap/cnibench-inventory" {
			t.Errorf("the cluster still has\n%s", got)
		}
	}
}

// Plugins take turns on one cluster, whose nodes are clean in between: an
// installation on nodes that are not fails the run.
func TestExistingChangesPlugins(t *testing.T) {
	leavesNothing(t)
	kubeconfig := labAsExisting(t, "e2e-ex", "--variant", "none")
	dir := filepath.Join(t.TempDir(), "results")
	file := writeExisting(t, kubeconfig, ", allowCNIChange: true, nodes: {client: node2, server: node1}", `
  variants: [host, {variant: flannel-vxlan, version: v0.28.4}, {variant: flannel-host-gw, version: v0.28.4}]
  blocks: 2
`)
	mustRun(t, "run", "--out", dir, "--charts", suppliedCharts(t), "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		if c, s := trial.Facts["client"], trial.Facts["server"]; !strings.HasSuffix(c, " on node2") || !strings.HasSuffix(s, " on node1") {
			t.Errorf("%s: client: %s, server: %s; want node2 and node1", trial.Variant, c, s)
		}
		if got := trial.Facts["attribution"]; got != "by control group" {
			t.Errorf("%s: attribution: %s", trial.Variant, got)
		}
		if _, ok := trial.Value("cni-memory"); !ok {
			t.Errorf("%s: no memory of the plugin", trial.Variant)
		}
	}
	variants := environment(t, dir).Variants
	if got := variants["flannel-vxlan"].Facts["path MTU"]; got != "1450" {
		t.Errorf("path MTU of VXLAN: %s", got)
	}
	nothingOfOurs(t, "e2e-ex", kubeconfig)
	if got := kubectl(t, "e2e-ex", kubeconfig, "--namespace", "kube-system", "get", "configmap", "cnibench-inventory", "--ignore-not-found"); got != "" {
		t.Errorf("the inventory outlives what it lists:\n%s", got)
	}
	if got := kubectl(t, "e2e-ex", kubeconfig, "get", "namespaces", "--output", "name"); strings.Contains(got, "flannel") {
		t.Errorf("after the run there are\n%s", got)
	}
}

// Flannel and Cilium take turns on one cluster, whose nodes are clean in
// between.
func TestCiliumTakesTurns(t *testing.T) {
	leavesNothing(t)
	kubeconfig := labAsExisting(t, "e2e-ft", "--variant", "none", "--for", "cilium")
	dir := filepath.Join(t.TempDir(), "results")
	file := writeExisting(t, kubeconfig, ", allowCNIChange: true", `
  variants: [host, {variant: flannel-vxlan, version: v0.28.4}, {variant: cilium-vxlan, version: 1.15.19}]
  blocks: 2
`)
	mustRun(t, "run", "--out", dir, "--charts", suppliedCharts(t, "cilium"), "-f", file)
	wantOK(t, dir, journal(t, dir))
	facts := environment(t, dir).Variants
	for variant, want := range map[string]string{"flannel-vxlan": "unsupported", "cilium-vxlan": "enforced"} {
		if got := facts[variant].Facts["NetworkPolicy"]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: NetworkPolicy: %q, want %s", variant, got, want)
		}
	}
	nothingOfOurs(t, "e2e-ft", kubeconfig)
}

// The plugin that is there is measured as it is, recognised, and left alone.
func TestExistingInstalled(t *testing.T) {
	leavesNothing(t)
	kubeconfig := labAsExisting(t, "e2e-in", "--variant", "flannel-vxlan")
	user := restricted(t, "e2e-in", kubeconfig)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeExisting(t, user, "", "\n  variants: [installed]\n  blocks: 1\n"))
	wantOK(t, dir, journal(t, dir))
	facts := environment(t, dir).Variants["installed"].Facts
	for fact, want := range map[string]string{"installed plugin": "Flannel", "installed version": "v0.28.4", "installed mode": "vxlan", "path MTU": "1450"} {
		if facts[fact] != want {
			t.Errorf("%s: %q, want %q", fact, facts[fact], want)
		}
	}
	// The rights of deploy/rbac.yaml are enough for all facts, too.
	wantFacts(t, environment(t, dir).Variants["installed"])
	nothingOfOurs(t, "e2e-in", kubeconfig)
	if got := kubectl(t, "e2e-in", kubeconfig, "-n", "kube-flannel", "get", "pods", "--no-headers"); strings.Count(got, "Running") != 2 {
		t.Errorf("the plugin's pods are\n%s", got)
	}
	t.Run("without rights", func(t *testing.T) {
		kubectl(t, "e2e-in", kubeconfig, "-n", "cnibench", "delete", "rolebinding", "e2e")
		o := run(t, "run", "--out", filepath.Join(t.TempDir(), "results"), "-f", writeExisting(t, user, "", "\n  variants: [installed]\n  blocks: 1\n"))
		o.refused(t, 1, "create pods/exec in namespace cnibench", "deploy/rbac.yaml")
	})
}

// restricted makes an account with the rights of deploy/rbac.yaml to measure,
// and no others, and returns its kubeconfig.
func restricted(t testing.TB, lab, kubeconfig string) string {
	t.Helper()
	// What `lab up` proved the plugin with goes away in the background.
	kubectl(t, lab, kubeconfig, "wait", "--for=delete", "namespace/cnibench", "--timeout=60s")
	kubectl(t, lab, kubeconfig, "apply", "--filename", "../deploy/rbac.yaml")
	kubectl(t, lab, kubeconfig, "create", "serviceaccount", "e2e")
	kubectl(t, lab, kubeconfig, "create", "clusterrolebinding", "e2e", "--clusterrole=cnibench-measure", "--serviceaccount=default:e2e")
	kubectl(t, lab, kubeconfig, "--namespace=cnibench", "create", "rolebinding", "e2e", "--clusterrole=cnibench-measure-namespace", "--serviceaccount=default:e2e")
	token := strings.TrimSpace(kubectl(t, lab, kubeconfig, "create", "token", "e2e"))
	var text strings.Builder
	for line := range strings.Lines(readFile(t, kubeconfig)) {
		key, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "client-certificate-data":
			text.WriteString(strings.Replace(line[:strings.Index(line, ":")], key, "token", 1) + ": " + token + "\n")
		case "client-key-data":
		default:
			text.WriteString(line)
		}
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
