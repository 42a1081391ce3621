package stage

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// A crowd is there when every member runs, and each time is that of the first
// event that told of it.
func TestRollCall(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	members := []CrowdPod{{Name: "a"}, {Name: "b"}}
	var told []string
	r := newRollCall(members, func(m CrowdPod) { told = append(told, m.Name+" at "+m.Pod.IP) })
	for _, step := range []struct {
		change cluster.PodChange
		done   bool
	}{
		{cluster.PodChange{At: at(1), Pod: cluster.Pod{Name: "a"}}, false},
		{cluster.PodChange{At: at(2), Pod: cluster.Pod{Name: "a"}, Bound: true}, false},
		{cluster.PodChange{At: at(3), Pod: cluster.Pod{Name: "somebody"}, Bound: true, Ended: true}, false},
		{cluster.PodChange{At: at(4), Pod: cluster.Pod{Name: "a", IP: "10.0.0.1"}, Bound: true, Running: true}, false},
		{cluster.PodChange{At: at(5), Pod: cluster.Pod{Name: "a", IP: "10.0.0.1"}, Bound: true, Running: true}, false},
		{cluster.PodChange{At: at(6), Pod: cluster.Pod{Name: "b", IP: "10.0.0.2"}, Bound: true, Running: true}, true},
	} {
		if done, err := r.note(step.change); done != step.done || err != nil {
			t.Fatalf("%+v: %t, %v", step.change, done, err)
		}
	}
	if got, want := strings.Join(told, ", "), "a at 10.0.0.1, b at 10.0.0.2"; got != want {
		t.Errorf("told of %s, want %s", got, want)
	}
	if a := members[0]; a.Bound != at(2) || a.Running != at(4) {
		t.Errorf("%+v", a)
	}
	if b := members[1]; b.Bound != at(6) || b.Running != at(6) {
		t.Errorf("%+v", b)
	}
	ended := cluster.PodChange{At: at(7), Pod: cluster.Pod{Name: "b"}, Ended: true, Why: "OutOfpods"}
	if _, err := r.note(ended); err == nil || !strings.Contains(err.Error(), "pod b ended: OutOfpods") {
		t.Errorf("a pod that its node refused: %v", err)
	}
}

// Pods that the scheduler is to place can go to their node only; those in the
// host's network have a port of their own.
func TestCrowdPod(t *testing.T) {
	s := &Stage{cluster: &cluster.Cluster{Machines: fakeMachines{}}, entry: cni.Entry{}}
	bound := s.crowdPod(CrowdPod{Name: "c-1", Port: 7007}, "node2", "c", false)
	placed := s.crowdPod(CrowdPod{Name: "c-2", Port: 20001}, "node2", "c", true)
	if bound.Spec.NodeName != "node2" || bound.Spec.Affinity != nil || bound.Labels[crowdLabel] != "c" || bound.Labels[cluster.ManagedBy] != cluster.Manager {
		t.Errorf("%+v", bound)
	}
	terms := placed.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if placed.Spec.NodeName != "" || len(terms) != 1 || terms[0].MatchFields[0].Values[0] != "node2" {
		t.Errorf("%+v", placed.Spec)
	}
	if argv := placed.Spec.Containers[0].Command; argv[len(argv)-1] != "20001" {
		t.Errorf("it runs %q", argv)
	}
	if *placed.Spec.AutomountServiceAccountToken || *placed.Spec.EnableServiceLinks || placed.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("%+v is not light", placed.Spec)
	}
}

func TestCrowdString(t *testing.T) {
	c := Crowd{Members: []CrowdPod{{Pod: cluster.Pod{Node: "node2"}}, {Pod: cluster.Pod{Node: "node1"}}, {Pod: cluster.Pod{Node: "node2"}}}}
	if got, want := c.String(), "1 on node1, 2 on node2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Memory of a crowd that has shrunk is not that of the crowd.
func TestLostOf(t *testing.T) {
	ran := time.UnixMilli(1)
	member := func(name string, running time.Time) CrowdPod {
		return CrowdPod{Name: name, Running: running, Pod: cluster.Pod{Name: name, UID: "uid-" + name}}
	}
	members := []CrowdPod{member("a", ran), member("b", ran), member("c", ran), member("never", time.Time{})}
	for want, there := range map[string][]string{
		"": {"a", "b", "c"}, "b": {"a", "c"}, "a and 2 more of its crowd": nil,
	} {
		var pods []cluster.Pod
		for _, name := range there {
			pods = append(pods, cluster.Pod{Name: name, UID: "uid-" + name})
		}
		if got := strings.Join(lostOf(members, pods), ", "); got != want {
			t.Errorf("of those there are %v: %q, want %q", there, got, want)
		}
	}
}
