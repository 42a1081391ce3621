package stage

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// nameOf makes a Service without a selector in the client's cluster, whose one
// endpoint is the server in the other, and proves that its name leads there.
func (s *Stage) nameOf(ctx context.Context, pair Pair, a Across) (Address, error) {
	if err := s.carries(ctx, Headless); err != nil {
		return Address{}, err
	}
	// An address first: a DNS that is asked too early remembers for seconds that
	// the name does not exist.
	if err := s.proveAcross(ctx, pair, Address{Host: pair.Server.IP}, a); err != nil {
		return Address{}, err
	}
	svc, slice, err := outsideService(pair.Server)
	if err != nil {
		return Address{}, err
	}
	if svc, err = s.makeService(ctx, svc); err != nil {
		return Address{}, err
	}
	// The cluster's own controller removes only slices that it made.
	slice.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: svc.Name, UID: svc.UID}}
	_, err = s.cluster.Kube().DiscoveryV1().EndpointSlices(Namespace).Create(ctx, slice, metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		err = nil
	case apierrors.IsForbidden(err):
		err = &UnsupportedError{"address name needs the right to create endpointslices.discovery.k8s.io in namespace " + Namespace}
	case err != nil:
		err = fmt.Errorf("making EndpointSlice %s: %w", slice.Name, err)
	}
	address := Address{Host: nameOfService(svc)}
	if err == nil {
		err = s.proveAddress(ctx, pair, address, a.Ports, PodTimeout)
	}
	if err != nil {
		// Its owner takes the slice with it.
		return Address{}, errors.Join(err, s.dropService(ctx, svc))
	}
	return address, nil
}

// outsideService describes a Service that is nothing but a name for a server
// outside the cluster. Both objects are named after the server's address.
func outsideService(server cluster.Pod) (*corev1.Service, *discoveryv1.EndpointSlice, error) {
	ip, err := netip.ParseAddr(server.IP)
	if err != nil {
		return nil, nil, fmt.Errorf("pod %s: %w", server.Name, err)
	}
	family := discoveryv1.AddressTypeIPv4
	if ip.Is6() {
		family = discoveryv1.AddressTypeIPv6
	}
	name := fmt.Sprintf("peer-%x", ip.AsSlice())
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: cluster.Labels(cluster.LoadComponent)},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone,
			Ports:     []corev1.ServicePort{{Name: "echo", Port: EchoPort, Protocol: corev1.ProtocolTCP}},
		},
	}
	labels := cluster.Labels(cluster.LoadComponent)
	labels[discoveryv1.LabelServiceName] = name
	port, portName := int32(EchoPort), "echo"
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels},
		AddressType: family,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{server.IP}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &portName, Port: &port}},
	}
	return svc, slice, nil
}
