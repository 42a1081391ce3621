//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// checked is what `variants check --json` says of one variant.
type checked struct {
	Variant, Runs string
	Because       []string
}

// A kernel without a feature has none of it in its own list of options, so the
// test reads there what the check must find by trying.
func TestVariantsCheck(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "check")
	mustRun(t, "lab", "up", "check", "--nodes", "2")

	if o := run(t, "variants", "check", "flannel-vxlan", "--lab", "check"); o.status != 0 || !strings.Contains(o.stdout, "yes") {
		t.Errorf("flannel-vxlan, which runs there: exit status %d\n%s%s", o.status, o.stdout, o.stderr)
	}

	missing := map[string]string{ // feature whose absence each must name
		"cilium-geneve": "geneve", "flannel-wireguard": "wireguard", "kuberouter-all": "ipvs",
		"antrea-geneve": "openvswitch", "calico-iptables-ipip": "ipip",
	}
	here := mustRun(t, "variants", "check", "--here", "--json")
	inLab := mustRun(t, "variants", "check", "--lab", "check", "--json")
	for place, o := range map[string]outcome{"this machine": here, "node1, node2": inLab} {
		reasons := map[string]checked{}
		var all []checked
		if err := json.Unmarshal([]byte(o.stdout), &all); err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			reasons[v.Variant] = v
		}
		for variant, feature := range missing {
			says := strings.Contains(strings.Join(reasons[variant].Because, "\n"), fmt.Sprintf("%s: no %s (", place, feature))
			if has := canMake(t, feature); says == has {
				t.Errorf("%s on %s: the kernel has %s: %t, the check says %s: %q", variant, place, feature, has, reasons[variant].Runs, reasons[variant].Because)
			}
		}
	}
	run(t, "variants", "check", "flannel-vxlan", "cilium-geneve", "--lab", "check").refused(t, 5, "cilium-geneve")
}

// canMake tells by other means whether the kernel has a feature: by where a
// built-in or loaded one shows, or by the module's file.
func canMake(t testing.TB, feature string) bool {
	t.Helper()
	module := map[string]string{"ipvs": "ip_vs"}[feature]
	if module == "" {
		module = feature
	}
	if _, err := os.Stat("/sys/module/" + module); err == nil {
		return true
	}
	release := strings.TrimSpace(readFile(t, "/proc/sys/kernel/osrelease"))
	list, err := os.ReadFile("/lib/modules/" + release + "/modules.dep")
	return err == nil && strings.Contains(string(list), "/"+module+".ko")
}
