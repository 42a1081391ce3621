package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

// loadServices is the load that consists of new Services.
const loadServices = "services"

// newServices are the Services of one trial.
type newServices struct {
	bench *stage.Bench
	pair  stage.Pair
	made  []string // names
	last  string   // address of the last one
	at    time.Time
}

// measureServices samples while Services are created. The last of them must
// carry connections in the end, which shows that somebody did the work.
func measureServices(ctx context.Context, b *stage.Bench, v parameter.Values) (m stage.Measurement, err error) {
	if !cni.Services(b.Cluster, b.Entry) {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: stage.NoServices}
	}
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	measured := v.Duration(duration.Name)
	sampling, err := b.StartSampling(ctx, measured, pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	services := &newServices{bench: b, pair: pair}
	defer func() { err = errors.Join(err, services.remove(ctx)) }()
	count := v.Integer(serviceCount.Name)
	window, err := hold(ctx, v.Duration(omit.Name), measured, func(ctx context.Context) error {
		return services.create(ctx, count, measured)
	})
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := services.carry(ctx); err != nil {
		return stage.Measurement{}, err
	}
	took := time.Since(services.at)
	m, _ = b.MeasureWindow("", window, series)
	m.Facts["services created"] = fmt.Sprint(count)
	m.Facts["last service carried connections within"] = took.Round(time.Millisecond).String()
	return m, nil
}

// create makes the Services, evenly over the time. Where the API is slower it
// takes longer, and so does the window.
func (n *newServices) create(ctx context.Context, count int, over time.Duration) error {
	services := n.bench.Cluster.Kube().CoreV1().Services(stage.Namespace)
	start := time.Now()
	for i := range count {
		if err := sleep(ctx, time.Until(start.Add(over*time.Duration(i)/time.Duration(count)))); err != nil {
			return err
		}
		n.at = time.Now()
		s, err := services.Create(ctx, newService(n.pair.Server.Name), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating service %d of %d: %w", i+1, count, err)
		}
		n.made, n.last = append(n.made, s.Name), s.Spec.ClusterIP
	}
	return nil
}

// newService describes a Service in front of a server pod's echo.
func newService(app string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "resources-", Namespace: stage.Namespace, Labels: cluster.Labels(cluster.LoadComponent)},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": app},
			Ports:    []corev1.ServicePort{{Name: "echo", Port: stage.EchoPort, TargetPort: intstr.FromInt32(stage.EchoPort), Protocol: corev1.ProtocolTCP}},
		},
	}
}

// carry returns when the last Service carries connections.
func (n *newServices) carry(ctx context.Context) error {
	return cluster.Until(ctx, stage.PodTimeout, "the last of the new Services to carry connections", func(ctx context.Context) error {
		return cni.Reach(ctx, n.bench.Cluster, n.pair.Client, n.last, stage.EchoPort)
	})
}

// remove deletes the Services, also after an interrupt.
func (n *newServices) remove(ctx context.Context) error {
	services := n.bench.Cluster.Kube().CoreV1().Services(stage.Namespace)
	var errs []error
	for _, name := range n.made {
		errs = append(errs, services.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("deleting services: %w", err)
	}
	return nil
}
