package stage

import (
	"errors"
	"slices"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// The server of an address is where the address leads.
func TestAcrossServer(t *testing.T) {
	for address, want := range map[string]string{NodePort: InPod, PodIP: InPod, HostIP: OnHost, PeerName: OnHost} {
		if !slices.Contains(AcrossAddress.Choices, address) {
			t.Errorf("%s cannot be chosen", address)
		}
		if got := (Across{Address: address}).server(); got != want {
			t.Errorf("the server of %s is in the network of a %s, want %s", address, got, want)
		}
	}
}

func TestBetweenNeedsAPeer(t *testing.T) {
	_, _, err := (&Bench{}).Between(t.Context(), Across{Address: HostIP})
	var unsupported *UnsupportedError
	if !errors.As(err, &unsupported) || err.Error() != NoPeer {
		t.Errorf("error %v, want an *UnsupportedError: %s", err, NoPeer)
	}
}

// Service and slice belong together, and servers do not share them.
func TestOutsideService(t *testing.T) {
	names := map[string]bool{}
	for ip, family := range map[string]discoveryv1.AddressType{
		"198.18.1.11": discoveryv1.AddressTypeIPv4, "198.18.1.12": discoveryv1.AddressTypeIPv4, "fd00::1": discoveryv1.AddressTypeIPv6,
	} {
		svc, slice, err := outsideService(cluster.Pod{IP: ip})
		if err != nil {
			t.Fatal(err)
		}
		if names[svc.Name] {
			t.Errorf("two servers share %s", svc.Name)
		}
		names[svc.Name] = true
		if len(svc.Spec.Selector) > 0 || slice.Labels[discoveryv1.LabelServiceName] != svc.Name || slice.AddressType != family || slice.Endpoints[0].Addresses[0] != ip {
			t.Errorf("%s: %+v, %+v", ip, svc, slice)
		}
	}
	if _, _, err := outsideService(cluster.Pod{Name: "server"}); err == nil {
		t.Error("a server without an address has a name")
	}
}

// What is seen of a kernel counts once, in whichever cluster.
func TestSummariesOfTwoClusters(t *testing.T) {
	summaries := map[string]sample.Summary{}
	for _, name := range []string{"node1", "node2", "node1" + beyondMark, "node2" + beyondMark} {
		summaries[name] = sample.Summary{Busy: 1}
	}
	for _, tt := range []struct {
		here, there bool
		want        float64
	}{
		{true, true, 1}, // neither says which machine it is on: one
		{true, false, 3},
		{false, true, 3},
		{false, false, 4},
	} {
		b := Bench{
			Cluster: &cluster.Cluster{Machines: fakeMachines{shared: tt.here}},
			Peer:    &Bench{Cluster: &cluster.Cluster{Machines: fakeMachines{shared: tt.there}}},
		}
		if got := b.perKernel(Machines{Summaries: summaries}).TotalBusy(); got != tt.want {
			t.Errorf("shared here %t, there %t: %v cores busy, want %v", tt.here, tt.there, got, tt.want)
		}
	}
}
