package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// serviceAddress makes the Service of a path, unless it is there, and returns
// its address once it carries connections.
func (s *Stage) serviceAddress(ctx context.Context, pair Pair, path string, ports Ports) (Address, error) {
	if err := s.carries(ctx, path); err != nil {
		return Address{}, err
	}
	svc, err := s.makeService(ctx, familyOf(service(pair.Server.Name, path, ports), pair.Ends.Family))
	if err != nil {
		return Address{}, err
	}
	a, err := s.addressOf(ctx, svc, pair, path)
	if err == nil {
		err = s.proveService(ctx, svc, pair, path, a, ports)
	}
	if err != nil {
		return Address{}, errors.Join(err, s.dropService(ctx, svc))
	}
	return a, nil
}

// makeService creates a Service, or finds it.
func (s *Stage) makeService(ctx context.Context, want *corev1.Service) (*corev1.Service, error) {
	services := s.cluster.Kube().CoreV1().Services(Namespace)
	svc, err := services.Create(ctx, want, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		svc, err = services.Get(ctx, want.Name, metav1.GetOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("making service %s: %w", want.Name, err)
	}
	return svc, nil
}

// dropTimeout bounds the removal of a Service after an error.
const dropTimeout = 10 * time.Second

// dropService removes a Service that did not come to carry anything, also when
// ctx has ended: the next trial is to try again, not to find it half made.
func (s *Stage) dropService(ctx context.Context, svc *corev1.Service) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
	defer cancel()
	return s.removeService(ctx, svc.Name)
}

// removeService deletes a Service, if it is there.
func (s *Stage) removeService(ctx context.Context, name string) error {
	err := s.cluster.Kube().CoreV1().Services(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing service %s: %w", name, err)
	}
	return nil
}

// NoServices is why neither a scenario of Services nor a path by one can be
// had.
const NoServices = "nothing carries Services here: the cluster has no kube-proxy"

// carries is an [*UnsupportedError] where the cluster has no such path.
func (s *Stage) carries(ctx context.Context, path string) error {
	// A headless Service is names alone: nothing has to carry it.
	if path != Headless && !cni.Services(s.cluster, s.entry) {
		return &UnsupportedError{NoServices}
	}
	if path != Headless && path != ServiceName {
		return nil
	}
	_, missing, err := s.cluster.DNS(ctx)
	if err != nil {
		return err
	}
	if missing != "" {
		return &UnsupportedError{"path " + path + " needs the cluster's DNS: " + missing}
	}
	return nil
}

// addressOf returns the address that a path uses of a Service.
func (s *Stage) addressOf(ctx context.Context, svc *corev1.Service, pair Pair, path string) (Address, error) {
	switch path {
	case ClusterIP:
		return Address{Host: svc.Spec.ClusterIP}, nil
	case ServiceName, Headless:
		// The pod's own search list completes the name, so that the cluster's
		// domain need not be known.
		return Address{Host: nameOfService(svc)}, nil
	case NodePort:
		if pair.Outside() {
			return Address{pair.Entry.Address, nodePorts(svc), pair.entry()}, nil
		}
		n, err := s.node(ctx, pair.Server.Node)
		if err == nil && pair.nodeAddress(n) == "" {
			err = fmt.Errorf("node %s has no address inside the cluster", pair.Server.Node)
		}
		return Address{Host: pair.nodeAddress(n), Translated: nodePorts(svc)}, err
	case LoadBalancer:
		return s.balancerAddress(ctx, svc, pair)
	}
	return Address{}, fmt.Errorf("there is no path %q", path)
}

// nameOfService is a Service's name in DNS, but for the cluster's domain.
func nameOfService(svc *corev1.Service) string { return svc.Name + "." + svc.Namespace + ".svc" }

func nodePorts(svc *corev1.Service) map[int]int {
	ports := map[int]int{}
	for _, p := range svc.Spec.Ports {
		ports[int(p.Port)] = int(p.NodePort)
	}
	return ports
}

// proveService proves a name only after the address behind it: a DNS that is
// asked too early remembers for seconds that the name does not exist.
func (s *Stage) proveService(ctx context.Context, svc *corev1.Service, pair Pair, path string, a Address, ports Ports) error {
	if path == ServiceName {
		if err := s.proveAddress(ctx, pair, Address{Host: svc.Spec.ClusterIP}, ports, PodTimeout); err != nil {
			return err
		}
	}
	if path == Headless {
		if err := s.awaitEndpoints(ctx, svc.Name); err != nil {
			return err
		}
	}
	return s.proveAddress(ctx, pair, a, ports, PodTimeout)
}

// awaitEndpoints returns when the Service knows a server.
func (s *Stage) awaitEndpoints(ctx context.Context, name string) error {
	slices := s.cluster.Kube().DiscoveryV1().EndpointSlices(Namespace)
	return cluster.Until(ctx, PodTimeout, "an endpoint of service "+name, func(ctx context.Context) error {
		list, err := slices.List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + name})
		if err != nil {
			return err
		}
		for _, slice := range list.Items {
			if len(slice.Endpoints) > 0 {
				return nil
			}
		}
		return errors.New("there is none")
	})
}

// service describes the Service in front of a server: its ports under their
// own numbers, and the echo port. ServiceName shares ClusterIP's.
func service(server, path string, ports Ports) *corev1.Service {
	if path == ServiceName {
		path = ClusterIP
	}
	protocols, suffix := []corev1.Protocol{corev1.ProtocolTCP}, "tcp"
	if ports.UDP {
		protocols, suffix = append(protocols, corev1.ProtocolUDP), "udp"
	}
	spec := corev1.ServiceSpec{Selector: map[string]string{"app": server}}
	switch path {
	case NodePort:
		spec.Type = corev1.ServiceTypeNodePort
	case LoadBalancer:
		spec.Type = corev1.ServiceTypeLoadBalancer
	case Headless:
		spec.ClusterIP = corev1.ClusterIPNone
	}
	numbers := []int{EchoPort}
	for i := range ports.Count {
		numbers = append(numbers, ports.First+i)
	}
	for _, number := range numbers {
		for _, protocol := range protocols {
			spec.Ports = append(spec.Ports, corev1.ServicePort{
				Name: fmt.Sprintf("%s-%d", map[corev1.Protocol]string{corev1.ProtocolTCP: "tcp", corev1.ProtocolUDP: "udp"}[protocol], number),
				Port: int32(number), TargetPort: intstr.FromInt(number), Protocol: protocol,
			})
		}
	}
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name:      fmt.Sprintf("%s-%s-%s-%d-%d", server, path, suffix, ports.First, ports.Count),
			Namespace: Namespace, Labels: cluster.Labels(cluster.LoadComponent),
		},
		Spec: spec,
	}
}
