package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/result"
)

// A variant whose datapath is not what it is said to be has invalid trials. It
// gets a second chance, and after that no cluster.
func TestRunGivesUpOnADisprovenVariant(t *testing.T) {
	provider := &fakeProvider{fail: func(string) error {
		return &cni.ProofError{Part: "wire", Err: errors.New("canary seen in plain text"), Evidence: []string{"raw/proof/a/node1.pcap"}}
	}}
	var events []Event
	r := newRunner(t, provider, &events)
	for _, b := range examplePlan().Blocks {
		b.Index += 2
		r.Plan.Blocks = append(r.Plan.Blocks, b)
	}
	all := r.Plan.Trials()
	if err := r.Run(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if len(provider.asked) != 4 { // two variants, twice
		t.Errorf("clusters asked for: %v", provider.asked)
	}
	got := trials(t, r)
	if len(got) != len(all) {
		t.Errorf("%d trials, want one attempt of each of %d", len(got), len(all))
	}
	for _, trial := range got {
		if trial.Status != result.Invalid || !strings.Contains(trial.Reason, "proving the datapath: wire: canary seen in plain text (see raw/proof/a/node1.pcap)") {
			t.Errorf("%s: %s", trial.Status, trial.Reason)
		}
	}
}

func TestKeepFacts(t *testing.T) {
	facts := map[string]string{"path MTU": "1450"}
	keepFacts(facts, map[string]string{"path MTU": "1400", "canary": "seen"})
	if facts["path MTU"] != "1450" || facts["canary"] != "seen" {
		t.Errorf("facts are %v", facts)
	}
}
