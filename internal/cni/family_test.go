package cni

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
)

var (
	fourOnly = cluster.Site{PodCIDR: "10.244.0.0/16"}
	dual     = cluster.Site{PodCIDR: "10.244.0.0/16", PodCIDRv6: "fd00:10:244::/56"}
	sixOnly  = cluster.Site{PodCIDRv6: "fd00:10:244::/56"}
)

// Values for a family lie over those for all, and change neither.
func TestValuesForFamily(t *testing.T) {
	s := Source{
		Values:    map[string]any{"cidr": "${podCIDR}", "backend": map[string]any{"type": "vxlan"}},
		DualStack: map[string]any{"cidr6": "${podCIDRv6}"},
		IPv6:      map[string]any{"cidr": "", "backend": map[string]any{"six": true}},
	}
	for _, tt := range []struct {
		site cluster.Site
		want map[string]any
	}{
		{fourOnly, map[string]any{"cidr": "${podCIDR}", "backend": map[string]any{"type": "vxlan"}}},
		{dual, map[string]any{"cidr": "${podCIDR}", "cidr6": "${podCIDRv6}", "backend": map[string]any{"type": "vxlan"}}},
		{sixOnly, map[string]any{"cidr": "", "backend": map[string]any{"type": "vxlan", "six": true}}},
		{fourOnly, map[string]any{"cidr": "${podCIDR}", "backend": map[string]any{"type": "vxlan"}}},
	} {
		if diff := cmp.Diff(tt.want, s.forFamily(tt.site)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.site, diff)
		}
	}
}

// An entry that says nothing of a family is not for its clusters; one that
// installs nothing is for all.
func TestMissingFamily(t *testing.T) {
	chart := Source{Chart: "plugin"}
	both := Source{Chart: "plugin", DualStack: map[string]any{}, IPv6: map[string]any{}}
	for _, tt := range []struct {
		install Source
		site    cluster.Site
		want    string
	}{
		{chart, fourOnly, ""},
		{chart, dual, "install.dualStack"},
		{chart, sixOnly, "install.ipv6"},
		{both, dual, ""},
		{both, sixOnly, ""},
		{Source{}, dual, ""},
		{Source{}, sixOnly, ""},
	} {
		got := missingFamily(Entry{Name: "plugin", Install: tt.install}, tt.site)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v at %+v: %q, want %q", tt.install, tt.site, got, tt.want)
		}
	}
}

// A tunnel between nodes with IPv6 alone has the longer header; no tunnel has
// none.
func TestEncapsulationOfIPv6(t *testing.T) {
	for _, tt := range []struct {
		site        cluster.Site
		bytes, want int
	}{{fourOnly, 50, 50}, {dual, 50, 50}, {sixOnly, 50, 70}, {sixOnly, 0, 0}} {
		if got := (Entry{Encapsulation: Encapsulation{Bytes: tt.bytes}}).At(tt.site); got.Encapsulation.Bytes != tt.want {
			t.Errorf("%d bytes at %+v: %d, want %d", tt.bytes, tt.site, got.Encapsulation.Bytes, tt.want)
		}
	}
}
