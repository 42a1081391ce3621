package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// feature is something that a plugin does if a setting says so.
type feature struct {
	plugin string // title in the catalog
	on     func(Plugin, Snapshot) bool
	needed func(Profile) bool // by what is measured; nil: by nothing that cnibench measures
	what   string
	fix    string
}

// setting is on when a key of the plugin's configuration has one of the values.
func setting(key string, values ...string) func(Plugin, Snapshot) bool {
	return func(p Plugin, _ Snapshot) bool { return slices.Contains(values, strings.ToLower(p.Settings[key])) }
}

func notOff(key string) func(Plugin, Snapshot) bool {
	return func(p Plugin, _ Snapshot) bool {
		v := strings.ToLower(p.Settings[key])
		return v != "" && v != "disabled" && v != "false" && v != "none" && v != "never"
	}
}

func both(conditions ...func(Plugin, Snapshot) bool) func(Plugin, Snapshot) bool {
	return func(p Plugin, s Snapshot) bool {
		for _, is := range conditions {
			if !is(p, s) {
				return false
			}
		}
		return true
	}
}

func oneSegment(_ Plugin, s Snapshot) bool { return s.network() != "" }

func withProxy(_ Plugin, s Snapshot) bool {
	return s.KubeProxy == "iptables" || s.KubeProxy == "ipvs" || s.KubeProxy == "nftables"
}

const (
	cilium  = "Cilium"
	calico  = "Calico"
	flannel = "Flannel"
)

// features are settings that cost something. The lean variant beside each is
// the one to compare with.
var features = []feature{
	{cilium, setting("enable-hubble", "true"), nil, "Hubble (enable-hubble) looks at every packet", "hubble.enabled=false"},
	{cilium, setting("enable-l7-proxy", "true"), func(p Profile) bool { return p.Policies }, "the L7 proxy (enable-l7-proxy) runs for policies on HTTP and DNS", "l7Proxy=false, if no policy looks into HTTP, Kafka or DNS"},
	{cilium, notOff("bpf-lb-acceleration"), func(p Profile) bool { return p.Services }, "XDP acceleration (bpf-lb-acceleration) serves traffic from outside only", "loadBalancer.acceleration=disabled"},
	{cilium, both(setting("kube-proxy-replacement", "true", "strict", "probe"), withProxy), nil, "Cilium replaces kube-proxy, and kube-proxy runs too", "remove kube-proxy, or kubeProxyReplacement=false; compare cilium-kpr with cilium-vxlan"},
	{cilium, setting("kube-proxy-replacement", "true", "strict"), func(p Profile) bool { return p.Services }, "the replacement of kube-proxy serves Services", "kubeProxyReplacement=false, if only pod addresses are used"},
	{cilium, both(setting("routing-mode", "tunnel"), oneSegment), nil, "packets are put into a tunnel, and the nodes share one network", "compare with cilium-native: routingMode=native, autoDirectNodeRoutes=true"},
	{cilium, setting("enable-wireguard", "true"), nil, "packets between nodes are encrypted (WireGuard)", "encryption.enabled=false, if nothing asks for it"},
	{cilium, setting("enable-ipsec", "true"), nil, "packets between nodes are encrypted (IPsec)", "encryption.enabled=false, if nothing asks for it"},
	{cilium, setting("monitor-aggregation", "none"), nil, "every packet makes an event (monitor-aggregation none)", "bpf.monitorAggregation=medium"},
	{flannel, both(setting("backend", "vxlan", "udp", "ipip"), oneSegment), nil, "packets are put into a tunnel, and the nodes share one network", "compare with flannel-host-gw: net-conf.json Backend.Type host-gw"},
	{flannel, setting("backend", "wireguard"), nil, "packets between nodes are encrypted (WireGuard)", "compare with flannel-vxlan or flannel-host-gw, if nothing asks for encryption"},
	{calico, both(notOff("ipipMode"), oneSegment), nil, "packets are put into IPIP, and the nodes share one network", "ipipMode: CrossSubnet or Never in the IPPool"},
	{calico, both(notOff("vxlanMode"), oneSegment), nil, "packets are put into VXLAN, and the nodes share one network", "vxlanMode: CrossSubnet or Never in the IPPool"},
	{calico, both(setting("bpfEnabled", "true"), withProxy), nil, "Calico carries Services in eBPF, and kube-proxy runs too", "remove kube-proxy: its rules are walked for nothing"},
	{calico, setting("wireguardEnabled", "true"), nil, "packets between nodes are encrypted (WireGuard)", "wireguardEnabled: false in the FelixConfiguration, if nothing asks for it"},
}

func unneeded(s Snapshot) []Finding {
	p := s.Plugin
	if p.Title == "" {
		return []Finding{unknown("", firstReason(s.Missing[PartPlugin], "no plugin of the catalog was recognised"))}
	}
	known := slices.ContainsFunc(features, func(f feature) bool { return strings.HasPrefix(p.Title, f.plugin) })
	if !known || len(p.Settings) == 0 {
		return []Finding{unknown("", fmt.Sprintf("the settings of %s cannot be read here", p.Title))}
	}
	var findings []Finding
	for _, f := range features {
		if !strings.HasPrefix(p.Title, f.plugin) || !f.on(p, s) || s.Profile.Given && f.needed != nil && f.needed(s.Profile) {
			continue
		}
		evidence := f.what
		if f.needed != nil && !s.Profile.Given {
			evidence += "; whether the test needs it a campaign would say (-f)"
		}
		findings = append(findings, found(Info, p.DaemonSet, evidence, f.fix))
	}
	if len(findings) == 0 {
		return []Finding{ok(p.DaemonSet, "none of those that cnibench knows of %s", p.Title)}
	}
	return findings
}

// network is the one that all nodes that carry load are in, or empty.
func (s Snapshot) network() string {
	one := ""
	nodes := s.looked()
	for _, n := range nodes {
		if n.Vitals == nil || n.Vitals.Network == "" || one != "" && one != n.Vitals.Network {
			return ""
		}
		one = n.Vitals.Network
	}
	if len(nodes) < 2 {
		return ""
	}
	return one
}
