package stage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cni"
)

func TestCounterResult(t *testing.T) {
	values, marks, facts := counterResult(cni.CounterChange{
		Drops:    map[string]float64{"Policy denied, EGRESS": 2, "Invalid source mac, EGRESS": 0},
		Pressure: map[string]float64{"cilium_ct4_global": 0.5, "cilium_lxc": 0.001},
		Others:   map[string]float64{"cilium_forward_count_total (EGRESS)": 500},
		Span:     11 * time.Second,
	})
	got := map[string]float64{}
	for _, v := range values {
		got[v.Name] = v.Value
	}
	want := map[string]float64{"cni-drops": 2, "cni-drops-policy-denied-egress": 2, "cni-drops-invalid-source-mac-egress": 0, "cni-map-pressure": 0.5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got)\n%s", diff)
	}
	if len(marks) != 1 || marks[0].Detail != "the plugin itself dropped packets around the load: Policy denied, EGRESS +2 in 11.0 s" {
		t.Errorf("marks: %v", marks)
	}
	wantFacts := map[string]string{
		"cni drops": "Policy denied, EGRESS +2 in 11.0 s", "cni map pressure": "0.5 of cilium_ct4_global, the fullest of 2",
		"cni counters": "cilium_forward_count_total (EGRESS) +500 in 11.0 s",
	}
	if diff := cmp.Diff(wantFacts, facts); diff != "" {
		t.Errorf("facts (-want +got)\n%s", diff)
	}
}

// What is not known is no value and no mark.
func TestCounterResultAbsent(t *testing.T) {
	values, marks, facts := counterResult(cni.CounterChange{DropsAbsent: "the agent restarted", PressureAbsent: "there is no metric"})
	if len(values)+len(marks)+len(facts) != 0 {
		t.Errorf("%v %v %v", values, marks, facts)
	}
	// Nothing dropped is a value, and no mark.
	values, marks, _ = counterResult(cni.CounterChange{Drops: map[string]float64{}, PressureAbsent: "there is no metric"})
	if len(values) != 1 || values[0].Value != 0 || len(marks) != 0 {
		t.Errorf("%v %v", values, marks)
	}
}

// It says in the trial why there is no figure, and keeps what there was.
func TestCountersTold(t *testing.T) {
	known, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	of := func(variant string) Measurement {
		e, err := known.Entry(variant, cni.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		source := cni.CounterSource{Node: "node1", Pod: "agent", Port: 9962, Text: []byte("up 1\n"), Err: errors.New("the connection is refused")}
		c := &cniCounters{bench: &Bench{Entry: e, Raw: dir}, before: []cni.CounterSource{source}, after: []cni.CounterSource{source}}
		var m Measurement
		c.tell(&m)
		if _, err := os.Stat(filepath.Join(dir, "counters-node1-9962-before.prom.zst")); err != nil && variant != "flannel-vxlan" {
			t.Error(err)
		}
		return m
	}
	want := map[string]string{"cni-drops": "agent on node1, port 9962: the connection is refused", "cni-map-pressure": "agent on node1, port 9962: the connection is refused"}
	if diff := cmp.Diff(want, of("cilium-vxlan").Missing); diff != "" {
		t.Errorf("missing (-want +got)\n%s", diff)
	}
	if m := of("flannel-vxlan"); len(m.Missing) != 0 || m.Facts["cni counters"] != "none: the catalog names none of flannel-vxlan" {
		t.Errorf("flannel: %+v", m)
	}
}
