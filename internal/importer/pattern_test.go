package importer

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, file string
		want          place
		fits          bool
	}{
		{"{variant}/{block}.json", "cilium/3.json", place{variant: "cilium", block: 3}, true},
		{"{variant}-{scenario}-{block}.json", "cilium-wg-tcp-12.json", place{variant: "cilium", scenario: "wg-tcp", block: 12}, true},
		{"*/{variant}_{scenario}_{role}.prom", "2024/calico_dts_server.prom", place{variant: "calico", scenario: "dts", role: "server"}, true},
		{"{variant}/{block}.json", "a/b/3.json", place{}, false},
		{"{variant}.json", "a.b+c.json", place{variant: "a.b+c"}, true},
		{"run.{block}/{variant}", "runx1/a", place{}, false},
	} {
		p, err := newPattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, fits := p.place(tt.file); got != tt.want || fits != tt.fits {
			t.Errorf("%s of %s: %+v, %t", tt.pattern, tt.file, got, fits)
		}
	}
	for _, bad := range []string{"{block}.json", "{variant}{variant}", "{variant}/{run}", "{variant", "{"} {
		if _, err := newPattern(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("{variant}/{scenario}-{block}.json", "a/b-1.json")
	f.Add("*{variant", "{")
	f.Fuzz(func(t *testing.T, text, file string) {
		p, err := newPattern(text)
		if err != nil {
			return
		}
		if at, fits := p.place(file); fits && (at.variant == "" || strings.Contains(at.variant, "/") || at.block < 0) {
			t.Errorf("%q of %q: %+v", text, file, at)
		}
	})
}
