package cluster

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A pod runs when the API says so and tells its address.
func TestChangeOf(t *testing.T) {
	pod := func(node string, phase corev1.PodPhase, ip string) *corev1.Pod {
		return &corev1.Pod{Spec: corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{Phase: phase, PodIP: ip}}
	}
	now := time.Now()
	for _, tt := range []struct {
		name                  string
		event                 watch.Event
		bound, running, ended bool
	}{
		{"new", watch.Event{Type: watch.Added, Object: pod("", corev1.PodPending, "")}, false, false, false},
		{"with a node", watch.Event{Type: watch.Modified, Object: pod("node1", corev1.PodPending, "")}, true, false, false},
		{"with an address, not running", watch.Event{Type: watch.Modified, Object: pod("node1", corev1.PodPending, "10.0.0.1")}, true, false, false},
		{"running without an address", watch.Event{Type: watch.Modified, Object: pod("node1", corev1.PodRunning, "")}, true, false, false},
		{"running", watch.Event{Type: watch.Modified, Object: pod("node1", corev1.PodRunning, "10.0.0.1")}, true, true, false},
		{"refused by its node", watch.Event{Type: watch.Modified, Object: pod("node1", corev1.PodFailed, "")}, true, false, true},
		{"deleted while it ran", watch.Event{Type: watch.Deleted, Object: pod("node1", corev1.PodRunning, "10.0.0.1")}, true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := changeOf(tt.event, now)
			if !ok || c.Bound != tt.bound || c.Running != tt.running || c.Ended != tt.ended || c.At != now {
				t.Errorf("%+v, %t", c, ok)
			}
			if (c.Why == "") != tt.running {
				t.Errorf("it says %q of a pod that runs: %t", c.Why, tt.running)
			}
		})
	}
	if c, ok := changeOf(watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired}}, now); ok {
		t.Errorf("an error is read as %+v", c)
	}
}
