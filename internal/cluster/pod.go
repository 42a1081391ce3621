package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod names a running pod.
type Pod struct {
	Namespace, Name, UID, Node, IP string
	// SecondIP is the address of the other family; empty: the pod has one.
	SecondIP    string
	QOS         string // quality of service class, e.g. BestEffort
	HostNetwork bool
	// Container is where programs are run in it; empty: it has one only.
	Container string
}

// LoadContainer is our container of a pod that others add theirs to.
const LoadContainer = "load"

// podFrom reads what cnibench needs to know of a pod.
func podFrom(p *corev1.Pod) Pod {
	pod := Pod{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Node: p.Spec.NodeName,
		IP: p.Status.PodIP, QOS: string(p.Status.QOSClass), HostNetwork: p.Spec.HostNetwork,
	}
	for _, other := range p.Status.PodIPs {
		if other.IP != pod.IP {
			pod.SecondIP = other.IP
		}
	}
	for _, c := range p.Spec.Containers {
		if c.Name == LoadContainer && len(p.Spec.Containers) > 1 {
			pod.Container = LoadContainer
		}
	}
	return pod
}

// CreatePods creates pods and returns them, in order, when all run. Those that
// exist already are used as they are.
func (c *Cluster) CreatePods(ctx context.Context, pods []*corev1.Pod, timeout time.Duration) ([]Pod, error) {
	for _, p := range pods {
		_, err := c.kube.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, fmt.Errorf("creating pod %s: %w", p.Name, err)
		}
	}
	running := make([]Pod, len(pods))
	for i, p := range pods {
		got, err := c.awaitRunning(ctx, p.Namespace, p.Name, timeout)
		if err != nil {
			return nil, err
		}
		running[i] = got
	}
	return running, nil
}

func (c *Cluster) awaitRunning(ctx context.Context, namespace, name string, timeout time.Duration) (Pod, error) {
	var pod Pod
	err := Until(ctx, timeout, "pod "+name+" to run", func(ctx context.Context) error {
		p, err := c.kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		switch p.Status.Phase {
		case corev1.PodRunning:
			pod = podFrom(p)
			return othersReady(p)
		case corev1.PodFailed, corev1.PodSucceeded:
			return &fatalError{fmt.Errorf("it ended: %s", whyNotRunning(p))}
		}
		return fmt.Errorf("it is not running: %s", whyNotRunning(p))
	})
	if err != nil {
		return Pod{}, fmt.Errorf("%w%s", err, c.Warning(ctx, namespace, name))
	}
	return pod, nil
}

// othersReady says which container of a pod with several is not ready: a pod
// runs when one of them does, and a proxy beside the load must carry it.
func othersReady(p *corev1.Pod) error {
	for _, s := range p.Status.ContainerStatuses {
		if !s.Ready && len(p.Spec.Containers) > 1 {
			return fmt.Errorf("container %s is not ready: %s", s.Name, whyNotRunning(p))
		}
	}
	return nil
}

// whyNotRunning gathers what the kubelet and the scheduler say of a pod.
func whyNotRunning(p *corev1.Pod) string {
	reasons := []string{"phase " + string(p.Status.Phase)}
	if p.Status.Reason != "" || p.Status.Message != "" {
		reasons = append(reasons, strings.TrimSpace(p.Status.Reason+" "+p.Status.Message))
	}
	for _, s := range p.Status.ContainerStatuses {
		if w := s.State.Waiting; w != nil {
			reasons = append(reasons, strings.TrimSpace(w.Reason+" "+w.Message))
		}
		if t := s.State.Terminated; t != nil {
			reasons = append(reasons, fmt.Sprintf("exit status %d %s %s", t.ExitCode, t.Reason, t.Message))
		}
	}
	return strings.Join(reasons, ", ")
}

// eventTimeout bounds the look at events, which only adds to an error.
const eventTimeout = 5 * time.Second

// Warning quotes the newest warning about a pod, after a semicolon and also when
// ctx has ended; empty where there is none or it cannot be had.
func (c *Cluster) Warning(ctx context.Context, namespace, name string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTimeout)
	defer cancel()
	events, err := c.kube.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + name + ",type=Warning",
	})
	if err != nil || len(events.Items) == 0 {
		return ""
	}
	return "; last warning: " + events.Items[len(events.Items)-1].Message
}

// Pods lists running pods by label selector, in all namespaces if namespace is
// empty.
func (c *Cluster) Pods(ctx context.Context, namespace, selector string) ([]Pod, error) {
	list, err := c.kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("listing pods %s: %w", selector, err)
	}
	var pods []Pod
	for i := range list.Items {
		if list.Items[i].Status.Phase == corev1.PodRunning {
			pods = append(pods, podFrom(&list.Items[i]))
		}
	}
	return pods, nil
}

// NotRunningError says that a pod is gone or has ended.
type NotRunningError struct{ Pod, Why string }

func (e *NotRunningError) Error() string {
	return fmt.Sprintf("pod %s is not running: %s", e.Pod, e.Why)
}

// Pod looks a pod up again, for its present place and state. One that is gone
// or has ended is a [*NotRunningError].
func (c *Cluster) Pod(ctx context.Context, namespace, name string) (Pod, error) {
	p, err := c.kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return Pod{}, &NotRunningError{name, "it does not exist"}
	}
	if err != nil {
		return Pod{}, fmt.Errorf("looking up pod %s: %w", name, err)
	}
	if p.Status.Phase != corev1.PodRunning {
		return Pod{}, &NotRunningError{name, whyNotRunning(p)}
	}
	return podFrom(p), nil
}
