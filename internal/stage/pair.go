package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// PodTimeout bounds the wait for load pods and for their Services.
const PodTimeout = 90 * time.Second

// Pair is the two ends of a load. The server echoes TCP and UDP on EchoPort.
// A client outside of the cluster is no pod.
type Pair struct {
	Client, Server cluster.Pod
	Ends           Ends // resolved: client and server are set
	// Entry is the node at which traffic from outside enters the cluster where
	// a path leaves the choice; set for a client outside alone.
	Entry cluster.Node
}

// Outside tells that the client is on a host outside the cluster.
func (p Pair) Outside() bool { return p.Ends.Client == External }

// Pods are the load pods of a pair.
func (p Pair) Pods() []cluster.Pod {
	if p.Outside() {
		return []cluster.Pod{p.Server}
	}
	return []cluster.Pod{p.Client, p.Server}
}

// clientNode is the node from which the client's traffic comes.
func (p Pair) clientNode() string {
	if p.Outside() {
		return p.Entry.Name
	}
	return p.Client.Node
}

// Pair returns the two ends, which all trials share but for those that have
// something beside them, and proves on every call
// that they still run where they should. What ended since the last trial is
// made anew. A pod that somebody replaced or that is misplaced is an
// [*InvalidError], and a placement that the cluster does not have an
// [*UnsupportedError].
func (s *Stage) Pair(ctx context.Context, ends Ends) (Pair, error) {
	ends = ends.resolve(s.entry.HostNetwork())
	family := ends.Family
	ends.Family = "" // pods serve both
	pair, ok := s.pairs[ends]
	if ok {
		err := s.stillRuns(ctx, pair.Pods()...)
		var ended *cluster.NotRunningError
		switch {
		case errors.As(err, &ended):
			ok = false
		case err != nil:
			return Pair{}, err
		}
	}
	if !ok {
		made, err := s.make(ctx, ends)
		if err != nil {
			return Pair{}, err
		}
		s.pairs[ends], pair = made, made
	}
	if err := pair.verify(); err != nil {
		return pair, err
	}
	pair.Ends.Family = family
	return pair.inFamily()
}

// stillRuns looks pods up again.
func (s *Stage) stillRuns(ctx context.Context, pods ...cluster.Pod) error {
	for _, end := range pods {
		now, err := s.cluster.Pod(ctx, end.Namespace, end.Name)
		if err != nil {
			return err
		}
		if now != end {
			s.forget(end.Name) // the next trial is to see what is there now
			return &InvalidError{fmt.Sprintf("pod %s was replaced or moved: it was %+v, it is %+v", end.Name, end, now)}
		}
	}
	return nil
}

// Gone names the load pods that were there and run no more, once each; of a
// crowd, those that ended before it was dispersed.
func (s *Stage) Gone(ctx context.Context) []string {
	gone := s.ended
	s.ended = nil
	for _, pod := range s.pods() {
		now, err := s.cluster.Pod(ctx, pod.Namespace, pod.Name)
		var ended *cluster.NotRunningError
		if errors.As(err, &ended) || err == nil && now.UID != pod.UID {
			gone = append(gone, pod.Name)
		}
	}
	for _, name := range gone {
		s.forget(name)
	}
	slices.Sort(gone)
	return slices.Compact(gone)
}

// pods are all load pods; those of several pairs more than once.
func (s *Stage) pods() []cluster.Pod {
	var all []cluster.Pod
	for _, pair := range s.pairs {
		all = append(all, pair.Pods()...)
	}
	for _, member := range s.fleet {
		all = append(all, member.Pod)
	}
	return all
}

// forget drops what has a pod.
func (s *Stage) forget(pod string) {
	maps.DeleteFunc(s.pairs, func(_ Ends, p Pair) bool { return p.Client.Name == pod || p.Server.Name == pod })
	maps.DeleteFunc(s.fleet, func(_ berthKey, m FleetPod) bool { return m.Pod.Name == pod })
}

