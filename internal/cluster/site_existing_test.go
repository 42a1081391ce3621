package cluster

import "testing"

func TestSupernet(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cidrs []string
		want  string
	}{
		{"no node has one", nil, ""},
		{"parts of a /16", []string{"10.244.0.0/24", "10.244.3.0/24"}, "10.244.0.0/16"},
		{"one node", []string{"10.42.7.0/24"}, "10.42.0.0/16"},
		{"more than a /16", []string{"10.0.1.0/24", "10.3.0.0/24"}, "10.0.0.0/14"},
		{"large parts", []string{"10.0.0.0/14", "10.4.0.0/14"}, "10.0.0.0/13"},
		{"IPv6 is not guessed", []string{"fd00::/64"}, ""},
		{"not a network", []string{"10.244.0.0"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := supernet(tt.cidrs); got != tt.want {
				t.Errorf("%v lie in %q, want %q", tt.cidrs, got, tt.want)
			}
		})
	}
}

func TestCIDRIn(t *testing.T) {
	for message, want := range map[string]string{
		`Service "x" is invalid: spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16`: "10.96.0.0/16",
		"The range of valid IPs is fd00:10:96::/112": "fd00:10:96::/112",
		"services is forbidden":                      "",
	} {
		if got := cidrIn(message); got != want {
			t.Errorf("%q says %q, want %q", message, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	got := flags([]string{"kube-controller-manager", "--cluster-cidr=10.244.0.0/16", "--leader-elect", "-v=2"})
	if len(got) != 1 || got["cluster-cidr"] != "10.244.0.0/16" {
		t.Errorf("flags: %v", got)
	}
}
