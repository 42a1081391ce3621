//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

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
	foreign, err := cluster.Decode([]byte("{apiVersion: v1, kind: Service, metadata: {name: scaling-last, namespace: " + stage.Namespace + "}, spec: {ports: [{port: 80}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Cluster.Apply(t.Context(), foreign); err != nil {
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
	for _, name := range []string{"scaling-1", "scaling-20", "scaling-last"} {
		left, err := b.Cluster.Exists(t.Context(), cluster.Object{APIVersion: "v1", Kind: "Service", Namespace: stage.Namespace, Name: name})
		if err != nil || left {
			t.Errorf("the service %s is left: %t, %v", name, left, err)
		}
	}
}

// podNames are those of all pods in the load's namespace that run, or are about
// to end.
func podNames(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	pods, err := c.Pods(t.Context(), stage.Namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}
