package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// removals is how many Services or pods are deleted at once.
const removals = 16

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
	if err := c.RemoveIngresses(ctx, list.LabelSelector); err != nil {
		return err
	}
	services, err := c.kube.CoreV1().Services(Namespace).List(ctx, list)
	if err != nil {
		return fmt.Errorf("listing Services: %w", err)
	}
	// An interrupted trial may leave thousands.
	err = AtOnce(removals, len(services.Items), func(i int) error {
		name := services.Items[i].Name
		err := c.kube.CoreV1().Services(Namespace).Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing service %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.RemovePods(ctx, list.LabelSelector, removeTimeout)
}

// RemoveIngresses deletes Ingresses in our namespace with a label. Who may not
// list them has made none.
func (c *Cluster) RemoveIngresses(ctx context.Context, selector string) error {
	ingresses, err := c.kube.NetworkingV1().Ingresses(Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing Ingresses: %w", err)
	}
	for _, i := range ingresses.Items {
		err := c.kube.NetworkingV1().Ingresses(Namespace).Delete(ctx, i.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing Ingress %s: %w", i.Name, err)
		}
	}
	return nil
}

// RemovePods deletes the pods of ours with a label, also when ctx has ended, and
// waits until the nodes have taken their networks down, which needs the plugin.
// Where ctx has ended it does not wait: whoever removes all load does. The limit
// bounds either part.
func (c *Cluster) RemovePods(ctx context.Context, selector string, limit time.Duration) error {
	pods, which := c.kube.CoreV1().Pods(Namespace), metav1.ListOptions{LabelSelector: selector}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	there, err := pods.List(within, which)
	if err != nil {
		return fmt.Errorf("listing pods %s: %w", selector, err)
	}
	err = AtOnce(removals, len(there.Items), func(i int) error { return c.RemovePod(within, there.Items[i].Name) })
	if err != nil || ctx.Err() != nil {
		return err
	}
	return Until(ctx, limit, "pods "+selector+" to end", func(ctx context.Context) error {
		left, err := pods.List(ctx, which)
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("%d are still there", len(left.Items))
		}
		return err
	})
}

// RemovePod deletes one pod in our namespace, if it is there, and does not wait
// for its end.
func (c *Cluster) RemovePod(ctx context.Context, name string) error {
	grace := loadGrace
	err := c.kube.CoreV1().Pods(Namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &grace})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing pod %s: %w", name, err)
	}
	return nil
}
