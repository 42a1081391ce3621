package cni

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/cnibench/cnibench/internal/cluster"
)

// How much an error quotes. All of it is in the directory of the evidence.
const (
	quotedPods   = 3
	quotedEvents = 2
	quotedLines  = 3
	// evidenceTimeout bounds what only adds to an error.
	evidenceTimeout = 30 * time.Second
)

// UnreadyError says that a plugin did not get ready, and what its pods say.
type UnreadyError struct {
	Cause    error
	Pods     []string // of each that is not ready: its state, last warnings and last log lines
	Evidence string   // directory; empty: none
}

func (e *UnreadyError) Error() string {
	s := e.Cause.Error()
	for _, p := range e.Pods {
		s += "\n  " + strings.ReplaceAll(p, "\n", "\n    ")
	}
	return s
}

func (e *UnreadyError) Unwrap() error { return e.Cause }

// Hint says where all of it is.
func (e *UnreadyError) Hint() string {
	if e.Evidence == "" {
		return "`cnibench variants remove` removes what was installed"
	}
	return "events, logs and objects are in " + e.Evidence + "; `cnibench variants remove` removes what was installed"
}

// unready adds to an error what explains it.
func unready(ctx context.Context, c *cluster.Cluster, inv Inventory, dir string, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, evidenceTimeout)
	defer cancel()
	e := &UnreadyError{Cause: cause}
	pods, err := unreadyPods(ctx, c, inv)
	for _, p := range pods[:min(quotedPods, len(pods))] {
		e.Pods = append(e.Pods, quote(ctx, c, p))
	}
	if len(pods) == 0 && err == nil {
		e.Pods = []string{"none of its pods is unready"}
	}
	if dir != "" {
		e.Evidence = dir
		err = errors.Join(err, keep(ctx, c, inv, dir))
	}
	if err != nil {
		e.Pods = append(e.Pods, "not all evidence could be had: "+err.Error())
	}
	return e
}

func unreadyPods(ctx context.Context, c *cluster.Cluster, inv Inventory) ([]corev1.Pod, error) {
	var unready []corev1.Pod
	var errs []error
	for _, s := range inv.Pods {
		list, err := c.Kube().CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: s.Selector})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, p := range list.Items {
			known := slices.ContainsFunc(unready, func(other corev1.Pod) bool { return other.UID == p.UID })
			if !known && !podReady(p) {
				unready = append(unready, p)
			}
		}
	}
	return unready, errors.Join(errs...)
}

func podReady(p corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(one corev1.PodCondition) bool {
		return one.Type == corev1.PodReady && one.Status == corev1.ConditionTrue
	})
}

// quote says in a few lines what is wrong with a pod.
func quote(ctx context.Context, c *cluster.Cluster, p corev1.Pod) string {
	lines := []string{fmt.Sprintf("pod %s/%s on %s: %s", p.Namespace, p.Name, p.Spec.NodeName, p.Status.Phase)}
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if s.Ready || s.State.Terminated != nil && s.State.Terminated.ExitCode == 0 {
			continue
		}
		lines = append(lines, "container "+s.Name+": "+stateOf(s))
		for _, line := range lastLines(ctx, c, p, s) {
			lines = append(lines, "  log: "+line)
		}
	}
	events, err := c.Kube().CoreV1().Events(p.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + p.Name + ",type=Warning",
	})
	if err == nil {
		for _, e := range events.Items[max(0, len(events.Items)-quotedEvents):] {
			lines = append(lines, "event: "+e.Reason+": "+e.Message)
		}
	}
	return strings.Join(lines, "\n")
}

func stateOf(s corev1.ContainerStatus) string {
	switch {
	case s.State.Waiting != nil:
		return strings.TrimSpace(s.State.Waiting.Reason + " " + s.State.Waiting.Message)
	case s.State.Terminated != nil:
		return fmt.Sprintf("ended with %d %s", s.State.Terminated.ExitCode, s.State.Terminated.Reason)
	}
	return "runs and is not ready"
}

// lastLines quotes a container's log, or that of the container before it if
// this one has not begun.
func lastLines(ctx context.Context, c *cluster.Cluster, p corev1.Pod, s corev1.ContainerStatus) []string {
	lines := int64(quotedLines)
	log, err := c.Kube().CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{
		Container: s.Name, TailLines: &lines, Previous: s.State.Waiting != nil && s.RestartCount > 0,
	}).DoRaw(ctx)
	text := strings.TrimSpace(string(log))
	if err != nil || text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// keep writes all of the evidence: objects, events, logs and what the cluster's
// provider has.
func keep(ctx context.Context, c *cluster.Cluster, inv Inventory, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var namespaces []string
	for _, s := range inv.Pods {
		namespaces = union(namespaces, []string{s.Namespace})
	}
	errs := []error{c.CollectNamespaces(ctx, dir, namespaces), c.Collect(ctx, dir)}
	for _, namespace := range namespaces {
		list, err := c.Kube().CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err == nil {
			err = writeYAML(filepath.Join(dir, namespace+"-pods.yaml"), list)
		}
		errs = append(errs, err)
	}
	nodes, err := c.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err == nil {
		err = writeYAML(filepath.Join(dir, "nodes.yaml"), nodes)
	}
	return errors.Join(append(errs, err)...)
}

func writeYAML(file string, v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}
