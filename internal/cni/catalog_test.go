package cni

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuiltin(t *testing.T) {
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"flannel-host-gw", "flannel-vxlan", "host"}, c.Names()); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	for _, name := range c.Names() {
		e, ok := c.Entry(name)
		if !ok || e.Name != name {
			t.Errorf("the entry of %s is %+v", name, e)
		}
		if e.Variant.Title == "" || e.Plugin.Title == "" || e.Plugin.License == "" {
			t.Errorf("%s lacks a title or a licence", name)
		}
		p := e.Plugin
		if !e.None() && (p.Version == "" || p.Namespace == "" || p.Agents == "" || len(p.Ready.DaemonSets) == 0) {
			t.Errorf("%s installs something, but what it is, where it runs or when it is ready is not said: %+v", name, p)
		}
		if (e.Variant.Encapsulation.Bytes > 0) != (e.Variant.Encapsulation.Protocol != "") {
			t.Errorf("%s encapsulates with %+v", name, e.Variant.Encapsulation)
		}
	}
	if host, _ := c.Entry("host"); !host.None() || !host.Variant.HostNetwork {
		t.Errorf("the baseline has a plugin in its path: %+v", host)
	}
	if e, ok := c.Entry("flannel"); !ok || e.Name != "flannel-vxlan" {
		t.Errorf("the alias flannel means %+v", e)
	}
	if e, ok := c.Entry("no-such-variant"); ok {
		t.Errorf("no-such-variant is %+v", e)
	}
}

const minimal = "name: a\nvariants:\n  a-one: {title: one, aliases: [a]}\n"

func TestCatalogRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"unknown key", "name: b\nchrat: kube-b\n", "chrat"},
		{"unknown key of a variant", "name: b\nvariants:\n  b: {titel: B}\n", "titel"},
		{"unknown key of the encapsulation", "name: b\nvariants:\n  b: {encapsulation: {byte: 50}}\n", "byte"},
		{"repeated key", "name: b\nname: c\n", "name"},
		{"variant that is there", "name: b\nvariants:\n  a-one: {title: again}\n", "a-one is in the catalog twice"},
		{"variant that is an alias", "name: b\nvariants:\n  a: {title: again}\n", "a is in the catalog twice"},
		{"alias that is a variant", "name: b\nvariants:\n  b: {title: B, aliases: [a-one]}\n", "a-one is in the catalog twice"},
		{"bytes in words", "name: b\nvariants:\n  b: {encapsulation: {bytes: fifty}}\n", "bytes"},
		{"not YAML", "name: [b\n", "yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Catalog{map[string]Entry{}, map[string]string{}}
			if err := c.add("a.yaml", []byte(minimal)); err != nil {
				t.Fatal(err)
			}
			err := c.add("b.yaml", []byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), "b.yaml") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that names b.yaml and says %q", err, tt.want)
			}
		})
	}
}
