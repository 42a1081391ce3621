package stage

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Services makes Services, all in front of one TCP port of the pair's server,
// and returns their addresses, HOST:PORT, as a path has them: [ClusterIP] or
// [ServiceName]. A path that the cluster cannot have is an [*UnsupportedError].
func (s *Stage) Services(ctx context.Context, pair Pair, path string, port, count int) ([]string, error) {
	if err := s.carries(ctx, path); err != nil {
		return nil, err
	}
	targets := make([]string, count)
	err := inParallel(count, func(i int) error {
		want := service(pair.Server.Name, ClusterIP, Ports{First: port, Count: 1})
		want.Name = serviceName(i)
		// What only the proof of a path needs would double their rules.
		want.Spec.Ports = want.Spec.Ports[len(want.Spec.Ports)-1:]
		svc, err := s.cluster.Kube().CoreV1().Services(Namespace).Create(ctx, want, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("making service %s: %w", want.Name, err)
		}
		targets[i] = net.JoinHostPort(nameOrIP(svc, path), strconv.Itoa(port))
		return nil
	})
	return targets, err
}

func serviceName(i int) string { return fmt.Sprintf("web-%d", i+1) }

func nameOrIP(svc *corev1.Service, path string) string {
	if path == ServiceName {
		return svc.Name + "." + svc.Namespace + ".svc"
	}
	return svc.Spec.ClusterIP
}

// servicesRemoval bounds the removal of Services, also after an interrupt.
const servicesRemoval = 2 * time.Minute

// RemoveServices takes the Services away, those that were not made
// included.
func (s *Stage) RemoveServices(ctx context.Context, count int) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), servicesRemoval)
	defer cancel()
	return inParallel(count, func(i int) error { return s.removeService(ctx, serviceName(i)) })
}
