package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// placementLabels are well-known labels of nodes that say what kind of machine
// they are and how near to each other, by what the record calls them.
var placementLabels = map[string]string{
	"placement.instance-type": "node.kubernetes.io/instance-type",
	"placement.region":        "topology.kubernetes.io/region",
	"placement.zone":          "topology.kubernetes.io/zone",
	// Where providers say more: AWS's network topology, from far to near, and
	// Google's placement of hosts.
	"placement.network-1": "topology.k8s.aws/network-node-layer-1",
	"placement.network-2": "topology.k8s.aws/network-node-layer-2",
	"placement.network-3": "topology.k8s.aws/network-node-layer-3",
	"placement.block":     "cloud.google.com/gce-topology-block",
	"placement.subblock":  "cloud.google.com/gce-topology-subblock",
	"placement.host":      "cloud.google.com/gce-topology-host",
	"placement.group":     "cloud.google.com/gke-placement-group",
	"placement.rack":      "topology.kubernetes.io/rack",
}

// alwaysAsked are the labels whose absence is worth a word: other clusters have
// none of the rest.
var alwaysAsked = []string{"placement.instance-type", "placement.region", "placement.zone"}

// Around is what the API tells of a node and of what else runs on it, as text by
// name, and why it tells nothing, by the same names.
type Around struct{ Values, Missing map[string]string }

// Around looks at the nodes of the cluster and at the pods on them that are
// neither ours nor the cluster's, nor a plugin's in one of the namespaces.
func (c *Cluster) Around(ctx context.Context, pluginNamespaces []string) (map[string]Around, error) {
	nodes, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	all := map[string]Around{}
	for _, n := range nodes.Items {
		all[n.Name] = placementOf(n)
	}
	pods, err := c.kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	for name, a := range all {
		if err != nil {
			a.Missing["foreign"] = "listing pods: " + err.Error()
			continue
		}
		maps.Copy(a.Values, foreignOn(pods.Items, name, pluginNamespaces))
	}
	return all, nil
}

// placementOf reads what a node's object says.
func placementOf(n corev1.Node) Around {
	a := Around{map[string]string{}, map[string]string{}}
	for name, label := range placementLabels {
		switch value := n.Labels[label]; {
		case value != "":
			a.Values[name] = value
		case slices.Contains(alwaysAsked, name):
			a.Missing[name] = "the node has no label " + label
		}
	}
	if provider, _, found := strings.Cut(n.Spec.ProviderID, "://"); found && provider != "" {
		a.Values["placement.provider"] = provider
		a.Values["placement.provider-id"] = n.Spec.ProviderID
	} else {
		a.Missing["placement.provider"] = "the node has no providerID"
	}
	info := n.Status.NodeInfo
	for name, value := range map[string]string{
		"node.os": info.OSImage, "node.architecture": info.Architecture, "node.kubelet": info.KubeletVersion, "node.runtime": info.ContainerRuntimeVersion,
	} {
		if a.Values[name] = value; value == "" {
			delete(a.Values, name)
			a.Missing[name] = "the node's status does not say"
		}
	}
	for name, resource := range map[string]corev1.ResourceName{"node.allocatable.cpu": corev1.ResourceCPU, "node.allocatable.pods": corev1.ResourcePods} {
		if q, has := n.Status.Allocatable[resource]; has {
			a.Values[name] = q.String()
		}
	}
	return a
}

// workload is what pods of one owner on one node have in common.
type workload struct {
	pods        int
	cpu, memory resource.Quantity // requested
}

// foreignOn names the workloads on a node that belong neither to the cluster,
// nor to a plugin, nor to us, with what their pods request together. Pods are
// called by their owners: their own names are made up anew for every pod.
func foreignOn(pods []corev1.Pod, node string, pluginNamespaces []string) map[string]string {
	ours := append([]string{metav1.NamespaceSystem, Namespace}, pluginNamespaces...)
	loads := map[string]*workload{}
	for _, p := range pods {
		done := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		owner := metav1.GetControllerOf(&p)
		static := owner != nil && owner.Kind == "Node" // the control plane
		if done || static || p.Spec.NodeName != node || slices.Contains(ours, p.Namespace) {
			continue
		}
		name := p.Namespace + "/" + ownerOf(p, owner)
		if loads[name] == nil {
			loads[name] = &workload{}
		}
		loads[name].add(p)
	}
	if len(loads) == 0 {
		return map[string]string{"foreign": "none"}
	}
	values := map[string]string{}
	for name, w := range loads {
		values["foreign."+name] = w.String()
	}
	return values
}

// ownerOf names what made a pod. The ReplicaSets of Deployments have a hash in
// their names, which a label of the pod repeats.
func ownerOf(p corev1.Pod, owner *metav1.OwnerReference) string {
	if owner == nil {
		return "Pod " + p.Name
	}
	if short, is := strings.CutSuffix(owner.Name, "-"+p.Labels["pod-template-hash"]); is && owner.Kind == "ReplicaSet" {
		return "Deployment " + short
	}
	return owner.Kind + " " + owner.Name
}

func (w *workload) add(p corev1.Pod) {
	w.pods++
	for _, c := range p.Spec.Containers {
		w.cpu.Add(c.Resources.Requests[corev1.ResourceCPU])
		w.memory.Add(c.Resources.Requests[corev1.ResourceMemory])
	}
}

func (w *workload) String() string {
	text := "1 pod"
	if w.pods != 1 {
		text = fmt.Sprintf("%d pods", w.pods)
	}
	var requests []string
	for _, r := range []struct {
		name string
		sum  resource.Quantity
	}{{"CPU", w.cpu}, {"memory", w.memory}} {
		if !r.sum.IsZero() {
			requests = append(requests, r.name+" "+r.sum.String())
		}
	}
	if len(requests) == 0 {
		return text + " without requests"
	}
	return text + ", requests " + strings.Join(requests, ", ")
}
