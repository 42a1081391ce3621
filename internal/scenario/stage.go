package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Placements of the two ends of a load.
const (
	CrossNode = parameter.CrossNode
	SameNode  = parameter.SameNode
)

const (
	// Namespace holds load pods and their Services.
	Namespace = cluster.Namespace
	// EchoPort is where every server pod echoes TCP and UDP, for proofs.
	EchoPort = 7007
	// FirstPort is the first of the load generators' ports, one per stream.
	FirstPort = 5201

	podTimeout = 90 * time.Second
)

// Stage keeps the load pods of a cluster, which are made when first needed and
// serve every later trial.
type Stage struct {
	cluster *cluster.Cluster
	entry   cni.Entry
	pairs   map[string]Pair
	// owner tells that the namespace was made for the stage.
	owner bool
}

// Pair is the two ends of a load.
type Pair struct {
	Client, Server cluster.Pod
	placement      string
}

// NewStage prepares a cluster, which must be able to run pods.
func NewStage(ctx context.Context, c *cluster.Cluster, e cni.Entry) (*Stage, error) {
	made, err := c.EnsureNamespace(ctx)
	if err != nil {
		return nil, err
	}
	return &Stage{cluster: c, entry: e, pairs: map[string]Pair{}, owner: made}, nil
}

// Pair returns the two ends for a placement, and proves on every call that
// they still run where they should.
func (s *Stage) Pair(ctx context.Context, placement string) (Pair, error) {
	pair, ok := s.pairs[placement]
	if !ok {
		made, err := s.make(ctx, placement)
		if err != nil {
			return Pair{}, err
		}
		s.pairs[placement], pair = made, made
	}
	for _, end := range []cluster.Pod{pair.Client, pair.Server} {
		now, err := s.cluster.Pod(ctx, end.Namespace, end.Name)
		if err != nil {
			return Pair{}, err
		}
		if now != end {
			return Pair{}, &InvalidError{fmt.Sprintf("pod %s was replaced or moved: it was %+v, it is %+v", end.Name, end, now)}
		}
	}
	return pair, pair.verify()
}

func (p Pair) verify() error {
	same := p.Client.Node == p.Server.Node
	if same != (p.placement == SameNode) {
		return &InvalidError{fmt.Sprintf("placement is to be %s, but the client runs on %s and the server on %s", p.placement, p.Client.Node, p.Server.Node)}
	}
	return nil
}

func (s *Stage) make(ctx context.Context, placement string) (Pair, error) {
	nodes := s.cluster.LoadNodes()
	client, server := 0, 0
	if placement == CrossNode {
		server = 1
	}
	if server >= len(nodes) {
		return Pair{}, &UnsupportedError{fmt.Sprintf("placement %s needs two nodes, and there is one for load: %s", placement, strings.Join(nodes, ", "))}
	}
	echo := []string{"cnibench-probe", "reach", "echo", "--port", fmt.Sprint(EchoPort)}
	pods, err := s.cluster.CreatePods(ctx, []*corev1.Pod{
		s.pod("client-"+placement, nodes[client], []string{"cnibench-probe", "pause"}),
		s.pod("server-"+placement, nodes[server], echo),
	}, podTimeout)
	if err != nil {
		return Pair{}, err
	}
	return Pair{pods[0], pods[1], placement}, nil
}

// pod describes a load pod that is bound to its node, with no limits and with
// the network settings that all load shares.
func (s *Stage) pod(name, node string, command []string) *corev1.Pod {
	no, now := false, int64(0)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels(name)},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			HostNetwork:                   s.entry.HostNetwork(),
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &now,
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "load", Image: s.cluster.ToolsImage(), ImagePullPolicy: corev1.PullIfNotPresent, Command: command,
			}},
		},
	}
	if !s.entry.HostNetwork() {
		// Host-network pods have their node's settings.
		p.Spec.SecurityContext = &corev1.PodSecurityContext{Sysctls: sysctls(s.cluster.PodSysctls())}
	}
	return p
}

// labels are those of a load pod: ours, and the one that Services select by.
func labels(name string) map[string]string {
	all := cluster.Labels(cluster.LoadComponent)
	all["app"] = name
	return all
}

func sysctls(values map[string]string) []corev1.Sysctl {
	var list []corev1.Sysctl
	for name, value := range values {
		list = append(list, corev1.Sysctl{Name: name, Value: value})
	}
	return list
}

// Service returns the address of a Service in front of the pair's server, with
// one port per stream and the echo port, once it carries connections.
func (s *Stage) Service(ctx context.Context, pair Pair, streams int) (string, error) {
	if !cni.Services(s.cluster, s.entry) {
		return "", &UnsupportedError{"nothing carries Services here: the cluster has no kube-proxy"}
	}
	name := fmt.Sprintf("%s-%d", pair.Server.Name, streams)
	services := s.cluster.Kube().CoreV1().Services(Namespace)
	svc, err := services.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return svc.Spec.ClusterIP, nil
	}
	if !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("looking up service %s: %w", name, err)
	}
	svc, err = services.Create(ctx, service(name, pair.Server.Name, streams), metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("creating service %s: %w", name, err)
	}
	ip := svc.Spec.ClusterIP
	err = cluster.Until(ctx, podTimeout, "service "+name+" to carry connections", func(ctx context.Context) error {
		return cni.Reach(ctx, s.cluster, pair.Client, ip, EchoPort)
	})
	if err != nil {
		// The next trial is to try again, not to find it half made.
		deleted := services.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{})
		return "", errors.Join(err, deleted)
	}
	return ip, nil
}

func service(name, app string, streams int) *corev1.Service {
	port := func(name string, number int) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: int32(number), TargetPort: intstr.FromInt(number), Protocol: corev1.ProtocolTCP}
	}
	ports := []corev1.ServicePort{port("echo", EchoPort)}
	for i := range streams {
		ports = append(ports, port(fmt.Sprintf("stream-%d", i+1), FirstPort+i))
	}
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: cluster.Labels(cluster.LoadComponent)},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": app}, Ports: ports},
	}
}

// Remove deletes everything that the stage made. In a cluster whose namespace
// holds more than the stage it returns when the nodes have taken the pods'
// networks down; otherwise the cluster finishes it in the background.
func (s *Stage) Remove(ctx context.Context) error {
	clear(s.pairs)
	if !s.owner {
		return s.cluster.RemoveLoad(ctx)
	}
	if err := s.cluster.Kube().CoreV1().Namespaces().Delete(ctx, Namespace, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("removing namespace %s: %w", Namespace, err)
	}
	return nil
}
