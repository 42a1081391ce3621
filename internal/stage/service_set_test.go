package stage

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestClusterIPs(t *testing.T) {
	for _, tt := range []struct {
		network string
		most    int
		known   bool
	}{
		{"10.96.0.0/16", 65534, true}, // the lab's
		{"10.96.0.0/12", 1<<20 - 2, true},
		{"192.0.2.0/24", 254, true},
		{"192.0.2.1/32", 0, true},
		{"fd00::/112", 65535, true},
		{"fd00::/64", 0, false}, // room for anybody
		{"", 0, false},
		{"10.96.0.0", 0, false},
	} {
		if most, known := clusterIPs(tt.network); most != tt.most || known != tt.known {
			t.Errorf("%q has room for %d, known: %t; want %d, %t", tt.network, most, known, tt.most, tt.known)
		}
	}
}

func TestOutOfAddresses(t *testing.T) {
	full := apierrors.NewInternalError(errors.New("failed to allocate a serviceIP: range is full"))
	if !outOfAddresses(full) {
		t.Errorf("%v is another error", full)
	}
	if other := apierrors.NewInternalError(errors.New("etcdserver: request timed out")); outOfAddresses(other) {
		t.Errorf("%v is a full network", other)
	}
}

func TestReadySlices(t *testing.T) {
	served := discoveryv1.EndpointSlice{Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.244.0.2"}}}}
	if got := ready([]discoveryv1.EndpointSlice{served, {}, served}); got != 2 {
		t.Errorf("%d of three slices have a server, want 2", got)
	}
}

func TestHostOf(t *testing.T) {
	svc := &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "10.96.0.9"}}
	svc.Name, svc.Namespace = "web-1", Namespace
	for path, want := range map[string]string{ClusterIP: "10.96.0.9", ServiceName: "web-1.cnibench.svc"} {
		if got := hostOf(svc, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
