package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

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
	return atOnce(policyCalls, policies, func(p *networkingv1.NetworkPolicy) error {
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
	return len(list.Items), atOnce(policyCalls, list.Items, func(p networkingv1.NetworkPolicy) error {
		return c.RemovePolicy(ctx, p.Name)
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

// atOnce does something with every item, some of them at a time. After a
// failure no more are begun.
func atOnce[T any](workers int, items []T, do func(T) error) error {
	queue := make(chan T)
	failures := make([]error, min(workers, len(items)))
	failed := make(chan struct{})
	var once sync.Once
	var all sync.WaitGroup
	for i := range failures {
		all.Go(func() {
			for item := range queue {
				if err := do(item); err != nil {
					failures[i] = err
					once.Do(func() { close(failed) })
					return
				}
			}
		})
	}
feeding:
	for _, item := range items {
		select {
		case queue <- item:
		case <-failed:
			break feeding
		}
	}
	close(queue)
	all.Wait()
	return errors.Join(failures...)
}