// clear removes those of the pods that have ended, so that new ones can take
// their names: a load pod is never restarted.
func (s *Stage) clear(ctx context.Context, names ...string) error {
	now := int64(0)
	pods := s.cluster.Kube().CoreV1().Pods(Namespace)
	for _, name := range names {
		p, err := pods.Get(ctx, name, metav1.GetOptions{})
		ended := err == nil && (p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded || p.DeletionTimestamp != nil)
		if !ended {
			continue // creating the pods says what else is wrong
		}
		s.forget(name)
		if err := pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing pod %s, which has ended: %w", name, err)
		}
		err = cluster.Until(ctx, PodTimeout, "pod "+name+", which has ended, to be gone", func(ctx context.Context) error {
			_, err := pods.Get(ctx, name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
				return nil
			case err == nil:
				return errors.New("it is still there")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// verify holds the ends against what was asked for.
func (p Pair) verify() error {
	same := p.clientNode() == p.Server.Node
	if same != (p.Ends.Placement == SameNode) {
		return &InvalidError{fmt.Sprintf("placement is to be %s, but the client runs on %s and the server on %s", p.Ends.Placement, p.clientNode(), p.Server.Node)}
	}
	for _, end := range []struct {
		name, want string
		pod        cluster.Pod
	}{{"client", p.Ends.Client, p.Client}, {"server", p.Ends.Server, p.Server}} {
		if end.want == External {
			continue
		}
		if end.pod.HostNetwork != (end.want == OnHost) {
			return &InvalidError{fmt.Sprintf("the %s is to use the network of a %s, but host network is %t for pod %s", end.name, end.want, end.pod.HostNetwork, end.pod.Name)}
		}
	}
	return nil
}

// OneNode is why one node is too few for something. The node is named where
// there is one already.
func OneNode(what string, nodes ...string) string {
	text := what + " needs two nodes, and there is one for load"
	if len(nodes) > 0 {
		text += ": " + strings.Join(nodes, ", ")
	}
	return text
}

func (s *Stage) make(ctx context.Context, ends Ends) (Pair, error) {
	nodes := s.cluster.LoadNodes()
	client, server := 0, 0
	if ends.Placement == CrossNode {
		server = 1
	}
	if server >= len(nodes) {
		return Pair{}, &UnsupportedError{OneNode("placement "+ends.Placement, nodes...)}
	}
	if ends.Client == External {
		return s.makeForOutside(ctx, ends, nodes[client], nodes[server])
	}
	clientName, serverName := ends.podNames()
	if err := s.clear(ctx, clientName, serverName); err != nil {
		return Pair{}, err
	}
	want := []*corev1.Pod{
		s.Pod(clientName, nodes[client], ends.Client, []string{probeName, "pause"}),
		s.Pod(serverName, nodes[server], ends.Server, echoCommand(EchoPort)),
	}
	if ends.Image != "" {
		if err := s.useImage(ctx, ends, want); err != nil {
			return Pair{}, err
		}
	}
	if ends.beside() {
		if err := s.putBeside(ends, want); err != nil {
			return Pair{}, err
		}
		if err := s.shareEcho(ctx, ends, want); err != nil {
			return Pair{}, err
		}
		for _, p := range want {
			s.passingPod(p)
		}
	}
	pods, err := s.cluster.CreatePods(ctx, want, PodTimeout)
	if err != nil {
		if ends.beside() {
			err = explainBeside(err)
		}
		return Pair{}, err
	}
	return Pair{Client: pods[0], Server: pods[1], Ends: ends}, nil
}

// echoCommand is what a server's pod runs.
func echoCommand(port int) []string {
	return []string{probeName, "reach", "echo", "--port", fmt.Sprint(port)}
}

// Pod describes a load pod that is bound to its node, with no limits and with
// the network settings that all load shares.
func (s *Stage) Pod(name, node, end string, command []string) *corev1.Pod {
	no, now := false, int64(0)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels(name)},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &now,
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: cluster.LoadContainer, Image: s.cluster.ToolsImage(), ImagePullPolicy: corev1.PullIfNotPresent, Command: command,
			}},
		},
	}
	if end == OnHost {
		// It has its node's settings, and asks the cluster's DNS all the same.
		p.Spec.HostNetwork, p.Spec.DNSPolicy = true, corev1.DNSClusterFirstWithHostNet
	} else {
		p.Spec.SecurityContext = &corev1.PodSecurityContext{Sysctls: sysctls(s.cluster.PodSysctls())}
	}
	return s.over(p)
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
