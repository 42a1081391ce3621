package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/profile"
)

// traitsOf gathers what the catalog says of the variants of a campaign. What an
// entry does not say, and all of an imported one, is unknown.
func traitsOf(catalog cni.Catalog, a analysis.Analysis) []profile.Traits {
	var all []profile.Traits
	for _, v := range a.Plan.Variants {
		t := profile.Traits{Variant: v.Name}
		e, err := catalog.Entry(v.Entry, cni.Choice{Version: v.Version})
		switch {
		case a.Plan.Imported != nil:
			t.Baseline = plan.BaselineName(v.Name)
		case err == nil:
			t = traitsOfEntry(e)
			t.Variant = v.Name
			if len(v.Values) > 0 {
				t.Features = doubted(t.Features)
			}
		}
		all = append(all, t)
	}
	return all
}

func traitsOfEntry(e cni.Entry) profile.Traits {
	from := func(value string) profile.Fact {
		if value == "" {
			return profile.Fact{}
		}
		return profile.Fact{Value: value, Source: entrySource(e), Date: factDate(e)}
	}
	t := profile.Traits{
		Baseline:  e.HostNetwork(),
		DataPlane: from(dataPlane(e)), Policy: from(policyWords(e)), Kernel: from(e.Requires.Kernel), Effort: from(effort(e)),
		Features: map[string]profile.Feature{},
	}
	own := func(name string, has bool, yes, no string) {
		f := profile.Feature{State: profile.Unmet, Fact: from(no)}
		if has {
			f = profile.Feature{State: profile.Met, Fact: from(yes)}
		}
		t.Features[name] = f
	}
	if e.Variant.Present {
		return t // it is the plugin that the cluster has: nobody knows how it is configured
	}
	own("encryption", e.Encapsulation.Encrypted, e.Encapsulation.Protocol, "packets travel between nodes as they are")
	own("network-policy", e.Enforces.NetworkPolicy, "NetworkPolicy is enforced", "NetworkPolicy is not enforced")
	own("l7-policy", e.Enforces.L7 != "", e.Enforces.L7, "policies see addresses and ports only")
	own("fqdn-policy", e.Enforces.FQDN, "policies on names", "policies know no names")
	own("kube-proxy-replacement", e.Services == "plugin", "the plugin carries Services itself", "Services are kube-proxy's in this configuration")
	for feature, fact := range map[string]string{"observability": "observability", "cli": "CLI", "multi-cluster": "multi-cluster"} {
		if f, ok := factOf(e, fact); ok {
			t.Features[feature] = profile.Feature{State: stateOf(f.Value), Fact: f}
		}
	}
	if f, ok := factOf(e, "architectures"); ok {
		state := profile.Unmet
		if strings.Contains(f.Value, "arm64") {
			state = profile.Met
		}
		t.Features["arm64"] = profile.Feature{State: state, Fact: f}
	}
	if f, ok := factOf(e, "key rotation"); ok {
		// How it is done differs too much for a yes or a no.
		t.Features["key-rotation"] = profile.Feature{State: profile.Unknown, Fact: f}
	}
	return t
}

// factOf finds a fact of the catalog, the variant's before the plugin's.
func factOf(e cni.Entry, name string) (profile.Fact, bool) {
	for _, f := range slices.Concat(e.Variant.Facts, e.Plugin.Facts) {
		if f.Name == name {
			return profile.Fact{Value: f.Value, Source: f.Source, Date: f.Date}, true
		}
	}
	return profile.Fact{}, false
}

// stateOf reads a fact that begins with no or none as unmet.
func stateOf(value string) profile.State {
	word, _, _ := strings.Cut(strings.ToLower(value), " ")
	switch strings.Trim(word, ",;:.") {
	case "no", "none":
		return profile.Unmet
	}
	return profile.Met
}

// doubted are features of a variant with Helm values of the user's, which may
// change them.
func doubted(features map[string]profile.Feature) map[string]profile.Feature {
	changed := map[string]profile.Feature{}
	for name, f := range features {
		f.State = profile.Unknown
		f.Value += "; the campaign's own Helm values may change that"
		changed[name] = f
	}
	return changed
}

// entrySource says where an entry of the catalog is.
func entrySource(e cni.Entry) string {
	if e.File != "" {
		return e.File
	}
	return "cnibench's catalog, " + strings.TrimSuffix(e.Name+" "+e.Version, " ")
}

// factDate is the newest on which anything of the plugin was read.
func factDate(e cni.Entry) string {
	date := ""
	for _, f := range slices.Concat(e.Plugin.Facts, e.Variant.Facts) {
		date = max(date, f.Date)
	}
	return date
}

// dataPlane says in some words what carries the packets, by what the entry
// needs of the kernel.
func dataPlane(e cni.Entry) string {
	if e.HostNetwork() {
		return "the nodes' own network"
	}
	if e.Variant.Present {
		return ""
	}
	parts := []string{"kernel routing"}
	switch {
	case strings.Contains(e.Name, "vpp"):
		parts[0] = "VPP, in user space"
	case slices.Contains(e.Requires.Can, "openvswitch"):
		parts[0] = "Open vSwitch"
	case slices.Contains(e.Requires.Can, "bpf"):
		parts[0] = "eBPF"
		if slices.Contains(e.Requires.Can, "xdp") {
			parts[0] = "eBPF with XDP"
		}
	}
	switch p := e.Encapsulation.Protocol; p {
	case "", "none":
		parts = append(parts, "no tunnel")
	default:
		parts = append(parts, p)
	}
	switch e.Services {
	case "plugin":
		parts = append(parts, "Services by the plugin")
	case "kube-proxy":
		parts = append(parts, "Services by kube-proxy")
	}
	return strings.Join(parts, ", ")
}

// policyWords says which policies are enforced.
func policyWords(e cni.Entry) string {
	if e.Variant.Present {
		return ""
	}
	if !e.Enforces.NetworkPolicy {
		return "none"
	}
	words := []string{"layers 3 and 4"}
	if e.Enforces.FQDN {
		words = append(words, "names")
	}
	if e.Enforces.L7 != "" {
		words = append(words, "layer 7")
	}
	return strings.Join(words, ", ")
}

// effort says what there is to install and what it needs of the nodes.
func effort(e cni.Entry) string {
	switch {
	case e.Variant.Present:
		return ""
	case e.None():
		return "nothing to install"
	}
	text := "manifests"
	if e.Install.Chart != "" {
		text = "Helm chart"
	}
	if more := len(e.Install.Before) + len(e.Install.After); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if n := len(e.Requires.Can) + len(e.Requires.Config); n > 0 {
		text += fmt.Sprintf(", %d needs of the kernel", n)
	}
	if e.Requires.OneLink {
		text += ", nodes on one link"
	}
	return text
}
