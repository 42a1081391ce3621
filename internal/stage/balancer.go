package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/cnibench/cnibench/internal/cluster"
)

// balancerTimeout bounds the wait for somebody to give a Service of type
// LoadBalancer its address. Clouds take a minute or two to make one; a trial has
// three minutes beyond its load, in which the answer must be there.
const balancerTimeout = 150 * time.Second

// noBalancer is why a cluster has no path load-balancer.
const noBalancer = "nobody gives addresses to Services of type LoadBalancer here"

// errNoAddress says that nobody gave a Service an address so far.
var errNoAddress = errors.New("it has none")

// BalancerIPv4 is why a lab has no path load-balancer of IPv6.
const BalancerIPv4 = "a lab gives Services of type LoadBalancer addresses of IPv4 alone"

// balancerAddress returns the address of a Service of type LoadBalancer. Where
// the provider keeps addresses for them, as labs do, the stage plays the part
// of what gives and announces them elsewhere.
func (s *Stage) balancerAddress(ctx context.Context, svc *corev1.Service, pair Pair) (Address, error) {
	if kept, ok := s.cluster.BalancerRange(); ok {
		return s.playBalancer(ctx, svc, pair, kept)
	}
	if s.unbalanced {
		return Address{}, &UnsupportedError{noBalancer}
	}
	var host string
	err := cluster.Until(ctx, balancerTimeout, "an address for service "+svc.Name, func(ctx context.Context) error {
		now, err := s.cluster.Kube().CoreV1().Services(svc.Namespace).Get(ctx, svc.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if host = ingress(now); host == "" {
			return errNoAddress
		}
		return nil
	})
	if errors.Is(err, errNoAddress) {
		s.unbalanced = true // who gave none in this time gives the next Service none
		return Address{}, &UnsupportedError{noBalancer + ": " + err.Error()}
	}
	return Address{Host: host}, err
}

// ingress is a Service's address outside, or the name of it; empty for none.
func ingress(svc *corev1.Service) string {
	for _, i := range svc.Status.LoadBalancer.Ingress {
		if i.IP != "" {
			return i.IP
		}
		if i.Hostname != "" {
			return i.Hostname
		}
	}
	return ""
}

// playBalancer gives a Service the first address of a range that no other has,
// and leads the host outside to it by the node at which its traffic enters, as
// MetalLB does in L2 mode: one node takes all of an address. What nodes make
// of it is what kube-proxy or the plugin programs from the Service's status.
func (s *Stage) playBalancer(ctx context.Context, svc *corev1.Service, pair Pair, kept netip.Prefix) (Address, error) {
	if !kept.IsValid() || pair.Ends.Family == IPv6 {
		return Address{}, &UnsupportedError{BalancerIPv4}
	}
	address := ingress(svc)
	if address == "" {
		var err error
		if address, err = s.giveAddress(ctx, svc, kept); err != nil {
			return Address{}, fmt.Errorf("giving service %s an address: %w", svc.Name, err)
		}
	}
	if !pair.Outside() {
		return Address{Host: address}, nil
	}
	if err := s.outsideRoute(ctx, "replace", address, "via", pair.Entry.Address); err != nil {
		return Address{}, err
	}
	return Address{Host: address, enters: pair.entry()}, nil
}

// giveAddress writes a free address into the Service's status.
func (s *Stage) giveAddress(ctx context.Context, svc *corev1.Service, kept netip.Prefix) (string, error) {
	var address string
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		all, err := s.cluster.Kube().CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		taken := map[string]bool{}
		for _, other := range all.Items {
			taken[ingress(&other)] = true
		}
		if address, err = freeAddress(kept, taken); err != nil {
			return err
		}
		services := s.cluster.Kube().CoreV1().Services(svc.Namespace)
		now, err := services.Get(ctx, svc.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		now.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
		_, err = services.UpdateStatus(ctx, now, metav1.UpdateOptions{})
		return err
	})
	return address, err
}

// freeAddress is the first address of a range that is not taken, its own first
// one left out.
func freeAddress(kept netip.Prefix, taken map[string]bool) (string, error) {
	for a := kept.Masked().Addr().Next(); kept.Contains(a); a = a.Next() {
		if !taken[a.String()] {
			return a.String(), nil
		}
	}
	return "", fmt.Errorf("all addresses of %s are taken", kept)
}

// routesRemoval bounds the removal of routes, also after an interrupt.
const routesRemoval = 20 * time.Second

// removeRoutes takes the ways to addresses of load balancers from the host
// outside, also those that another stage left.
func (s *Stage) removeRoutes(ctx context.Context) error {
	kept, ok := s.cluster.BalancerRange()
	if !ok || !s.routed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), routesRemoval)
	defer cancel()
	s.routed = false
	return s.outsideRoute(ctx, "flush", "root", kept.String())
}

// outsideRoute changes the routes of the host outside.
func (s *Stage) outsideRoute(ctx context.Context, args ...string) error {
	host, ok := s.cluster.Outside()
	if !ok {
		return nil // nobody has to find the way
	}
	s.routed = true
	var output bytes.Buffer
	argv := append([]string{"ip", "route"}, args...)
	if err := s.cluster.RunOnNode(ctx, host.Name, argv, nil, &output, &output); err != nil {
		return fmt.Errorf("routes of %s: %w: %s", host.Name, err, bytes.TrimSpace(output.Bytes()))
	}
	return nil
}
