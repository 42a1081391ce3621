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
	port   int    // TCP, that each of them has
}

// ServiceSet prepares Services that lead to a port of the pair's server, under
// its own number. It removes what an interrupted trial left.
func (s *Stage) ServiceSet(ctx context.Context, pair Pair, port int) (*ServiceSet, error) {
	set := &ServiceSet{s, pair.Server.Name, port}
	list, err := s.cluster.Kube().CoreV1().Services(Namespace).List(ctx, set.selection())
	if err != nil {
		return nil, fmt.Errorf("listing services: %w", err)
	}
	var names []string
	for _, left := range list.Items {
		names = append(names, left.Name)
	}
	if len(names) == 0 {
		return set, nil
	}
	if err := set.Remove(ctx, names...); err != nil {
		return nil, err
	}
	return set, set.AwaitGone(ctx, len(names))
}

// ServiceRoom is an [*UnsupportedError] where the cluster's Service network is known
// to have fewer addresses.
func (s *Stage) ServiceRoom(services int) error {
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

// Create makes a Service and returns its cluster IP. It has more ports than
// the set's, if any are given. A cluster that has no address for it is an
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
	return made.Spec.ClusterIP, nil
}

// outOfAddresses knows the API server's words: it has no reason for it
// (pkg/registry/core/service/ipallocator of Kubernetes, ErrFull).
func outOfAddresses(err error) bool { return strings.Contains(err.Error(), "range is full") }

// CreateAll makes Services of these names and returns their cluster IPs in
// that order. More says which ports a Service has besides.
func (set *ServiceSet) CreateAll(ctx context.Context, names []string, more func(i int) []int) ([]string, error) {
	addresses := make([]string, len(names))
	err := inParallel(len(names), func(i int) (err error) {
		addresses[i], err = set.Create(ctx, names[i], more(i)...)
		return err
	})
	return addresses, err
}

// Remove deletes Services, as far as they are there, also after an interrupt.
func (set *ServiceSet) Remove(ctx context.Context, names ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SetPatience(len(names)))
	defer cancel()
	return inParallel(len(names), func(i int) error { return set.stage.removeService(ctx, names[i]) })
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
