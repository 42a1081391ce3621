package kernel

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// moduleOf names the modules of options that features and variants ask for,
// where it is not the option in small letters.
var moduleOf = map[string]string{
	"BRIDGE_NETFILTER": "br_netfilter", "NET_IPIP": "ipip", "NET_IPGRE": "ip_gre", "NET_FOU": "fou",
	"INET_ESP": "esp4", "CRYPTO_GCM": "gcm", "IP_NF_IPTABLES": "ip_tables",
	"NF_TABLES": "nf_tables", "NF_TABLES_INET": "nf_tables", "NF_FLOW_TABLE_INET": "nf_flow_table_inet",
	"NET_SCH_INGRESS": "sch_ingress", "NET_SCH_FQ": "sch_fq", "NET_SCH_NETEM": "sch_netem", "NET_CLS_BPF": "cls_bpf",
	"NETFILTER_XT_SET": "xt_set", "NETFILTER_XT_MATCH_IPVS": "xt_ipvs", "NETFILTER_XT_MATCH_COMMENT": "xt_comment",
	"NETFILTER_XT_MATCH_STATISTIC": "xt_statistic", "NETFILTER_XT_MATCH_MULTIPORT": "xt_multiport",
	"NETFILTER_XT_MATCH_ADDRTYPE": "xt_addrtype", "NETFILTER_XT_MATCH_CONNTRACK": "xt_conntrack",
	"NETFILTER_XT_MATCH_SOCKET": "xt_socket", "NETFILTER_XT_MATCH_MARK": "xt_mark", "NETFILTER_XT_MARK": "xt_mark",
	"NETFILTER_XT_TARGET_TPROXY": "xt_TPROXY", "NETFILTER_XT_TARGET_CT": "xt_CT", "NETFILTER_XT_TARGET_MARK": "xt_mark",
	"NETFILTER_XT_TARGET_MASQUERADE": "xt_MASQUERADE", "NETFILTER_XT_TARGET_REDIRECT": "xt_REDIRECT", "NETFILTER_XT_NAT": "xt_nat",
	"IP_NF_FILTER": "iptable_filter", "IP_NF_NAT": "iptable_nat", "IP_NF_MANGLE": "iptable_mangle", "IP_NF_RAW": "iptable_raw",
	"IP_NF_MATCH_RPFILTER": "ipt_rpfilter", "IP_NF_TARGET_REJECT": "ipt_REJECT",
	"IP_VS_RR": "ip_vs_rr", "IP_VS_WRR": "ip_vs_wrr", "IP_VS_SH": "ip_vs_sh", "NF_CONNTRACK": "nf_conntrack", "OVERLAY_FS": "overlay",
	"NET_ACT_BPF": "act_bpf", "VSOCKETS": "vsock", "TCP_CONG_BBR": "tcp_bbr",
	"NETFILTER_NETLINK_QUEUE": "nfnetlink_queue", "NETFILTER_XT_TARGET_NFLOG": "xt_NFLOG", "NF_CT_NETLINK": "nf_conntrack_netlink",
	"INET_TUNNEL": "tunnel4", "INET_XFRM_TUNNEL": "xfrm4_tunnel", "CRYPTO_SEQIV": "seqiv",
	"OPENVSWITCH_GENEVE": "vport_geneve", "OPENVSWITCH_VXLAN": "vport_vxlan", "OPENVSWITCH_GRE": "vport_gre",
}

// ModuleOf names the module that an option set to m makes. It is a guess, the
// option in small letters, for an option that is not known here.
func ModuleOf(symbol string) string {
	if m, ok := moduleOf[symbol]; ok {
		return m
	}
	return strings.ToLower(symbol)
}

// SymbolOf names the option that makes a module. It is not sure of one that no
// feature or table here knows, and guesses by the letters.
func SymbolOf(module string) (symbol string, sure bool) {
	module = ModuleName(module)
	for _, symbol := range slices.Sorted(maps.Keys(moduleOf)) {
		if moduleOf[symbol] == module {
			return symbol, true
		}
	}
	guess := strings.ToUpper(module)
	return guess, slices.Contains(allSymbols(), guess)
}

// ModuleName writes a module's name as the kernel does, with _ for -.
func ModuleName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// ParseModuleList reads the modules out of modules.dep or modules.builtin: the
// file that each line begins with, as a name.
func ParseModuleList(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		file, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if base, _, is := strings.Cut(path.Base(file), ".ko"); is && base != "" {
			names[ModuleName(base)] = true
		}
	}
	return names
}

// parseLoaded reads /proc/modules: names, each at the beginning of a line.
func parseLoaded(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, _, found := strings.Cut(line, " "); found && name != "" {
			names[name] = true
		}
	}
	return names
}

// settle answers from a configuration where nothing lists modules: a kernel
// without /lib/modules has what is set to y, and nothing of what is not set.
// It leaves modules alone whose option is only a guess.
func settle(modules map[string]Module, config map[string]string) {
	for name, place := range modules {
		symbol, sure := SymbolOf(name)
		value, asked := config[symbol]
		if place != ModuleUnknown || !asked || !sure {
			continue
		}
		switch value {
		case "y":
			modules[name] = BuiltIn
		case NotSet:
			modules[name] = Elsewhere
		}
	}
}
