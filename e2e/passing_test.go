//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stage"
)

// What one trial alone needs is gone before the next one: its load pods, also
// after an interrupt, and the Services of one that failed.
func TestScenariosEndWithTheirTrial(t *testing.T) {
	leavesNothing(t)
	const name = "e2e-passing"
	downAtEnd(t, name)
	mustRun(t, "lab", "up", name, "--nodes", "2")
	c, entry, s := newStage(t, name, "flannel-vxlan")
	if _, err := s.Pair(t.Context(), stage.Ends{Placement: stage.CrossNode}); err != nil {
		t.Fatal(err)
	}
	b := &stage.Bench{Cluster: c, Entry: entry, Stage: s, Raw: t.TempDir()}
	stay := podNames(t, c)
	short := parameter.Values{"duration": "1s", "omit": "0s"}

	measure(t, b, "mesh", short)
	if with := podNames(t, c); !strings.Contains(with, "fleet-") {
		t.Errorf("a mesh has the pods %s", with)
	}
	if err := s.Dismiss(t.Context()); err != nil {
		t.Error(err)
	}
	if left := podNames(t, c); left != stay {
		t.Errorf("after the trial there are %s, before there were %s", left, stay)
	}

	measure(t, b, "fan-in", parameter.Values{"clients": "2", "duration": "1s", "omit": "0s"})
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := s.Dismiss(interrupted); err != nil {
		t.Error(err)
	}
	err := cluster.Until(t.Context(), stage.PodTimeout, "the pods of an interrupted trial to be gone", func(context.Context) error {
		if left := podNames(t, c); left != stay {
			return &stage.InvalidError{Reason: left}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	failServiceScaling(t, b)
}

// failServiceScaling puts a Service in the way of the one that a trial makes
// last.
func failServiceScaling(t *testing.T, b *stage.Bench) {
	t.Helper()
	services := b.Cluster.Kube().CoreV1().Services(stage.Namespace)
	foreign := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "scaling-last"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	if _, err := services.Create(t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Find("service-scaling")
	if err != nil {
		t.Fatal(err)
	}
	values := parameter.Values{}
	for _, p := range sc.Parameters {
		values[p.Name] = p.Defaults()[0]
	}
	values["services"], values["duration"] = "20", "1s"
	begun := time.Now()
	_, err = sc.Measure(t.Context(), b, plan.Cell{ID: sc.Name, Scenario: sc.Name, Parameters: values})
	if err == nil || !strings.Contains(err.Error(), "scaling-last") || strings.Contains(err.Error(), "waiting until the cluster has forgotten") {
		t.Errorf("with a Service in its way: %v", err)
	}
	t.Logf("failed and forgotten after %s", time.Since(begun))
	left, err := services.List(t.Context(), metav1.ListOptions{LabelSelector: "app=service-set"})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("%d Services are left, %v", len(left.Items), err)
	}
}

// podNames are those of all pods in the load's namespace, also of those that
// are about to end.
func podNames(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	list, err := c.Kube().CoreV1().Pods(stage.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list.Items {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}
