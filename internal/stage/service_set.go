package stage

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cnibench/cnibench/internal/cluster"
)

// setLabel is the value of the label "app" by which the Services of a set are
// found. The cluster gives their EndpointSlices the same.
const setLabel = "service-set"

// setPoll is how often the API is asked for all of a set, which is much to ask.
const setPoll = time.Second

// ServiceSet is as many Services as somebody wants, in front of one server,
// for one trial: the cluster's own controller makes their EndpointSlices.
type ServiceSet struct {
	stage  *Stage
	server string // the app that they select
	path   string // ClusterIP or ServiceName
	port   int    // TCP, that each of them has
}

// ServiceSet prepares Services that lead to a port of the pair's server, under
// its own number, and by which path: [ClusterIP] or [ServiceName]. It removes
// what an interrupted trial left, and returns when nothing of an earlier set is
// in the API, which may have had the same names. A path that the cluster cannot
// have is an [*UnsupportedError].
func (s *Stage) ServiceSet(ctx context.Context, pair Pair, path string, port int) (*ServiceSet, error) {
	if err := s.carries(ctx, path); err != nil {
		return nil, err
	}
	set := &ServiceSet{s, pair.Server.Name, path, port}
	list, err := s.cluster.Kube().CoreV1().Services(Namespace).List(ctx, set.selection())
	if err != nil {
		return nil, fmt.Errorf("listing services: %w", err)
	}
	var names []string
	for _, left := range list.Items {
		names = append(names, left.Name)
	}
	if err := set.Remove(ctx, names...); err != nil {
		return nil, err
	}
	return set, set.AwaitGone(ctx, len(names))
}

// HoldsServices is an [*UnsupportedError] where the cluster's Service network is
// known to have fewer addresses.
func (s *Stage) HoldsServices(services int) error {
	network := s.cluster.Site().ServiceCIDR
	if most, known := clusterIPs(network); known && services > most {
		return &UnsupportedError{fmt.Sprintf("the cluster's Service network, %s, has %d addresses, fewer than %d", network, most, services)}
	}
	return nil
}

// clusterIPs is how many Services a network has addresses for: neither the
// first nor, of IPv4, the last is given out. It is not known of what is no
// network, and of one that has room for anybody.
func clusterIPs(network string) (most int, known bool) {
	prefix, err := netip.ParsePrefix(network)
	if err != nil {
		return 0, false
	}
	bits := prefix.Addr().BitLen() - prefix.Bits()
	if bits > 30 {
		return 0, false
	}
	most = 1<<bits - 1
	if prefix.Addr().Is4() {
		most--
	}
	return max(most, 0), true
}

// Create makes a Service and returns its host, as the set's path has it. It has
// more ports than the set's, if any are given. A cluster that has no address for it is an
// [*UnsupportedError].
func (set *ServiceSet) Create(ctx context.Context, name string, more ...int) (string, error) {
	want := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels(setLabel)},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": set.server}},
	}
	for _, port := range append([]int{set.port}, more...) {
		want.Spec.Ports = append(want.Spec.Ports, corev1.ServicePort{
			Name: fmt.Sprintf("tcp-%d", port), Port: int32(port), TargetPort: intstr.FromInt(port), Protocol: corev1.ProtocolTCP,
		})
	}
	made, err := set.stage.cluster.Kube().CoreV1().Services(Namespace).Create(ctx, want, metav1.CreateOptions{})
	switch {
	case err != nil && outOfAddresses(err):
		return "", &UnsupportedError{fmt.Sprintf("the cluster has no address for service %s: %v", name, err)}
	case err != nil:
		return "", fmt.Errorf("making service %s: %w", name, err)
	}
	return hostOf(made, set.path), nil
}

func hostOf(svc *corev1.Service, path string) string {
	if path == ServiceName {
		return nameOfService(svc)
	}
	return svc.Spec.ClusterIP
}

// outOfAddresses knows the API server's words: it has no reason for it
// (pkg/registry/core/service/ipallocator of Kubernetes, ErrFull).
func outOfAddresses(err error) bool { return strings.Contains(err.Error(), "range is full") }

// CreateAll makes Services of these names and returns their hosts in that
// order. More says which ports a Service has besides; nil: none has.
func (set *ServiceSet) CreateAll(ctx context.Context, names []string, more func(i int) []int) ([]string, error) {
	hosts := make([]string, len(names))
	err := cluster.AtOnce(requestsAtOnce, len(names), func(i int) (err error) {
		var ports []int
		if more != nil {
			ports = more(i)
		}
		hosts[i], err = set.Create(ctx, names[i], ports...)
		return err
	})
	return hosts, err
}

// Remove deletes Services, as far as they are there, also after an interrupt.
func (set *ServiceSet) Remove(ctx context.Context, names ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SetPatience(len(names)))
	defer cancel()
	return cluster.AtOnce(requestsAtOnce, len(names), func(i int) error { return set.stage.removeService(ctx, names[i]) })
}

// SetPatience bounds the wait for as many Services to be made, removed, or
// acted upon: so much that only what never ends is longer.
func SetPatience(services int) time.Duration {
	return PodTimeout + time.Duration(services)*50*time.Millisecond
}

// AwaitSlices returns when the cluster has as many EndpointSlices with a
// server for the set.
func (set *ServiceSet) AwaitSlices(ctx context.Context, count int) error {
	return set.await(ctx, count, fmt.Sprintf("%d EndpointSlices", count), func(ctx context.Context) error {
		slices, err := set.slices(ctx)
		if err != nil {
			return err
		}
		if there := ready(slices); there != count {
			return fmt.Errorf("there are %d", there)
		}
		return nil
	})
}

// AwaitGone returns when neither Services nor EndpointSlices of the set are
// in the API.
func (set *ServiceSet) AwaitGone(ctx context.Context, count int) error {
	return set.await(ctx, count, fmt.Sprintf("%d services and their EndpointSlices to be gone", count), func(ctx context.Context) error {
		list, err := set.stage.cluster.Kube().CoreV1().Services(Namespace).List(ctx, set.selection())
		if err != nil {
			return err
		}
		slices, err := set.slices(ctx)
		if err != nil {
			return err
		}
		if len(list.Items)+len(slices) > 0 {
			return fmt.Errorf("%d services and %d EndpointSlices are there", len(list.Items), len(slices))
		}
		return nil
	})
}

// await asks every now and then: each answer holds the whole set.
func (set *ServiceSet) await(ctx context.Context, count int, what string, check func(context.Context) error) error {
	return cluster.Until(ctx, SetPatience(count), what, func(ctx context.Context) error {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(setPoll):
			return err
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	})
}

func (set *ServiceSet) slices(ctx context.Context) ([]discoveryv1.EndpointSlice, error) {
	list, err := set.stage.cluster.Kube().DiscoveryV1().EndpointSlices(Namespace).List(ctx, set.selection())
	if err != nil {
		return nil, fmt.Errorf("listing EndpointSlices: %w", err)
	}
	return list.Items, nil
}

// ready counts the slices that have a server. Until it is ready there may be
// slices without one.
func ready(slices []discoveryv1.EndpointSlice) int {
	count := 0
	for _, slice := range slices {
		if len(slice.Endpoints) > 0 {
			count++
		}
	}
	return count
}

func (set *ServiceSet) selection() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: "app=" + setLabel}
}
