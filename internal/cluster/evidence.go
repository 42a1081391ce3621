package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Collect implements Machines: events, and the logs of pods of ours and of the
// plugins.
func (m *existingMachines) Collect(ctx context.Context, dir string) error {
	return errors.Join(m.cluster.collectEvents(ctx, dir), m.cluster.collectLogs(ctx, dir, append([]string{Namespace}, m.options.PluginNamespaces...)))
}

// collectEvents writes the cluster's events, oldest first, one a line.
func (c *Cluster) collectEvents(ctx context.Context, dir string) error {
	list, err := c.kube.CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("collecting events: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Event) int { return lastSeen(a).Compare(lastSeen(b)) })
	var text bytes.Buffer
	for _, e := range list.Items {
		fmt.Fprintf(&text, "%s %s %s %s/%s: %s: %s\n", lastSeen(e).UTC().Format(time.RFC3339), e.Type, e.InvolvedObject.Kind,
			e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Reason, e.Message)
	}
	return os.WriteFile(filepath.Join(dir, "events.txt"), text.Bytes(), 0o644)
}

func lastSeen(e corev1.Event) time.Time {
	if !e.LastTimestamp.IsZero() {
		return e.LastTimestamp.Time
	}
	return e.EventTime.Time
}

// logLines is how much of a container's log is kept.
const logLines = int64(2000)

// collectLogs writes what the containers of some namespaces said, also those
// that were restarted.
func (c *Cluster) collectLogs(ctx context.Context, dir string, namespaces []string) error {
	var errs []error
	for _, namespace := range namespaces {
		pods, err := c.kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			errs = append(errs, fmt.Errorf("collecting logs: %w", err))
			continue
		}
		for _, p := range pods.Items {
			for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
				errs = append(errs, c.collectLog(ctx, dir, p, s.Name, false))
				if s.RestartCount > 0 {
					errs = append(errs, c.collectLog(ctx, dir, p, s.Name, true))
				}
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Cluster) collectLog(ctx context.Context, dir string, p corev1.Pod, container string, previous bool) error {
	lines := logLines
	log, err := c.kube.CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{
		Container: container, Previous: previous, TailLines: &lines, Timestamps: true,
	}).DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("collecting the log of %s/%s: %w", p.Namespace, p.Name, err)
	}
	name := p.Namespace + "-" + p.Name + "-" + container
	if previous {
		name += "-before"
	}
	return os.WriteFile(filepath.Join(dir, name+".log"), log, 0o644)
}
