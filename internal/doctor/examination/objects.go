package examination

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/doctor"
)

// objects reads what the API has of pods, the plugin, policies and Services.
func (e *examiner) objects() {
	ctx, cancel := e.within()
	defer cancel()
	e.plugin(ctx)
	list, err := e.Cluster.Kube().CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		e.miss(doctor.PartPods, err)
	} else {
		e.pods = list.Items
		for _, p := range e.pods {
			if pod := e.podOf(p); pod.Agent || pod.System || pod.Foreign {
				e.snapshot.Pods = append(e.snapshot.Pods, pod)
			}
		}
		e.readLogs(ctx)
	}
	e.policies(ctx)
	e.services(ctx)
}

// plugin recognises the plugin and finds what the catalog says of it.
func (e *examiner) plugin(ctx context.Context) {
	var err error
	if e.present, err = e.Catalog.Identify(ctx, e.Cluster); err != nil {
		e.miss(doctor.PartPlugin, err)
		return
	}
	p := e.present
	e.snapshot.Plugin = doctor.Plugin{Title: p.Plugin, Version: p.Version, DaemonSet: p.DaemonSet, Settings: e.settings(ctx)}
	for _, name := range e.Catalog.Names() {
		if entry, err := e.Catalog.Entry(name, cni.Choice{}); err == nil && entry.Plugin.Title == p.Plugin && !entry.None() {
			e.entry = entry
			break
		}
	}
	e.entry.Agents = p.Agents
}

// podOf judges whose a pod is.
func (e *examiner) podOf(p corev1.Pod) doctor.Pod {
	pod := doctor.Pod{Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName}
	done := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	pod.Agent = e.isAgent(p) && !done // its set replaces one that has ended
	pod.System = p.Namespace == metav1.NamespaceSystem && !done
	pod.Foreign = !done && !pod.System && !pod.Agent && e.isForeign(p)
	pod.Ready, pod.State = readiness(p)
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		pod.Restarts += int(s.RestartCount)
		if last := s.LastTerminationState.Terminated; last != nil && last.FinishedAt.After(pod.LastRestart) {
			pod.LastRestart, pod.LastReason = last.FinishedAt.Time, fmt.Sprintf("%s (exit status %d)", last.Reason, last.ExitCode)
		}
	}
	for _, c := range p.Spec.Containers {
		if limit, has := c.Resources.Limits[corev1.ResourceCPU]; has {
			pod.CPULimit = c.Name + ": " + limit.String()
		}
	}
	return pod
}

func (e *examiner) isAgent(p corev1.Pod) bool {
	return slices.ContainsFunc(e.present.Agents, func(a cni.AgentPods) bool {
		selector, err := labels.Parse(a.Selector)
		return err == nil && a.Namespace == p.Namespace && selector.Matches(labels.Set(p.Labels))
	})
}

// isForeign follows what `cnibench run` refuses: pods on the nodes that carry
// load that belong neither to the cluster, nor to a plugin, nor to us, and are
// not on all nodes alike.
func (e *examiner) isForeign(p corev1.Pod) bool {
	owner := metav1.GetControllerOf(&p)
	alike := owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node")
	return !alike && slices.Contains(loadNodes(e.Cluster), p.Spec.NodeName) && !slices.Contains(e.ours(), p.Namespace)
}

// ours are the namespaces whose pods are not foreign.
func (e *examiner) ours() []string {
	all := []string{metav1.NamespaceSystem, cluster.Namespace}
	for _, name := range e.Catalog.Names() {
		if entry, err := e.Catalog.Entry(name, cni.Choice{}); err == nil && entry.Install.Namespace != "" {
			all = append(all, entry.Install.Namespace)
		}
	}
	return all
}

// readiness says whether a pod is ready, or why not.
func readiness(p corev1.Pod) (ready bool, why string) {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return true, ""
		}
	}
	reasons := []string{"phase " + string(p.Status.Phase)}
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil {
			reasons = append(reasons, strings.TrimSpace(s.Name+": "+w.Reason+" "+w.Message))
		} else if s.State.Running != nil && !s.Ready {
			reasons = append(reasons, s.Name+" runs and is not ready")
		}
	}
	return false, strings.Join(reasons, ", ")
}

// services reads which endpoints Services with a selector have. Of the API's
// slices several belong to one Service.
func (e *examiner) services(ctx context.Context) {
	kube := e.Cluster.Kube()
	list, err := kube.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		e.miss(doctor.PartServices, err)
		return
	}
	slicesOf, err := kube.DiscoveryV1().EndpointSlices(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		e.miss(doctor.PartServices, err)
		return
	}
	for _, s := range list.Items {
		ours := s.Labels[cluster.ManagedBy] == cluster.Manager
		if len(s.Spec.Selector) == 0 || s.DeletionTimestamp != nil || ours {
			continue // somebody else keeps its endpoints
		}
		service := doctor.Service{Namespace: s.Namespace, Name: s.Name}
		for _, slice := range slicesOf.Items {
			if slice.Namespace != s.Namespace || slice.Labels["kubernetes.io/service-name"] != s.Name {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
					service.Ready++
				} else {
					service.NotReady++
				}
			}
		}
		e.snapshot.Services = append(e.snapshot.Services, service)
	}
}
