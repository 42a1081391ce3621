package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab"
)

// recordedLab is a lab of two nodes of which there is nothing but a record.
func recordedLab(t *testing.T) labMachines { return recordedLabWith(t, "nftables") }

func recordedLabWith(t *testing.T, kubeProxy string) labMachines {
	t.Helper()
	state := t.TempDir()
	t.Setenv("CNIBENCH_STATE", state)
	dir := filepath.Join(state, "labs", "a")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	record := `{"config": {"name": "a", "nodes": 2, "kubeProxy": "` + kubeProxy + `"}, "versions": {"kubernetes": "v1"}, "images": {"pause": "sha256:0"}}`
	if err := os.WriteFile(filepath.Join(dir, "lab.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := lab.Open("a")
	if err != nil {
		t.Skip("no control groups here: ", err)
	}
	return labMachines{l}
}

func TestLabNamesControlGroups(t *testing.T) {
	m := recordedLab(t)
	for _, tt := range []struct {
		qos, want string
	}{
		{"Guaranteed", "/cnibench/a/node2/kubepods/podu-1"},
		{"Burstable", "/cnibench/a/node2/kubepods/burstable/podu-1"},
		{"BestEffort", "/cnibench/a/node2/kubepods/besteffort/podu-1"},
	} {
		if got := m.PodGroup(Pod{Node: "node2", UID: "u-1", QOS: tt.qos}); got != tt.want {
			t.Errorf("a pod of class %s is in %s, want %s", tt.qos, got, tt.want)
		}
	}
	if diff := cmp.Diff([]string{"/cnibench/a"}, m.ClusterGroups("node1")); diff != "" {
		t.Errorf("groups of the cluster (-want +got):\n%s", diff)
	}
	want := map[string][]string{
		"kubelet": {"/cnibench/a/node1/kubelet"}, "runtime": {"/cnibench/a/node1/runtime"}, "kube-proxy": {"/cnibench/a/node1/kube-proxy"},
	}
	if diff := cmp.Diff(want, m.SystemGroups("node1")); diff != "" {
		t.Errorf("groups of the node's programs (-want +got):\n%s", diff)
	}
}

// A group that never exists would take the CPU of kubelet and runtime with it.
func TestLabWithoutKubeProxyHasNoGroupOfIt(t *testing.T) {
	want := map[string][]string{"kubelet": {"/cnibench/a/node1/kubelet"}, "runtime": {"/cnibench/a/node1/runtime"}}
	if diff := cmp.Diff(want, recordedLabWith(t, "none").SystemGroups("node1")); diff != "" {
		t.Errorf("groups of the node's programs (-want +got):\n%s", diff)
	}
}

// One kernel is sampled once, however many nodes share it.
func TestLabHasOneKernel(t *testing.T) {
	m := recordedLab(t)
	if got := m.Samplers(); len(got) != 1 || !m.SharedKernel() {
		t.Errorf("samplers: %v, shared kernel: %t", got, m.SharedKernel())
	}
	if diff := cmp.Diff([]string{"node1", "node2"}, m.NodeNames()); diff != "" {
		t.Errorf("nodes that run pods (-want +got):\n%s", diff)
	}
}

// What a caller does with versions and digests stays with him.
func TestLabHandsOutCopies(t *testing.T) {
	m := recordedLab(t)
	m.Versions()["kubernetes"] = "changed"
	m.Digests()["pause"] = "changed"
	if m.Versions()["kubernetes"] != "v1" || m.Digests()["pause"] != "sha256:0" {
		t.Errorf("changed: %v, %v", m.Versions(), m.Digests())
	}
}

func TestCopyTailKeepsTheEnd(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for name, log := range map[string][]byte{
		"empty": {}, "short": []byte("a\nb\n"), "long": append(bytes.Repeat([]byte("x"), logTail), "end"...),
	} {
		if err := os.WriteFile(from, log, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := copyTail(from, to); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(to)
		if err != nil || len(got) != min(len(log), logTail) || !bytes.HasSuffix(log, got) {
			t.Errorf("%s: %d of %d bytes are kept, %v", name, len(got), len(log), err)
		}
	}
	if err := copyTail(filepath.Join(dir, "none"), to); err == nil {
		t.Error("a log that does not exist is copied")
	}
}
