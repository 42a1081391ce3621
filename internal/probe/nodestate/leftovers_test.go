package nodestate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLeftover(t *testing.T) {
	l := Leftovers{
		Links: []string{"flannel.*", "cni0"}, Chains: []string{"FLANNEL-*"}, NFTables: []string{"ip flannel-ipv4"}, IPSets: []string{"cilium_*"},
		Files: []string{"/var/run/flannel", "/etc/sysctl.d/99-*"}, CNIConfig: []string{"10-flannel.conflist"}, CNIBinaries: []string{"flannel"},
		Pins: []string{"/sys/fs/bpf/tc/globals/cilium_*"}, Programs: []string{"cil_*"}, Mounts: []string{"/run/cilium/*"},
		RouteTables: []int{2004}, RulePriorities: []int{9}, PodCIDRs: []string{"10.244.0.0/16"},
	}
	for _, tt := range []struct {
		item Item
		want bool
	}{
		{Item{Link, "flannel.1", ""}, true},
		{Item{Link, "flannel", ""}, false},
		{Item{Link, "eth0", ""}, false},
		{Item{PodLink, "cni0", ""}, true},
		{Item{Route, "main 10.244.3.0/24", "via 10.0.0.3"}, true},
		{Item{Route, "main 10.244.0.0/16", ""}, true},
		{Item{Route, "main 10.0.0.0/8", "a wider route is not the pods'"}, false},
		{Item{Route, "main 0.0.0.0/0", ""}, false},
		{Item{Route, "2004 0.0.0.0/0", ""}, true},
		{Item{Route, "2005 10.244.3.0/24", "a table of somebody else"}, false},
		{Item{Rule, "9: from all lookup 2004", ""}, true},
		{Item{Rule, "90: from all lookup main", ""}, false},
		{Item{Chain, "iptables-nft nat FLANNEL-POSTRTG", ""}, true},
		{Item{Chain, "iptables-nft nat POSTROUTING", "policy DROP"}, false},
		{Item{FilterRule, `iptables-nft nat -A POSTROUTING -m comment --comment "flanneld masq" -j FLANNEL-POSTRTG`, ""}, true},
		{Item{FilterRule, `iptables-nft nat -A FLANNEL-POSTRTG -s 10.244.0.0/16 -j RETURN`, ""}, true},
		{Item{FilterRule, `iptables-nft nat -A POSTROUTING -m comment --comment "not -j" -j MASQUERADE`, ""}, false},
		{Item{NFTable, "ip flannel-ipv4", ""}, true},
		{Item{NFTable, "ip6 flannel-ipv4", ""}, false},
		{Item{IPSet, "cilium_node_set_v4", ""}, true},
		{Item{Qdisc, "eth0 clsact", ""}, true},
		{Item{Qdisc, "eth0 noqueue", ""}, false},
		{Item{Program, "eth0 ingress cil_from_netdev", "tc"}, true},
		{Item{Program, "/sys/fs/cgroup connect4 sd_devices", ""}, false},
		{Item{CNIConfig, "10-flannel.conflist", ""}, true},
		{Item{CNIBinary, "bridge", ""}, false},
		{Item{Path, "/run/flannel", "directory"}, true},
		{Item{SysctlFile, "/etc/sysctl.d/99-mine.conf", ""}, true},
		{Item{Pin, "/sys/fs/bpf/tc/globals/cilium_lxc", ""}, true},
		{Item{Mount, "/run/cilium/cgroupv2", "cgroup2"}, true},
		{Item{XFRM, "state 10.0.0.1 to 10.0.0.2", ""}, false},
		{Item{Sysctl, "net.ipv4.ip_forward", "1"}, false},
		{Item{Address, "10.244.1.1/24 on cni0", "it goes with its link"}, false},
	} {
		t.Run(tt.item.String(), func(t *testing.T) {
			now := State{Items: []Item{tt.item}}
			if got := len(Leftover(State{}, now, l)) == 1; got != tt.want {
				t.Errorf("it is a leftover: %t, want %t", got, tt.want)
			}
			if got := Leftover(now, now, l); len(got) > 0 {
				t.Errorf("it was there before and is a leftover all the same: %v", got)
			}
		})
	}
}

func TestChangedSysctls(t *testing.T) {
	before := State{Items: []Item{{Sysctl, "same", "1"}, {Sysctl, "changed", "0"}, {Sysctl, "of a link that is gone", "1"}}}
	now := State{Items: []Item{{Sysctl, "same", "1"}, {Sysctl, "changed", "2"}, {Sysctl, "of a new link", "1"}}}
	if diff := cmp.Diff([]Item{{Sysctl, "changed", "0"}}, ChangedSysctls(before, now)); diff != "" {
		t.Errorf("to put back (-want +got):\n%s", diff)
	}
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"cni0", "cni0", true}, {"cni0", "cni01", false}, {"*", "", true}, {"*", "anything", true}, {"a*", "a", true}, {"a*", "ba", false},
		{"*a", "ba", true}, {"*a", "ab", false}, {"a*a", "a", false}, {"a*a", "aa", true}, {"a*b*c", "a-b-c", true}, {"a*b*c", "a-c-b", false},
		{"genev_sys_*", "genev_sys_6081", true}, {"", "", true}, {"", "a", false},
	} {
		if got := Matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q matches %q: %t, want %t", tt.pattern, tt.name, got, tt.want)
		}
	}
}
