//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/doctor"
)

// A lab with nothing wrong is fit, with the warnings that its size deserves. The
// same lab, made sick and seen through its kubeconfig alone, is not, and each
// sickness is found by name.
func TestDoctor(t *testing.T) {
	leavesNothing(t)
	kubeconfig := labAsExisting(t, "e2e-doc")
	o := mustRun(t, "doctor", "--lab", "e2e-doc", "--format", "json")
	r := doctorReport(t, o)
	if !r.Fit || r.Kind != doctor.Lab {
		t.Errorf("a healthy lab: fit %t, kind %s", r.Fit, r.Kind)
	}
	wantFound(t, r, doctor.Warning, "spec.workers", "2 workers")
	wantFound(t, r, doctor.Info, "features.unneeded", "tunnel")
	wantFound(t, r, doctor.Info, "dns.answers", "kube-dns")
	for check, evidence := range map[string]string{
		"mtu.path": "largest that came back 1450", "mtu.links": "node1: 1500, node2: 1500", "time.skew": "one kernel", "tcp.congestion": "cubic",
		"pods.path": "node2", "service.path": "cluster IP", "pods.foreign": "none", "cni.agents": "2 pods", "spec.iperf3": "one process per stream",
	} {
		wantFound(t, r, doctor.OK, check, evidence)
	}
	if runtime.NumCPU() < 4 {
		wantFound(t, r, doctor.Warning, "spec.cpu", "CPU")
	}

	makeSick(t, "e2e-doc", kubeconfig)
	o = run(t, "doctor", "--kubeconfig", kubeconfig, "--format", "json")
	o.refused(t, 5, "not fit to be measured", "mtu.path", "pods.foreign", "cni.agents", "docs/doctor.md")
	r = doctorReport(t, o)
	wantFound(t, r, doctor.Unfit, "mtu.path", "larger packets than that are lost")
	wantFound(t, r, doctor.Warning, "mtu.links", "node1: 1400, node2: 1500")
	wantFound(t, r, doctor.Unfit, "cni.agents", "not ready")
	wantFound(t, r, doctor.Warning, "policy.blocking", "NetworkPolicy cnibench/deny-all denies the load pods all ingress")
	if f := wantFound(t, r, doctor.Unfit, "pods.foreign", "workload"); f.Where != "default/somebody on node1" || !strings.Contains(f.Fix, "kubectl drain node1") {
		t.Errorf("the other workload is %+v", f)
	}
	nothingOfOurs(t, "e2e-doc", kubeconfig)
}

// makeSick gives one node a smaller MTU, denies the load pods everything, lets
// another workload run, and keeps an agent of the plugin from being ready.
func makeSick(t *testing.T, lab, kubeconfig string) {
	t.Helper()
	// What earlier commands used goes away in the background.
	kubectl(t, lab, kubeconfig, "wait", "--for=delete", "namespace/cnibench", "--timeout=120s")
	kubectl(t, lab, kubeconfig, "create", "namespace", "cnibench")
	file := filepath.Join(t.TempDir(), "sick.yaml")
	if err := os.WriteFile(file, []byte(`apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny-all, namespace: cnibench}
spec: {podSelector: {}, policyTypes: [Ingress, Egress]}
---
apiVersion: v1
kind: Pod
metadata: {name: somebody, namespace: default}
spec:
  nodeName: node1
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: "docker.io/cnibench/tools:lab", command: [cnibench-probe, pause]}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, lab, kubeconfig, "apply", "--filename", file)
	mustRun(t, "lab", "exec", lab, "node1", "--", "ip", "link", "set", "dev", "eth0", "mtu", "1400")
	// Only node2's agent is replaced: node1's would notice the MTU and mend it.
	kubectl(t, lab, kubeconfig, "--namespace", "kube-flannel", "patch", "daemonset", "kube-flannel-ds", "--patch",
		`{"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null},"template":{"spec":{"containers":[{"name":"kube-flannel","readinessProbe":{"exec":{"command":["false"]}}}]}}}}`)
	kubectl(t, lab, kubeconfig, "--namespace", "kube-flannel", "delete", "pods", "--field-selector", "spec.nodeName=node2")
	eventually(t, "an agent that runs and is not ready", func() bool {
		states := kubectl(t, lab, kubeconfig, "--namespace", "kube-flannel", "get", "pods", "--output",
			`jsonpath={range .items[*]}{.metadata.deletionTimestamp}|{.status.phase}|{.status.containerStatuses[0].ready}{"\n"}{end}`)
		return strings.Contains("\n"+states, "\n|Running|false")
	})
}

func doctorReport(t *testing.T, o outcome) doctor.Report {
	t.Helper()
	var r doctor.Report
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("%v\n%s\n%s", err, o.stdout, o.stderr)
	}
	return r
}

// wantFound fails the test unless a finding says so.
func wantFound(t *testing.T, r doctor.Report, severity doctor.Severity, check, evidence string) doctor.Finding {
	t.Helper()
	var seen []doctor.Finding
	for _, f := range r.Findings {
		if f.Check == check {
			if f.Severity == severity && strings.Contains(f.Evidence, evidence) {
				return f
			}
			seen = append(seen, f)
		}
	}
	t.Errorf("no %s of %s says %q; there are %+v", severity, check, evidence, seen)
	return doctor.Finding{}
}
