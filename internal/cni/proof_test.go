package cni

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
)

func exampleProof() Proof {
	return Proof{
		At: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), LinkMTU: 1500,
		Entry:   Entry{Encapsulation: Encapsulation{Protocol: "vxlan", Bytes: 50}},
		Reached: []string{"pod to pod", "Service"},
		MTU:     probe.PathMTU{Bytes: 1450, Route: 1450, Device: 1500},
		Wire:    &Wire{Protocol: "vxlan", Packets: 300, Canaries: [2]int64{250, 249}, Nodes: [2]string{"node1", "node2"}, Overhead: 50, Ratio: 1.0486},
		Policy:  "unsupported (flannel enforces none: a deny-all policy changed nothing)",
		Skipped: map[string]string{"DNS": "the cluster has no Service kube-system/kube-dns"},
	}
}

func TestProofFacts(t *testing.T) {
	want := map[string]string{
		"proven at": "2026-11-21T03:00:00Z", "reached across nodes": "pod to pod, Service",
		"path MTU": "1450", "link MTU": "1500", "route MTU": "1450", "interface MTU": "1500", "largest packet that passed": "1450",
		"encapsulation seen": "vxlan, 50 bytes per packet, link to pod bytes 1.049",
		"canary":             "seen in 250 packets that left node1 and 249 that left node2: not encrypted",
		"NetworkPolicy":      "unsupported (flannel enforces none: a deny-all policy changed nothing)",
		"DNS":                "skipped: the cluster has no Service kube-system/kube-dns",
	}
	if diff := cmp.Diff(want, exampleProof().Facts()); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestProofSummary(t *testing.T) {
	want := "proven: pod to pod and Service across nodes, path MTU 1450 (link 1500, vxlan 50), vxlan on the link with the canary in plain text (not encrypted), " +
		"NetworkPolicy unsupported (flannel enforces none: a deny-all policy changed nothing), DNS skipped (the cluster has no Service kube-system/kube-dns)"
	if diff := cmp.Diff(want, exampleProof().Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}
