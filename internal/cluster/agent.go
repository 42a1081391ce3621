package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Namespace holds everything that cnibench creates in a cluster, besides
	// network plugins.
	Namespace = "cnibench"
	// ToolsImage has cnibench-probe, the load generators and what looks at
	// nodes. Labs have it; elsewhere it is the default.
	ToolsImage = "docker.io/cnibench/tools:lab"
	// ManagedBy is the label of every object that cnibench creates, with
	// Manager as its value.
	ManagedBy = "app.kubernetes.io/managed-by"
	// Manager is the value of ManagedBy.
	Manager = "cnibench"

	agentName    = "node-agent"
	agentRoot    = "/host"         // where agents see their node's files
	agentTimeout = 3 * time.Minute // a slow registry is waited for
)

// Labels are those of every object of ours: managed-by, and what it is.
func Labels(component string) map[string]string {
	return map[string]string{ManagedBy: Manager, "app.kubernetes.io/component": component}
}

// newNamespace describes the namespace. Load pods and agents are privileged.
func newNamespace() *corev1.Namespace {
	labels := Labels("namespace")
	labels["pod-security.kubernetes.io/enforce"] = "privileged"
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: labels}}
}

// agentSet is the DaemonSet whose pods are our hands and eyes on nodes. They
// use the host's network, so that they run where no plugin does. They are
// privileged because they enter the node's own namespaces, which makes them
// root there by whatever name (docs/clusters.md says what for); everything
// else that a pod gets by default, they do without.
func agentSet(image string, nodes []string) *appsv1.DaemonSet {
	yes, no, now := true, false, int64(0)
	labels := Labels(agentName)
	propagate := corev1.MountPropagationHostToContainer
	host := func(name, path string) corev1.Volume {
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}}}
	}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: agentName, Namespace: Namespace, Labels: labels},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					HostNetwork: true, HostPID: true,
					Affinity:                      OnlyOn(nodes...),
					Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
					TerminationGracePeriodSeconds: &now,
					AutomountServiceAccountToken:  &no,
					EnableServiceLinks:            &no,
					Containers: []corev1.Container{{
						Name: "agent", Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
						Command:         []string{"cnibench-probe", "pause"},
						SecurityContext: &corev1.SecurityContext{Privileged: &yes, ReadOnlyRootFilesystem: &yes},
						VolumeMounts: []corev1.VolumeMount{
							{Name: "host", MountPath: agentRoot, MountPropagation: &propagate},
							{Name: "cgroup", MountPath: "/sys/fs/cgroup", ReadOnly: true},
						},
					}},
					Volumes: []corev1.Volume{host("host", "/"), host("cgroup", "/sys/fs/cgroup")},
				},
			},
		},
	}
}

// OnlyOn lets the scheduler bring pods to these nodes alone. The API takes one
// name per term, and terms are alternatives.
func OnlyOn(nodes ...string) *corev1.Affinity {
	var terms []corev1.NodeSelectorTerm
	for _, n := range nodes {
		terms = append(terms, corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{n}},
		}})
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
}

// startAgents makes an agent run on each of the nodes and returns them by
// node. One that a crashed run left is replaced: it may be another image.
func (c *Cluster) startAgents(ctx context.Context, image string, nodes []string) (map[string]Pod, error) {
	if _, err := c.EnsureNamespace(ctx); err != nil {
		return nil, err
	}
	if err := c.removeAgents(ctx); err != nil {
		return nil, err
	}
	sets := c.kube.AppsV1().DaemonSets(Namespace)
	if _, err := sets.Create(ctx, agentSet(image, nodes), metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("creating the node agents: %w", err)
	}
	agents := map[string]Pod{}
	err := Until(ctx, agentTimeout, "an agent on each node", func(ctx context.Context) error {
		list, err := c.kube.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: selectorOf(agentName)})
		if err != nil {
			return err
		}
		clear(agents)
		var waiting []string
		for i := range list.Items {
			p := &list.Items[i]
			if p.Status.Phase == corev1.PodRunning {
				agents[p.Spec.NodeName] = podFrom(p)
				continue
			}
			waiting = append(waiting, p.Spec.NodeName+": "+whyNotRunning(p))
		}
		for _, n := range nodes {
			if _, runs := agents[n]; !runs {
				slices.Sort(waiting)
				return fmt.Errorf("%d of %d run: %s", len(agents), len(nodes), strings.Join(waiting, "; "))
			}
		}
		return nil
	})
	if err != nil {
		return nil, &agentError{fmt.Errorf("%w%s", err, c.agentWarning(ctx)), image}
	}
	return agents, nil
}

// agentError says that agents did not come up, most often for want of their
// image.
type agentError struct {
	error
	image string
}

func (e *agentError) Unwrap() error { return e.error }

// Hint says how nodes get the image.
func (e *agentError) Hint() string {
	return "nodes must be able to pull " + e.image + ", or have it: see `cnibench image --help`, and tools.image in the campaign"
}

// agentWarning quotes the newest warning about an agent or their DaemonSet.
func (c *Cluster) agentWarning(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventTimeout)
	defer cancel()
	events, err := c.kube.CoreV1().Events(Namespace).List(ctx, metav1.ListOptions{FieldSelector: "type=Warning"})
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(events.Items) {
		if strings.HasPrefix(e.InvolvedObject.Name, agentName) {
			return "; last warning: " + e.Message
		}
	}
	return ""
}

// EnsureNamespace makes the namespace unless an administrator or an earlier
// call has, and waits until it has its account, without which pods are
// refused. It tells whether it made it.
func (c *Cluster) EnsureNamespace(ctx context.Context) (made bool, err error) {
	if there, err := c.namespaceExists(ctx); err != nil || !there {
		_, err := c.kube.CoreV1().Namespaces().Create(ctx, newNamespace(), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return false, fmt.Errorf("creating namespace %s: %w", Namespace, err)
		}
		made = err == nil
	}
	return made, Until(ctx, agentTimeout, "the default service account of "+Namespace, func(ctx context.Context) error {
		_, err := c.kube.CoreV1().ServiceAccounts(Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// removeAgents ends the agents and waits until they are gone.
func (c *Cluster) removeAgents(ctx context.Context) error {
	err := c.kube.AppsV1().DaemonSets(Namespace).Delete(ctx, agentName, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing the node agents: %w", err)
	}
	return Until(ctx, agentTimeout, "the node agents to end", func(ctx context.Context) error {
		list, err := c.kube.CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: selectorOf(agentName)})
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d still run", len(list.Items))
		}
		return err
	})
}

func selectorOf(component string) string {
	return ManagedBy + "=" + Manager + ",app.kubernetes.io/component=" + component
}
