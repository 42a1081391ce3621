package rtt

import (
	"strings"
	"testing"
)

func TestUnsupported(t *testing.T) {
	const all = 1<<41 - 1
	few := uint64(1)<<capNetAdmin | 1<<capBPF | 1<<capPerfmon
	for _, tt := range []struct {
		name    string
		machine Machine
		want    string // part of the reason; empty: supported
	}{
		{"the first kernel", Machine{"5.10.0", true, all}, ""},
		{"a distribution's", Machine{"6.1.0-13-amd64", true, all}, ""},
		{"least privilege", Machine{"6.12.4", true, few}, ""},
		{"CAP_SYS_ADMIN of old", Machine{"5.15.0-1057-aws", true, 1<<capNetAdmin | 1<<capSysAdmin}, ""},
		{"too old", Machine{"5.4.0-200-generic", true, all}, "kernel is 5.4.0-200-generic, and eBPF round-trip times need 5.10"},
		{"very old", Machine{"4.19.0", true, all}, "need 5.10"},
		{"no BTF", Machine{"5.10.0", false, all}, "without BTF"},
		{"old and no BTF: the first reason", Machine{"5.9.0", false, 0}, "need 5.10"},
		{"nobody", Machine{"6.1.0", true, 0}, "CAP_NET_ADMIN"},
		{"cannot attach", Machine{"6.1.0", true, few &^ (1 << capNetAdmin)}, "CAP_NET_ADMIN"},
		{"cannot load", Machine{"6.1.0", true, 1 << capNetAdmin}, "CAP_BPF"},
		{"no kernel that we know", Machine{"plan9", true, all}, "no kernel release"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.machine.Unsupported()
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("Unsupported() = %q, want %q", got, tt.want)
			}
		})
	}
}
