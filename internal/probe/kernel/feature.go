package kernel

import (
	"slices"
	"strings"
)

// feature names what can be tried, and the options that it stands on: each of
// symbols is needed, "A|B" is an alternative. They explain a no and stand in
// for a trial that was not permitted (symbols: variants' upstream manuals and
// the kernel's Kconfig files).
type feature struct {
	name    string
	symbols []string
}

var features = []feature{
	{"veth", []string{"VETH"}},
	{"bridge", []string{"BRIDGE"}},
	{"br-netfilter", []string{"BRIDGE_NETFILTER"}},
	{"vxlan", []string{"VXLAN"}},
	{"geneve", []string{"GENEVE"}},
	{"wireguard", []string{"WIREGUARD"}},
	{"ipip", []string{"NET_IPIP"}},
	{"gre", []string{"NET_IPGRE"}},
	{"fou", []string{"NET_FOU"}},
	{"dummy", []string{"DUMMY"}},
	{"macvlan", []string{"MACVLAN"}},
	{"ipvlan", []string{"IPVLAN"}},
	{"netkit", []string{"NETKIT"}},
	{"openvswitch", []string{"OPENVSWITCH"}},
	{"ipvs", []string{"IP_VS"}},
	{"esp", []string{"XFRM_USER", "INET_ESP", "CRYPTO_GCM"}},
	{"ipset", []string{"IP_SET", "IP_SET_HASH_IP"}},
	{"iptables", []string{"NFT_COMPAT|IP_NF_IPTABLES"}},
	{"nftables", []string{"NF_TABLES", "NF_TABLES_INET", "NFT_MASQ"}},
	{"nft-fib", []string{"NFT_FIB", "NFT_FIB_INET"}},
	{"nft-queue", []string{"NFT_QUEUE"}},
	{"nft-flowtable", []string{"NF_FLOW_TABLE", "NF_FLOW_TABLE_INET", "NFT_FLOW_OFFLOAD"}},
	{"clsact", []string{"NET_SCH_INGRESS"}},
	{"fq", []string{"NET_SCH_FQ"}},
	{"netem", []string{"NET_SCH_NETEM"}},
	{"bpf", []string{"BPF_SYSCALL", "NET_CLS_BPF"}},
	{"bpf-cgroup", []string{"CGROUP_BPF"}},
	{"btf", []string{"DEBUG_INFO_BTF"}},
	{"xdp", []string{"BPF_SYSCALL"}},
	{"cgroup2", []string{"CGROUPS"}},
	{"bpffs", []string{"BPF_SYSCALL"}},
	{"tun", []string{"TUN"}},
}

// Features lists the names of what can be tried.
func Features() []string {
	names := make([]string, 0, len(features))
	for _, f := range features {
		names = append(names, f.name)
	}
	return names
}

// Symbols lists the options that a feature stands on, without CONFIG_; all of
// them are needed, "A|B" is an alternative.
func Symbols(name string) []string {
	for _, f := range features {
		if f.name == name {
			return f.symbols
		}
	}
	return nil
}

// Alternatives splits "A|B".
func Alternatives(symbol string) []string { return strings.Split(symbol, "|") }

// allSymbols are those of all features.
func allSymbols() []string {
	var all []string
	for _, f := range features {
		for _, s := range f.symbols {
			all = append(all, Alternatives(s)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// amend corrects answers of features whose modules no kernel loads by itself.
// What uses ip_vs or fou loads it by name, so that it works where the module
// lies; br_netfilter changes every bridge, and its owner has to load it, as
// that of tun where nothing has made its device.
func amend(answers map[string]Answer, modules map[string]Module) map[string]Answer {
	for name, then := range map[string]Answer{
		"ipvs":         {Yes, "module ip_vs is there, not loaded"},
		"fou":          {Yes, "module fou is there, not loaded"},
		"br-netfilter": {No, "module br_netfilter is not loaded: modprobe br_netfilter"},
		"tun":          {No, "/dev/net/tun is not there: modprobe tun"},
	} {
		module := ModuleOf(Symbols(name)[0])
		if answers[name].Can == No && modules[module] == Available {
			answers[name] = then
		}
	}
	return answers
}

// AllSymbols are those that a specification asks for and those of all features
// and modules that can be told by them.
func AllSymbols(spec Spec) []string {
	symbols := slices.Concat(spec.Symbols, allSymbols())
	for _, m := range spec.Modules {
		if s, sure := SymbolOf(m); sure {
			symbols = append(symbols, s)
		}
	}
	slices.Sort(symbols)
	return slices.Compact(symbols)
}
