package scenario

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/parameter"
)

// httpTargets returns the addresses, HOST:PORT, under which the client reaches
// the web server; each has answered. remove takes back what was made for this
// trial alone: many Services cost every later trial.
func (b *Bench) httpTargets(ctx context.Context, pair Pair, v parameter.Values) (targets []string, remove func() error, err error) {
	way, count := v.Text(path.Name), v.Integer("services")
	remove = func() error { return nil }
	if count == 1 {
		address, err := b.Stage.Address(ctx, pair, way, Ports{First: webPort, Count: 1})
		if err != nil {
			return nil, nil, err
		}
		targets = []string{address.HostPort(webPort)}
	} else {
		remove = func() error { return b.Stage.removeWebServices(ctx, count) }
		targets, err = b.Stage.webServices(ctx, pair, way, count)
	}
	if err == nil {
		err = b.fetch(ctx, pair, targets)
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return targets, remove, nil
}

// httpMisfit refuses many Services on a path that has one.
func httpMisfit(v parameter.Values) (problem, remedy string) {
	way, count := v.Text(path.Name), v.Integer("services")
	if count == 1 || way == ClusterIP || way == ServiceName {
		return "", ""
	}
	return fmt.Sprintf("%d Services are not addressed by path %s", count, way), "write path: cluster-ip or path: service-name"
}

// webServices makes Services in front of the pair's web server and returns
// their addresses.
func (s *Stage) webServices(ctx context.Context, pair Pair, way string, count int) ([]string, error) {
	if err := s.carries(ctx, way); err != nil {
		return nil, err
	}
	targets := make([]string, count)
	err := inParallel(count, func(i int) error {
		want := service(pair.Server.Name, ClusterIP, Ports{First: webPort, Count: 1})
		want.Name = webServiceName(i)
		// What only the proof of a path needs would double their rules.
		want.Spec.Ports = want.Spec.Ports[len(want.Spec.Ports)-1:]
		svc, err := s.cluster.Kube().CoreV1().Services(Namespace).Create(ctx, want, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("making service %s: %w", want.Name, err)
		}
		targets[i] = net.JoinHostPort(webHost(svc, way), strconv.Itoa(webPort))
		return nil
	})
	return targets, err
}

func webServiceName(i int) string { return fmt.Sprintf("web-%d", i+1) }

func webHost(svc *corev1.Service, way string) string {
	if way == ServiceName {
		return svc.Name + "." + svc.Namespace + ".svc"
	}
	return svc.Spec.ClusterIP
}

// servicesRemoval bounds the removal of Services, also after an interrupt.
const servicesRemoval = 2 * time.Minute

// removeWebServices takes the Services away, those that were not made
// included.
func (s *Stage) removeWebServices(ctx context.Context, count int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), servicesRemoval)
	defer cancel()
	return inParallel(count, func(i int) error {
		err := s.cluster.Kube().CoreV1().Services(Namespace).Delete(ctx, webServiceName(i), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing service %s: %w", webServiceName(i), err)
		}
		return nil
	})
}

// requestsAtOnce is how many requests the API gets at once.
const requestsAtOnce = 16

// inParallel calls do for every number below count, some at once, and returns
// the first error, after which it begins no more.
func inParallel(count int, do func(i int) error) error {
	var next, failed = make(chan int), make(chan error, 1)
	var all sync.WaitGroup
	for range min(count, requestsAtOnce) {
		all.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	var err error
	for i := 0; i < count && err == nil; i++ {
		select {
		case next <- i:
		case err = <-failed:
		}
	}
	close(next)
	all.Wait()
	if err == nil {
		select {
		case err = <-failed:
		default:
		}
	}
	return err
}
