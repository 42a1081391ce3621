package plan

import "testing"

func TestBaselineName(t *testing.T) {
	for name, want := range map[string]bool{"host": true, "baremetal": true, "Host-Network": true, "flannel-host-gw": false, "": false} {
		if got := BaselineName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
