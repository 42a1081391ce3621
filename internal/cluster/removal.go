package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// removeTimeout bounds the removal of everything of ours.
const removeTimeout = 3 * time.Minute

var (
	getOptions  = metav1.GetOptions{}
	listOptions = metav1.ListOptions{}
)

// CleanUp takes everything that a crashed run left of ours out of a cluster,
// and tells whether there was anything.
func CleanUp(ctx context.Context, kubeconfig, contextName string) (found bool, err error) {
	c, err := dial(kubeconfig, contextName)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	left, err := c.ours(ctx)
	if err != nil || left == 0 {
		return false, err
	}
	return true, c.removeOurs(ctx)
}

// removeOurs deletes load pods, Services and agents, and the namespace if we
// made it, and waits until they are gone.
func (c *Cluster) removeOurs(ctx context.Context) error {
	errs := []error{c.RemoveLoad(ctx), c.removeAgents(ctx)}
	namespaces := c.kube.CoreV1().Namespaces()
	ns, err := namespaces.Get(ctx, Namespace, getOptions)
	switch {
	case apierrors.IsNotFound(err):
		return errors.Join(errs...)
	case err != nil:
		return errors.Join(append(errs, fmt.Errorf("looking up namespace %s: %w", Namespace, err))...)
	case ns.Labels[ManagedBy] != Manager:
		return errors.Join(errs...) // an administrator made it, for the roles in it
	}
	if err := namespaces.Delete(ctx, Namespace, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return errors.Join(append(errs, fmt.Errorf("removing namespace %s: %w", Namespace, err))...)
	}
	errs = append(errs, Until(ctx, removeTimeout, "namespace "+Namespace+" to end", func(ctx context.Context) error {
		there, err := c.namespaceExists(ctx)
		if there {
			return errors.New("it is still there")
		}
		return err
	}))
	return errors.Join(errs...)
}

// ours counts what is in the namespace, the namespace included if we made it.
func (c *Cluster) ours(ctx context.Context) (int, error) {
	ns, err := c.kube.CoreV1().Namespaces().Get(ctx, Namespace, getOptions)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("looking up namespace %s: %w", Namespace, err)
	}
	if ns.Labels[ManagedBy] == Manager {
		return 1, nil
	}
	list := metav1.ListOptions{LabelSelector: ManagedBy + "=" + Manager}
	pods, err := c.kube.CoreV1().Pods(Namespace).List(ctx, list)
	if err != nil {
		return 0, fmt.Errorf("listing what is left: %w", err)
	}
	services, err := c.kube.CoreV1().Services(Namespace).List(ctx, list)
	if err != nil {
		return 0, fmt.Errorf("listing what is left: %w", err)
	}
	policies, err := c.CountPolicies(ctx)
	return len(pods.Items) + len(services.Items) + policies, err
}

// LoadComponent is the component label of load pods and their Services.
const LoadComponent = "load"

// serviceCalls is how many Services are deleted at once.
const serviceCalls = 16

// loadGrace is what a load pod gets to end, in seconds. With none the API
// forgets it before its node has taken its network down.
const loadGrace = int64(1)

// RemoveLoad deletes load pods, their Services and policies, and waits until
// the nodes have taken the pods' networks down, which needs the plugin.
func (c *Cluster) RemoveLoad(ctx context.Context) error {
	if _, err := c.RemovePolicies(ctx); err != nil {
		return err
	}
	list := metav1.ListOptions{LabelSelector: selectorOf(LoadComponent)}
	services, err := c.kube.CoreV1().Services(Namespace).List(ctx, list)
	if err != nil {
		return fmt.Errorf("listing Services: %w", err)
	}
	// An interrupted trial may leave thousands.
	err = atOnce(serviceCalls, services.Items, func(s corev1.Service) error {
		err := c.kube.CoreV1().Services(Namespace).Delete(ctx, s.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing service %s: %w", s.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	pods, err := c.kube.CoreV1().Pods(Namespace).List(ctx, list)
	if err != nil {
		return fmt.Errorf("listing load pods: %w", err)
	}
	grace := loadGrace
	for _, p := range pods.Items {
		err := c.kube.CoreV1().Pods(Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &grace})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing pod %s: %w", p.Name, err)
		}
	}
	return Until(ctx, removeTimeout, "load pods to end", func(ctx context.Context) error {
		pods, err := c.kube.CoreV1().Pods(Namespace).List(ctx, list)
		if err == nil && len(pods.Items) > 0 {
			err = fmt.Errorf("%d are still there", len(pods.Items))
		}
		return err
	})
}
