package cluster

import "testing"

// Nodes that carry load share a kernel if all of them do.
func TestSharedKernel(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ends    []string
		kernels map[string]string
		want    bool
	}{
		{"one node", []string{"a"}, nil, true},
		{"two machines", []string{"a", "b"}, map[string]string{"a": "1", "b": "2"}, false},
		{"two in containers", []string{"a", "b"}, map[string]string{"a": "1", "b": "1"}, true},
		{"two that do not say", []string{"a", "b"}, nil, false},
		{"another between two that share one", []string{"a", "b", "c"}, map[string]string{"a": "1", "b": "2", "c": "1"}, false},
	} {
		if got := (&existingMachines{ends: tt.ends, kernels: tt.kernels}).SharedKernel(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
