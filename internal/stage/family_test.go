package stage

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
)

// A pair has the addresses of the family that is asked for, or says that there
// are none.
func TestPairInFamily(t *testing.T) {
	dual := cluster.Pod{Name: "dual", IP: "10.244.0.2", SecondIP: "fd00:10:244::2"}
	for _, tt := range []struct {
		family string
		pod    cluster.Pod
		want   string // empty: unsupported
	}{
		{"", dual, "10.244.0.2"},
		{IPv4, dual, "10.244.0.2"},
		{IPv6, dual, "fd00:10:244::2"},
		{IPv6, cluster.Pod{IP: "10.244.0.2"}, ""},
		{IPv4, cluster.Pod{IP: "fd00:10:244::2"}, ""},
		{IPv6, cluster.Pod{IP: "fd00:10:244::2"}, "fd00:10:244::2"},
	} {
		got, err := Pair{Client: tt.pod, Server: tt.pod, Ends: Ends{Family: tt.family}}.inFamily()
		var unsupported *UnsupportedError
		if tt.want == "" && !errors.As(err, &unsupported) || tt.want != "" && (err != nil || got.Server.IP != tt.want || got.Client.IP != tt.want) {
			t.Errorf("%+v in %s: %+v %v, want %q", tt.pod, tt.family, got, err, tt.want)
		}
	}
}

// Whoever asks for the first family by name asks for the same pods as whoever
// does not ask.
func TestEndsOfFamily(t *testing.T) {
	first := EndsOf(parameter.Values{IPFamily.Name: FirstFamily}).resolve(false)
	if first != EndsOf(parameter.Values{}).resolve(false) {
		t.Errorf("%+v", first)
	}
	if six := EndsOf(parameter.Values{IPFamily.Name: IPv6}).resolve(false); six.Family != IPv6 {
		t.Errorf("%+v", six)
	}
}

// Services of the two families do not share a name, and have one family each.
func TestServicesOfFamilies(t *testing.T) {
	names := map[string]bool{}
	for family, want := range map[string][]corev1.IPFamily{"": nil, IPv4: {corev1.IPv4Protocol}, IPv6: {corev1.IPv6Protocol}} {
		svc := familyOf(service("server", ClusterIP, Ports{First: 1, Count: 1}), family)
		if names[svc.Name] || len(svc.Spec.IPFamilies) != len(want) || len(want) == 1 && svc.Spec.IPFamilies[0] != want[0] {
			t.Errorf("%q: %s %v", family, svc.Name, svc.Spec.IPFamilies)
		}
		names[svc.Name] = true
	}
}
