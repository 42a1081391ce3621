package cluster

import (
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func networkPolicy(name string, labels map[string]string) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels}}
}

// Policies of others in our namespace are none of our business.
func TestRemovePolicies(t *testing.T) {
	foreign := networkPolicy("theirs", map[string]string{"app": "x"})
	c := &Cluster{kube: fake.NewClientset(foreign)}
	var ours []*networkingv1.NetworkPolicy
	for _, name := range strings.Fields("a b c d e f g h i j k l") {
		ours = append(ours, networkPolicy(name, Labels(PolicyComponent)))
	}
	if err := c.CreatePolicies(t.Context(), ours); err != nil {
		t.Fatal(err)
	}
	if n, err := c.CountPolicies(t.Context()); n != len(ours) || err != nil {
		t.Errorf("there are %d policies, %v", n, err)
	}
	if n, err := c.RemovePolicies(t.Context()); n != len(ours) || err != nil {
		t.Errorf("removed %d policies, %v", n, err)
	}
	left, err := c.kube.NetworkingV1().NetworkPolicies(Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(left.Items) != 1 || left.Items[0].Name != "theirs" {
		t.Errorf("left: %v, %v", left.Items, err)
	}
}

func TestCreatePoliciesStopsAtAFailure(t *testing.T) {
	c := &Cluster{kube: fake.NewClientset(networkPolicy("a", nil))}
	err := c.CreatePolicies(t.Context(), []*networkingv1.NetworkPolicy{networkPolicy("a", nil), networkPolicy("b", nil)})
	if err == nil || !strings.Contains(err.Error(), "network policy a") {
		t.Errorf("error %v, want one that names the policy", err)
	}
}
