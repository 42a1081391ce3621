package cluster

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNodeReady(t *testing.T) {
	node := func(conditions ...corev1.NodeCondition) corev1.Node {
		return corev1.Node{Status: corev1.NodeStatus{Conditions: conditions}}
	}
	pressure := corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue, Message: "too little memory"}
	for _, tt := range []struct {
		name    string
		node    corev1.Node
		ready   bool
		message string
	}{
		{"ready", node(pressure, corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Message: "kubelet is posting"}), true, "kubelet is posting"},
		{"not ready", node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Message: "cni plugin not initialized"}), false, "cni plugin not initialized"},
		{"lost", node(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Message: "kubelet stopped posting"}), false, "kubelet stopped posting"},
		{"just registered", node(), false, "no status yet"},
		{"other conditions only", node(pressure), false, "no status yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if message, ready := nodeReady(tt.node); ready != tt.ready || message != tt.message {
				t.Errorf("ready: %t, %q; want %t, %q", ready, message, tt.ready, tt.message)
			}
		})
	}
}

func TestWhyNotRunning(t *testing.T) {
	waiting := corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no route to registry"}}}
	ended := corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}}}
	running := corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	for _, tt := range []struct {
		name   string
		status corev1.PodStatus
		want   []string
	}{
		{"new", corev1.PodStatus{Phase: corev1.PodPending}, []string{"phase Pending"}},
		{"waiting", corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{running, waiting}}, []string{"phase Pending", "ErrImagePull no route to registry"}},
		{"ended", corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{ended}}, []string{"phase Failed", "exit status 137 OOMKilled"}},
		{"evicted", corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "disk pressure"}, []string{"phase Failed", "Evicted disk pressure"}},
		{"refused", corev1.PodStatus{Phase: corev1.PodFailed, Message: "forbidden sysctl"}, []string{"phase Failed", "forbidden sysctl"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Split(whyNotRunning(&corev1.Pod{Status: tt.status}), ", ")
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPodFrom(t *testing.T) {
	got := podFrom(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p", UID: "u"},
		Spec:       corev1.PodSpec{NodeName: "node1", HostNetwork: true},
		Status:     corev1.PodStatus{PodIP: "10.244.0.2", QOSClass: corev1.PodQOSBestEffort},
	})
	want := Pod{Namespace: "n", Name: "p", UID: "u", Node: "node1", IP: "10.244.0.2", QOS: "BestEffort", HostNetwork: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
}

func TestExitError(t *testing.T) {
	err := fmt.Errorf("on node1: %w", &ExitError{Argv: []string{"ip", "route show"}, Code: 2})
	if got, want := err.Error(), `on node1: ["ip" "route show"]: exit status 2`; got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 2 {
		t.Errorf("the status is lost: %+v", exit)
	}
}

func TestConnectRefusesWhatIsNoKubeconfig(t *testing.T) {
	for _, text := range []string{"", "]", "apiVersion: v1\nkind: Config\n"} {
		if _, err := Connect([]byte(text), nil); err == nil || !strings.Contains(err.Error(), "reading kubeconfig") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
