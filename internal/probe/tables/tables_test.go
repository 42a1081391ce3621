package tables

import (
	"strings"
	"testing"
)

func TestSpecRefuses(t *testing.T) {
	for _, pin := range []string{"tc/globals/x", "x", "tc/globals/cali_v4_ct*"} {
		if err := (Spec{Root: "/", Pins: []string{pin}}).Validate(); err != nil {
			t.Errorf("%s: %v", pin, err)
		}
	}
	for _, pin := range []string{"", "/x", "../x", "tc/../../x", "..", "x["} {
		err := Spec{Root: "/", Pins: []string{pin}}.Validate()
		if err == nil || !strings.Contains(err.Error(), "no path below /sys/fs/bpf") {
			t.Errorf("%q: %v", pin, err)
		}
	}
}

func TestFill(t *testing.T) {
	r := Report{Tables: []Table{{Name: Conntrack, Entries: 3, Limit: 4}}}
	if got, has := r.Find(Conntrack); !has || got.Fill() != 0.75 {
		t.Errorf("%v is %v full", got, got.Fill())
	}
	if got, has := r.Find("x"); has {
		t.Errorf("there is %v", got)
	}
}
