//go:build e2e

package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/stage"
)

// What up says of flannel is what travels; whatever else the catalog could say
// of it is caught.
func TestProof(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-proof")
	o := mustRun(t, "lab", "up", "e2e-proof", "--nodes", "2")
	for _, want := range []string{
		"proven: pod to pod and Service and pod to pod backwards across nodes", "path MTU 1450 (link 1500, vxlan 50)",
		"vxlan on the link with the canary in plain text (not encrypted)",
		"NetworkPolicy unsupported (flannel enforces none: a deny-all policy changed nothing)", "DNS skipped",
	} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("lab up does not say %q:\n%s", want, o.stderr)
		}
	}
	p := newProver(t, "e2e-proof", "flannel-vxlan")
	t.Run("facts", func(t *testing.T) { testProofFacts(t, p) })
	for _, tt := range []struct {
		name  string
		lie   func(*cni.Entry)
		part  string
		wants []string
		keeps bool // captures
	}{
		{"encrypted", func(e *cni.Entry) {
			e.Encapsulation.Protocol, e.Encapsulation.Encrypted = "wireguard", true
		}, "wire", []string{"canary seen in plain text", "vxlan"}, true},
		{"no encapsulation", func(e *cni.Entry) { e.Encapsulation.Protocol = "none" }, "wire", []string{"encapsulation between the nodes is vxlan (50 bytes)", "none"}, true},
		{"another tunnel", func(e *cni.Entry) { e.Encapsulation.Protocol = "geneve" }, "wire", []string{"is vxlan", "geneve"}, true},
		{"larger headers", func(e *cni.Entry) { e.Encapsulation.Bytes = 60 }, "path MTU", []string{"1450", "expected 1440"}, false},
		{"policies", func(e *cni.Entry) { e.Enforces.NetworkPolicy = true }, "NetworkPolicy", []string{"connections still arrive"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := p
			p.Evidence = filepath.Join(t.TempDir(), "evidence")
			tt.lie(&p.Entry)
			_, err := p.Prove(context.Background(), true)
			var failed *cni.ProofError
			if !errors.As(err, &failed) || failed.Part != tt.part {
				t.Fatalf("the proof ends with %v, want a contradiction of the %s", err, tt.part)
			}
			for _, want := range tt.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if tt.keeps && len(failed.Evidence) != 2 {
				t.Errorf("captures kept: %q", failed.Evidence)
			}
			for _, file := range failed.Evidence {
				if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
					t.Errorf("evidence %s: %v, %v", file, info, err)
				}
			}
		})
	}
}

func testProofFacts(t *testing.T, p cni.Prover) {
	proof, err := p.Prove(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("proven in %.1f s", proof.Took.Seconds())
	facts := proof.Facts()
	for name, want := range map[string]string{
		"path MTU": "1450", "route MTU": "1450", "interface MTU": "1450", "largest packet that passed": "1450", "link MTU": "1500",
		"encapsulation seen": "vxlan, 50 bytes per packet, link to pod bytes 1.049",
	} {
		if facts[name] != want {
			t.Errorf("%s is %q, want %q", name, facts[name], want)
		}
	}
	if w := proof.Wire; w.Encrypted || w.Canaries[0] < 250 || w.Canaries[1] < 250 {
		t.Errorf("the canary was seen %v times", w.Canaries)
	}
}

// newProver takes a lab that runs through the proof again, with pods of its
// own.
func newProver(t *testing.T, name, variant string) cni.Prover {
	t.Helper()
	c, entry, s := newStage(t, name, variant)
	pair, err := s.Pair(t.Context(), stage.Ends{Placement: stage.CrossNode})
	if err != nil {
		t.Fatal(err)
	}
	return cni.Prover{
		Cluster: c, Entry: entry, Client: pair.Client, Server: pair.Server, EchoPort: stage.EchoPort, LinkMTU: c.Site().LinkMTU,
		Service: func(ctx context.Context) error {
			_, err := s.Address(ctx, pair, stage.ClusterIP, stage.Ports{First: stage.FirstPort, Count: 1})
			return err
		},
		Report: func(step string) { t.Log(step) },
	}
}

// newStage makes room for load in a lab that runs.
func newStage(t *testing.T, name, variant string) (*cluster.Cluster, cni.Entry, *stage.Stage) {
	t.Helper()
	l, err := lab.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.FromLab(l)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	entry, err := catalog.Entry(variant, cni.Choice{Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	// Those of up may still be on their way out.
	mustRun(t, "lab", "kubectl", name, "--", "wait", "--for=delete", "namespace/"+stage.Namespace, "--timeout=120s")
	s, err := stage.New(t.Context(), c, entry, stage.Overlay{})
	if err != nil {
		t.Fatal(err)
	}
	return c, entry, s
}
