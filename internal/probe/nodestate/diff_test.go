package nodestate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after []Item
		want          []string
	}{
		{"nothing", nil, nil, nil},
		{
			"what a tunnel leaves",
			[]Item{{Link, "eth0", "device, MTU 1500"}},
			[]Item{{Link, "eth0", "device, MTU 1500"}, {Link, "flannel.1", "vxlan, MTU 1450"}, {TunnelPort, "8472/udp", ""}},
			[]string{"link flannel.1 (vxlan, MTU 1450) is new", "tunnel port 8472/udp is new"},
		},
		{
			"an uplink that lost its size and its address",
			[]Item{{Link, "eth0", "device, MTU 1500"}, {Address, "10.0.0.1/24 on eth0", ""}},
			[]Item{{Link, "eth0", "device, MTU 1400"}},
			[]string{"address 10.0.0.1/24 on eth0 is gone", "link eth0 was device, MTU 1500 and is device, MTU 1400"},
		},
		{
			"a setting that was empty",
			[]Item{{Sysctl, "a", ""}}, []Item{{Sysctl, "a", "1"}},
			[]string{"sysctl a was empty and is 1"},
		},
		{
			"pods that ended, and one that came",
			[]Item{{PodLink, "veth1", "veth"}, {PodRoute, "main 10.0.0.2/32", "out of veth1"}}, []Item{{PodLink, "veth2", "veth"}},
			[]string{"pod link veth2 (veth) is new"},
		},
		{
			"the top of a tree",
			[]Item{{Pin, "/sys/fs/bpf/mine", ""}},
			[]Item{{Pin, "/sys/fs/bpf/mine", ""}, {Pin, "/sys/fs/bpf/mine/new", ""}, {Pin, "/sys/fs/bpf/tc", ""}, {Pin, "/sys/fs/bpf/tc/globals", ""}, {Pin, "/sys/fs/bpf/tc/globals/map", ""}},
			[]string{"bpf pin /sys/fs/bpf/mine/new is new", "bpf pin /sys/fs/bpf/tc is new"},
		},
		{
			"lines of a new table and of an old one",
			[]Item{{NFTable, "ip mine", ""}},
			[]Item{{NFTable, "ip mine", ""}, {NFLine, "ip mine input: drop", ""}, {NFTable, "ip theirs", ""}, {NFLine, "ip theirs output: accept", ""}},
			[]string{"nftables line ip mine input: drop is new", "nftables table ip theirs is new"},
		},
		{
			"the same rule once more",
			[]Item{{FilterRule, "iptables-nft nat -A POSTROUTING -j A", ""}},
			[]Item{{FilterRule, "iptables-nft nat -A POSTROUTING -j A", ""}, {FilterRule, "iptables-nft nat -A POSTROUTING -j A", ""}},
			[]string{"iptables rule iptables-nft nat -A POSTROUTING -j A was empty and is 2 times "},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range Diff(State{Items: tt.before}, State{Items: tt.after}) {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// What could not be looked at may be anything: it is never as before.
func TestDiffDoesNotTakeUnreadForClean(t *testing.T) {
	blind := State{Unread: []Unread{{"ipsets", "ipset: not found"}}}
	for name, tt := range map[string]struct {
		before, after State
		want          []string
	}{
		"after":  {State{}, blind, []string{"ipsets could not be looked at: now: ipset: not found"}},
		"before": {blind, State{}, []string{"ipsets could not be looked at: before: ipset: not found"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range Diff(tt.before, tt.after) {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func drawState() *rapid.Generator[State] {
	kinds := []Kind{Link, PodLink, Route, Chain, FilterRule, NFTable, NFLine, Pin, Path, Sysctl}
	item := rapid.Custom(func(t *rapid.T) Item {
		return Item{
			rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.SampledFrom([]string{"a", "/a", "/a/b", "/a/b/c", "ip a", "ip a b: c"}).Draw(t, "name"),
			rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "detail"),
		}
	})
	return rapid.Custom(func(t *rapid.T) State {
		return State{Items: rapid.SliceOfN(item, 0, 12).Draw(t, "items")}
	})
}

func TestDiffOfTheSameIsEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState().Draw(t, "state")
		if got := Diff(s, s); len(got) > 0 {
			t.Fatalf("a state differs from itself: %v", got)
		}
	})
}

func TestDiffDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawState().Draw(t, "before"), drawState().Draw(t, "after")
		want := Diff(before, after)
		shuffled := State{Items: rapid.Permutation(before.Items).Draw(t, "shuffled before")}
		turned := State{Items: slices.Clone(after.Items)}
		slices.Reverse(turned.Items)
		if diff := cmp.Diff(want, Diff(shuffled, turned)); diff != "" {
			t.Fatalf("the order matters (-want +got):\n%s", diff)
		}
	})
}

// Whatever the states are, nothing that was there before is a leftover.
func TestLeftoverSparesWhatWasThere(t *testing.T) {
	everything := Leftovers{Links: []string{"*"}, Chains: []string{"*"}, NFTables: []string{"*"}, Files: []string{"*"}, Pins: []string{"*"}, PodCIDRs: []string{"0.0.0.0/0"}}
	rapid.Check(t, func(t *rapid.T) {
		before, now := drawState().Draw(t, "before"), drawState().Draw(t, "now")
		for _, i := range Leftover(before, now, everything) {
			if before.Has(i.Kind, i.Name) {
				t.Fatalf("%v was there before", i)
			}
		}
	})
}
