package document

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"host", "aa", "flannel-vxlan", "flannel-host-gw", "cilium-kpr", "cilium-kpr-xdp"}
	for _, tt := range []struct{ word, want string }{
		{"hots", "host"},
		{"Host", "host"},
		{"flannel-vlxan", "flannel-vxlan"},
		{"flannel-hostgw", "flannel-host-gw"},
		{"cilium-kprr", "cilium-kpr"},
		{"ab", "aa"},
		{"bb", ""},
		{"weave", ""},
		{"", ""},
		{"flannel", ""},
	} {
		got, ok := Nearest(tt.word, names)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("Nearest(%q) = %q, %v; want %q", tt.word, got, ok, tt.want)
		}
	}
}
