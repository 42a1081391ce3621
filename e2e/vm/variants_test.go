//go:build vm

package vm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// TestCheck: the check finds what a stock kernel has as modules, none of which
// is loaded before.
func TestCheck(t *testing.T) {
	// Loading it is left to its owner, because it changes every bridge.
	must(t, "modprobe br_netfilter")
	o := must(t, "cnibench variants check --here --json")
	var verdicts []cni.Verdict
	if err := json.Unmarshal([]byte(o.stdout), &verdicts); err != nil {
		t.Fatal(err)
	}
	for variant, feature := range map[string]string{
		"flannel-wireguard": "WireGuard", "flannel-ipip": "IPIP", "cilium-geneve": "Geneve",
		"kubeovn-vxlan": "Open vSwitch", "kuberouter-all": "IPVS",
	} {
		i := slices.IndexFunc(verdicts, func(v cni.Verdict) bool { return v.Variant == variant })
		if i < 0 {
			t.Errorf("%s is not checked", variant)
			continue
		}
		if v := verdicts[i]; v.Runs != cni.RunsYes && v.Runs != cni.RunsDegraded {
			t.Errorf("%s: %s: %s, but the guest has %s", variant, v.Runs, v.Because, feature)
		}
	}
}

// TestModulesOfOptions holds the names of modules that options make, of which
// the check needs to know those in the catalog, to a real kernel's.
func TestModulesOfOptions(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(guest.stock.root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	config, err := kernel.ParseConfig(read("boot/config-" + guest.stock.kernel))
	if err != nil {
		t.Fatal(err)
	}
	modules := kernel.ParseModuleList(read("usr/lib/modules/" + guest.stock.kernel + "/modules.dep"))
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var entries []cni.Entry
	for _, name := range catalog.Names() {
		e, err := catalog.Entry(name, cni.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	for _, option := range kernel.AllSymbols(cni.KernelSpec(entries)) {
		if m := kernel.ModuleOf(option); config[option] == "m" && !modules[m] {
			t.Errorf("CONFIG_%s is said to make the module %s, which %s does not have", option, m, guest.stock.kernel)
		}
	}
}
