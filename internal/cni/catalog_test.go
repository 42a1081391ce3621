package cni

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func builtinCatalog(t *testing.T) Catalog {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func entry(t *testing.T, name string) Entry {
	t.Helper()
	return entryAt(t, name, "")
}

func entryAt(t *testing.T, name, version string) Entry {
	t.Helper()
	e, err := builtinCatalog(t).Entry(name, Choice{Version: version, Lab: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every entry says what a user and the tool must know of it.
func TestBuiltin(t *testing.T) {
	c := builtinCatalog(t)
	for _, name := range c.Names() {
		e := entry(t, name)
		if e.Name != name || e.Variant.Title == "" || e.Plugin.Title == "" || e.Plugin.License == "" {
			t.Errorf("%s lacks a name, a title or a licence", name)
		}
		if e.None() || e.Plugin.Excluded != "" {
			continue
		}
		if e.Version == "" || e.Install.Namespace == "" || len(e.Agents) == 0 || len(e.Ready.DaemonSets) == 0 || len(e.Plugin.Identify) == 0 {
			t.Errorf("%s installs something, but what it is, where it runs, how it is recognised or when it is ready is not said", name)
		}
		if len(e.Plugin.Facts) == 0 || len(e.Requires.Can) == 0 || e.Encapsulation.Protocol == "" {
			t.Errorf("%s lacks facts, requirements or its encapsulation", name)
		}
		if encrypted := strings.Contains(e.Encapsulation.Protocol, "wireguard") || strings.Contains(e.Encapsulation.Protocol, "ipsec"); encrypted != e.Encapsulation.Encrypted {
			t.Errorf("%s is encrypted: %t, with %s", name, e.Encapsulation.Encrypted, e.Encapsulation.Protocol)
		}
	}
	if host := entry(t, "host"); !host.None() || !host.HostNetwork() {
		t.Errorf("the baseline has a plugin in its path: %+v", host)
	}
	if e := entry(t, "flannel"); e.Name != "flannel-vxlan" || e.Version != "v0.28.4" {
		t.Errorf("in a lab the alias flannel means %s %s", e.Name, e.Version)
	}
}

// The ids of the benchmark published in 2024 stay usable.
func TestPublishedNames(t *testing.T) {
	want := map[string]string{
		"antrea": "antrea-geneve", "antrea-noencap": "antrea-noencap", "antrea-ipsec": "antrea-ipsec", "antrea-wg": "antrea-wireguard",
		"calico": "calico-iptables-crosssubnet", "calico-ebpf": "calico-ebpf-crosssubnet", "calico-ebpf-wg": "calico-ebpf-wireguard",
		"calico-wg": "calico-wireguard", "calico-vpp": "calico-vpp", "calico-vpp-ipsec": "calico-vpp-ipsec", "calico-vpp-wg": "calico-vpp-wireguard",
		"canal": "canal", "cilium": "cilium-vxlan", "cilium-nohubble": "cilium-nohubble", "cilium-hubble-full": "cilium-hubble-full",
		"cilium-nokproxy": "cilium-kpr", "cilium-ipsec": "cilium-ipsec", "cilium-wg": "cilium-wireguard", "flannel": "flannel-vxlan",
		"kubeovn": "kubeovn-geneve", "kuberouter": "kuberouter-default", "kuberouter-all": "kuberouter-all",
	}
	got := map[string]string{}
	for id := range want {
		got[id] = entry(t, id).Name
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("published ids (-want +got):\n%s", diff)
	}
}

// What is wanted by the documents that the project began with can be chosen.
func TestWantedVersions(t *testing.T) {
	for variant, versions := range map[string]string{
		"cilium-kpr": "1.15.2 1.15.19 1.16.0 1.17.0 1.17.5 1.20.2", "calico-iptables-vxlan": "3.27.2 3.29.0 3.31.0 3.32.1",
		"flannel-vxlan": "0.24.2 0.25.0 0.26.5 0.28.4 0.28.9", "antrea-geneve": "1.15.0 2.7.0", "kubeovn-geneve": "1.12.8 1.16.2",
		"kuberouter-default": "2.1.0 2.11.1", "canal": "3.27.2 3.32.1",
	} {
		for _, version := range strings.Fields(versions) {
			if _, err := builtinCatalog(t).Entry(variant, Choice{Version: version}); err != nil {
				t.Errorf("%s@%s: %v", variant, version, err)
			}
		}
	}
}

func TestUnknownVariant(t *testing.T) {
	_, err := builtinCatalog(t).Entry("flanel-vxlan", Choice{})
	if err == nil || !strings.Contains(err.Error(), `did you mean "flannel-vxlan"?`) {
		t.Errorf("error %v", err)
	}
}

func TestParseName(t *testing.T) {
	for in, want := range map[string][2]string{"cilium-kpr@1.17.5": {"cilium-kpr", "1.17.5"}, "host": {"host", ""}} {
		if name, version := ParseName(in); name != want[0] || version != want[1] {
			t.Errorf("%s is %q, %q", in, name, version)
		}
	}
}

const minimal = "name: a\nvariants:\n  a-one: {title: one, aliases: [a]}\n"

func TestCatalogRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"empty", "", "b.yaml: it is empty"},
		{"no name", "title: B\n", "b.yaml: name is missing"},
		{"no variants", "name: b\n", "b.yaml: variants is missing"},
		{"unknown key", "name: b\nlicence: MIT\n", "b.yaml:2: unknown key licence; did you mean license?"},
		{"unknown key of a variant", "name: b\nvariants:\n  b: {titel: B}\n", "b.yaml:3: unknown key titel; did you mean title?"},
		{"unknown key in a list", "name: b\nagents:\n  - {role: control, slector: a=b}\n", "b.yaml:3: unknown key slector; did you mean selector?"},
		{"repeated key", "name: b\nname: c\n", "b.yaml:2: name is there twice"},
		{"repeated value", "name: b\ninstall:\n  values:\n    a: 1\n    a: 2\n", "b.yaml:5: a is there twice"},
		{"variant that is there", "name: b\nvariants:\n  a-one: {title: again}\n", "b.yaml:3: the name a-one is taken"},
		{"variant that is an alias", "name: b\nvariants:\n  a: {title: again}\n", "b.yaml:3: the name a is taken"},
		{"alias that is a variant", "name: b\nvariants:\n  b:\n    title: B\n    aliases: [c, a-one]\n", "b.yaml:5: the name a-one is taken"},
		{"bytes in words", "name: b\nvariants:\n  b: {encapsulation: {bytes: fifty}}\n", "b.yaml:3: bytes must be a whole number"},
		{"text for a list", "name: b\nidentify: b\n", "b.yaml:2: identify must be a list"},
		{"feature nobody can try", "name: b\nrequires: {can: [vxlan, wiregard]}\nvariants: {b: {}}\n", "b.yaml:2: wiregard is nothing that can be tried; did you mean wireguard?"},
		{"services", "name: b\nservices: kubeproxy\nvariants: {b: {}}\n", `b.yaml:2: services is "kubeproxy"; did you mean kube-proxy?`},
		{"constraint", "name: b\nvariants:\n  b: {versions: newest}\n", `b.yaml:3: "newest" is not a constraint`},
		{"version", "name: b\nversions:\n  - {version: newest}\nvariants: {b: {}}\n", `b.yaml:3: "newest" is not a version`},
		{"fact without a source", "name: b\nfacts:\n  - {name: cli, value: bctl}\nvariants: {b: {}}\n", "b.yaml:3: a fact needs name, value, source and date"},
		{"chart and manifest", "name: b\ninstall: {chart: b, manifest: 'https://b', namespace: b}\nvariants: {b: {}}\n", "b.yaml:2: chart and manifest exclude each other"},
		{"no namespace", "name: b\ninstall: {chart: b}\nvariants: {b: {}}\n", "b.yaml:3: install.namespace is missing"},
		{"edit of nothing", "name: b\ninstall:\n  edits:\n    - {kind: ConfigMap, name: c, path: [data]}\nvariants: {b: {}}\n", "b.yaml:4: an edit needs one of set, append and replace"},
		{"manifest beside a built-in file", "name: b\ninstall: {manifest: b.yaml, namespace: b}\nvariants: {b: {}}\n", "b.yaml:2: a manifest must be an address"},
		{"not YAML", "name: [b\n", "b.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := empty()
			if err := c.add("a.yaml", []byte(minimal), ""); err != nil {
				t.Fatal(err)
			}
			err := c.add("b.yaml", []byte(tt.file), "")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "has no *.yaml") {
		t.Errorf("a directory without entries: %v", err)
	}
	write("mine.yaml", "name: mine\ninstall: {manifest: parts/mine.txt, namespace: mine}\nvariants: {mine: {title: ours}}\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "mine.yaml:2: ") || !strings.Contains(err.Error(), "relative to this one") {
		t.Errorf("a manifest that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("parts/mine.txt", "kind: ConfigMap\n")
	c, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Entry("mine", Choice{})
	if err != nil || e.Install.Inline != "kind: ConfigMap\n" || e.File != filepath.Join(dir, "mine.yaml") {
		t.Errorf("%+v, %v", e, err)
	}
	write("flannel.yaml", "name: flannel\nvariants: {flannel-vxlan: {title: ours}}\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "flannel.yaml:2: the name flannel-vxlan is taken") {
		t.Errorf("a variant that cnibench has: %v", err)
	}
}

// FuzzDecode: whatever a file holds, reading it ends with a plugin or an error
// that names the file.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte("name: b\ninstall: {values: {a: &x [1], b: *x}}\nvariants: {b: }\n"))
	files, err := builtin.ReadDir("catalog")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := builtin.ReadFile("catalog/" + file.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := empty()
		if err := c.add("b.yaml", data, ""); err != nil && !strings.Contains(err.Error(), "b.yaml") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
