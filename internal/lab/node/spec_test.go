package node

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example uses every field.
func example() Lab {
	return Lab{
		Name: "a", MTU: 9000, Bridge: []netip.Prefix{netip.MustParsePrefix("198.18.0.254/24")}, Cgroup: "/cnibench/a",
		API: netip.MustParseAddrPort("198.18.0.1:6443"),
		Nodes: []Node{{
			Name: "node1", Addresses: []netip.Prefix{netip.MustParsePrefix("198.18.0.11/24")}, Cgroup: "/cnibench/a/node1",
			Root: "/cache/root", Dir: "/labs/a/node1",
			Binds:    []Bind{{Source: "/cache/kubernetes", Target: "/usr/local/bin/kubelet", ReadOnly: true}},
			Sysctls:  map[string]string{"net.ipv4.ip_forward": "1"},
			Services: []Service{{Name: "kubelet", Argv: []string{"kubelet", "--v=2"}, Cgroup: "/cnibench/a/node1/kubelet", After: []string{"tcp:198.18.0.1:6443"}}},
		}},
		Peer: &Peer{
			Here:  LinkEnd{Name: "peer-0", Routes: []Route{{netip.MustParsePrefix("198.18.0.0/15"), netip.MustParseAddr("198.18.0.254")}}},
			There: LinkEnd{Name: "peer-1", Routes: []Route{{netip.MustParsePrefix("198.18.1.0/24"), netip.MustParseAddr("198.18.1.254")}}},
		},
	}
}

func TestReadLabReadsWhatWasWritten(t *testing.T) {
	b, err := json.Marshal(example())
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadLab(writeFile(t, string(b)))
	if err != nil {
		t.Fatal(err)
	}
	compare := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	compareEndpoint := cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })
	compareAddress := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	if diff := cmp.Diff(example(), got, compare, compareEndpoint, compareAddress); diff != "" {
		t.Errorf("the lab changed on its way (-written +read):\n%s", diff)
	}
}

func TestReadLabRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "half a file": `{"name": "a", "no`, "no address": `{"bridge": "198.18.0.254"}`, "a list": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			file := writeFile(t, text)
			if _, err := ReadLab(file); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("error %v, want one that names the file", err)
			}
		})
	}
	if _, err := ReadLab(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that does not exist is read")
	}
}

func TestNodeByName(t *testing.T) {
	if n, err := example().node("node1"); err != nil || n.Name != "node1" {
		t.Errorf("node1 is %+v, %v", n, err)
	}
	if n, err := example().node("node2"); err == nil {
		t.Errorf("node2 is %+v", n)
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "spec.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
