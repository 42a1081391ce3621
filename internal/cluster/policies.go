package cluster

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyComponent is the component label of NetworkPolicies.
const PolicyComponent = "policy"

// policyCalls is how many policies are created or deleted at once: enough to
// hide the way to a distant API server, few enough for it to bear.
const policyCalls = 8

// CreatePolicies creates NetworkPolicies and returns when the API has them all.
func (c *Cluster) CreatePolicies(ctx context.Context, policies []*networkingv1.NetworkPolicy) error {
	return AtOnce(policyCalls, len(policies), func(i int) error {
		p := policies[i]
		_, err := c.kube.NetworkingV1().NetworkPolicies(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating network policy %s: %w", p.Name, err)
		}
		return nil
	})
}

// RemovePolicy deletes one NetworkPolicy in our namespace.
func (c *Cluster) RemovePolicy(ctx context.Context, name string) error {
	err := c.kube.NetworkingV1().NetworkPolicies(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing network policy %s: %w", name, err)
	}
	return nil
}

// RemovePolicies deletes the NetworkPolicies of ours in our namespace and
// returns how many there were.
func (c *Cluster) RemovePolicies(ctx context.Context) (int, error) {
	list, err := c.kube.NetworkingV1().NetworkPolicies(Namespace).List(ctx, metav1.ListOptions{LabelSelector: ManagedBy + "=" + Manager})
	if err != nil {
		return 0, fmt.Errorf("listing network policies: %w", err)
	}
	return len(list.Items), AtOnce(policyCalls, len(list.Items), func(i int) error {
		return c.RemovePolicy(ctx, list.Items[i].Name)
	})
}

// CountPolicies returns how many NetworkPolicies of ours the API has.
func (c *Cluster) CountPolicies(ctx context.Context) (int, error) {
	list, err := c.kube.NetworkingV1().NetworkPolicies(Namespace).List(ctx, metav1.ListOptions{LabelSelector: ManagedBy + "=" + Manager})
	if err != nil {
		return 0, fmt.Errorf("listing network policies: %w", err)
	}
	return len(list.Items), nil
}
