package examination

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/doctor"
)

func TestDropLines(t *testing.T) {
	for line, want := range map[string]bool{
		`level=warning msg="xx drop (Policy denied) flow 0x0"`: true,
		"DROP from 10.0.0.1 to 10.0.0.2":                       true,
		"dropping packet with a bad checksum":                  true,
		"3 packets were dropped":                               true,
		"Deleting iptables rule: -A FORWARD -j ACCEPT":         false,
		"dropped privileges":                                   false,
		"raindrops":                                            false,
		"":                                                     false,
	} {
		if got := len(DropLines(line)) == 1; got != want {
			t.Errorf("%q speaks of drops: %t, want %t", line, got, want)
		}
	}
}

func TestPolicies(t *testing.T) {
	policy := func(selector map[string]string, types ...networkingv1.PolicyType) networkingv1.NetworkPolicy {
		return networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: "cnibench", Name: "p"},
			Spec:       networkingv1.NetworkPolicySpec{PodSelector: metav1.LabelSelector{MatchLabels: selector}, PolicyTypes: types},
		}
	}
	for _, tt := range []struct {
		name            string
		policy          networkingv1.NetworkPolicy
		selects         bool
		ingress, egress bool
	}{
		{"everything", policy(nil, "Ingress", "Egress"), true, true, true},
		{"without types", policy(nil), true, true, false},
		{"servers", policy(map[string]string{"app": "server"}, "Egress"), true, false, true},
		{"somebody else", policy(map[string]string{"app": "web"}), false, true, false},
	} {
		got := policyOf(tt.policy)
		if selects := selectsLoad(tt.policy.Spec.PodSelector); selects != tt.selects || got.Ingress != tt.ingress || got.Egress != tt.egress {
			t.Errorf("%s: it selects load pods: %t, %+v", tt.name, selects, got)
		}
	}
	raw := `{"items": [{"metadata": {"name": "deny"}, "spec": {"ingressDeny": [{}]}}, {"metadata": {"name": "host"}, "spec": {"nodeSelector": {}}}]}`
	want := []doctor.Policy{{Kind: "K", Name: "deny", Ingress: true}, {Kind: "K", Name: "host"}}
	if diff := cmp.Diff(want, parsePolicies("K", []byte(raw))); diff != "" {
		t.Errorf("policies of a plugin (-want +got):\n%s", diff)
	}
	if got := parsePolicies("K", []byte("]")); got != nil {
		t.Errorf("what is no JSON has %+v", got)
	}
}

func TestSettings(t *testing.T) {
	if got := flannelBackend(`{"Network": "10.244.0.0/16", "Backend": {"Type": "host-gw"}}`); got != "host-gw" {
		t.Errorf("backend %q", got)
	}
	for _, text := range []string{"", "]", "[]"} {
		if got := flannelBackend(text); got != "" {
			t.Errorf("%q has the backend %q", text, got)
		}
	}
	got := specs([]byte(`{"items": [{"spec": {"ipipMode": "Always", "bpfEnabled": true, "blockSize": 26}}, {"spec": {"ipipMode": "Never"}}]}`))
	if diff := cmp.Diff(map[string]string{"ipipMode": "Always", "bpfEnabled": "true"}, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestPodOf(t *testing.T) {
	ended := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-flannel", Name: "f", Labels: map[string]string{"app": "flannel"}},
		Spec:       corev1.PodSpec{NodeName: "node1", Containers: []corev1.Container{{Name: "c"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "c", RestartCount: 2, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137, FinishedAt: ended}},
		}}},
	}
	e := &examiner{present: cni.Present{Agents: []cni.AgentPods{{Namespace: "kube-flannel", Selector: "app=flannel"}}}}
	want := doctor.Pod{
		Namespace: "kube-flannel", Name: "f", Node: "node1", Agent: true, State: "phase Running, c: CrashLoopBackOff",
		Restarts: 2, LastRestart: ended.Time, LastReason: "OOMKilled (exit status 137)",
	}
	if diff := cmp.Diff(want, e.podOf(p)); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
	p.Status.Phase = corev1.PodSucceeded
	if got := e.podOf(p); got.Agent {
		t.Error("an agent that has ended counts as one")
	}
}

func TestNodeOf(t *testing.T) {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"node-role.kubernetes.io/control-plane": ""}},
		Status: corev1.NodeStatus{
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "192.0.2.1"}, {Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
			Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Message: "fine"}, {Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue},
				{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse},
			},
		},
	}
	got := nodeOf(n)
	if got.Worker || !got.Ready || got.Address != "10.0.0.1" || !cmp.Equal(got.Pressures, []string{"MemoryPressure"}) || got.CPUs != 0 {
		t.Errorf("%+v", got)
	}
}
