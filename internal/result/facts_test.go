package result

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompareFacts(t *testing.T) {
	a := Facts{
		Values: map[string]string{
			"cpu.governor": "performance", "cpu.model": "same", "uplink.offload.rx-gro": "on", "uplink.bus": "0000:01:00.0", "uplink.name": "eth0",
			"uplink.rss.key.sha256": "aa", "placement.provider-id": "aws:///a", "foreign.shop/Pod web": "1 pod without requests", "kernel.boot.mitigations": "off",
		},
		Missing: map[string]string{"uplink.speed": "the driver does not tell"},
	}
	b := Facts{
		Values: map[string]string{
			"cpu.model": "same", "uplink.bus": "0000:02:00.0", "uplink.name": "ens5", "uplink.rss.key.sha256": "bb", "placement.provider-id": "aws:///b", "foreign": "none",
		},
		Missing: map[string]string{"cpu.governor": "no driver", "uplink.offload": "not permitted", "uplink.speed": "another reason"},
	}
	want := []FactDifference{
		{"cpu.governor", "performance", "unknown: no driver"},
		{"kernel.boot.mitigations", "off", "none"},
		{"uplink.offload.rx-gro", "on", "unknown: not permitted"},
	}
	if diff := cmp.Diff(want, CompareFacts(a, b)); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	unread := Facts{Values: map[string]string{"cpu.model": "another"}, Missing: map[string]string{Unread: "exit status 1"}}
	if diff := cmp.Diff([]FactDifference{{"cpu.model", "same", "another"}}, CompareFacts(a, unread)); diff != "" {
		t.Errorf("a machine that was not asked (-want +got):\n%s", diff)
	}
	if got := CompareFacts(a, a); len(got) > 0 {
		t.Errorf("facts differ from themselves: %v", got)
	}
}

// Environments of before facts were recorded are read, and written as they were.
func TestOlderEnvironment(t *testing.T) {
	const older = `{"name":"host","versions":null,"digests":null,"nodes":[{"name":"a","address":"","kernel":"","mtu":0,"sysctls":null}],"facts":null,"kubeProxy":"","podSysctls":null}`
	var v Variant
	if err := json.Unmarshal([]byte(older), &v); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != older {
		t.Errorf("it became %s", again)
	}
}
