package kernel

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseModuleList(t *testing.T) {
	dep := `kernel/drivers/net/wireguard/wireguard.ko.xz: kernel/net/ipv4/udp_tunnel.ko.xz kernel/lib/crypto/libchacha.ko.xz
kernel/net/netfilter/xt_TPROXY.ko:
kernel/net/netfilter/ipset/ip_set_hash-ip.ko.zst:
`
	builtin := "kernel/net/bridge/bridge.ko\n\n"
	for text, want := range map[string]map[string]bool{
		dep: {"wireguard": true, "xt_TPROXY": true, "ip_set_hash_ip": true}, builtin: {"bridge": true}, "": {},
	} {
		if diff := cmp.Diff(want, ParseModuleList(text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestParseLoaded(t *testing.T) {
	got := parseLoaded("wireguard 94208 0 - Live 0x0000000000000000\nip6_udp_tunnel 16384 1 wireguard, Live 0x0\n\ncut")
	if diff := cmp.Diff(map[string]bool{"wireguard": true, "ip6_udp_tunnel": true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettle(t *testing.T) {
	modules := map[string]Module{
		"vxlan": ModuleUnknown, "ip_vs": ModuleUnknown, "wireguard": ModuleUnknown, "br_netfilter": ModuleUnknown,
		"geneve": Loaded, "nft_chain_nat": ModuleUnknown,
	}
	settle(modules, map[string]string{"VXLAN": "y", "IP_VS": "n", "WIREGUARD": "m", "BRIDGE_NETFILTER": "y", "GENEVE": "n", "NFT_CHAIN_NAT": "n"})
	want := map[string]Module{
		"vxlan": BuiltIn, "ip_vs": Elsewhere, "wireguard": ModuleUnknown, "br_netfilter": BuiltIn,
		"geneve":        Loaded,        // seen is seen
		"nft_chain_nat": ModuleUnknown, // no such option: a guess proves nothing
	}
	if diff := cmp.Diff(want, modules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Options and modules name each other, or else a check contradicts itself.
func TestModulesOfFeatures(t *testing.T) {
	for _, f := range features {
		for _, symbol := range f.symbols {
			for _, s := range Alternatives(symbol) {
				back, sure := SymbolOf(ModuleOf(s))
				if !sure || ModuleOf(back) != ModuleOf(s) {
					t.Errorf("%s is of module %s, which is of %s", s, ModuleOf(s), back)
				}
			}
		}
	}
	if !slices.IsSorted(allSymbols()) {
		t.Error("the symbols of all features are not in order")
	}
}

func TestAmend(t *testing.T) {
	refused := func() map[string]Answer {
		return map[string]Answer{"ipvs": {No, "no such family"}, "br-netfilter": {No, "it is not there"}, "wireguard": {No, "not supported"}}
	}
	modules := map[string]Module{"ip_vs": Available, "br_netfilter": Available, "wireguard": Available}
	got := amend(refused(), modules)
	if got["ipvs"].Can != Yes || got["br-netfilter"].Can != No || got["br-netfilter"].Reason == "it is not there" {
		t.Errorf("with modules at hand: %v", got)
	}
	if got["wireguard"] != refused()["wireguard"] {
		t.Errorf("the kernel loads wireguard by itself, so its refusal stands: %v", got["wireguard"])
	}
	if diff := cmp.Diff(refused(), amend(refused(), map[string]Module{"ip_vs": Elsewhere})); diff != "" {
		t.Errorf("without modules (-want +got):\n%s", diff)
	}
}

func FuzzParseModuleList(f *testing.F) {
	f.Add("kernel/a-b.ko.xz: kernel/c.ko\n.ko\n/:")
	f.Fuzz(func(t *testing.T, text string) {
		for name := range ParseModuleList(text) {
			if name == "" || name != ModuleName(name) {
				t.Errorf("a module %q", name)
			}
		}
	})
}
