package cluster

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// right is something that a user of the API must be allowed to do.
type right struct {
	verbs       string // separated by spaces
	group       string
	resource    string // with its subresource: pods/exec
	namespace   string // empty: in the whole cluster
	name        string // of the one object; empty: of all
	unlessThere bool   // not needed if the object exists: only of our namespace
}

// measureRights is what a measurement needs. deploy/rbac.yaml grants this to a
// user who may not create namespaces, and what single scenarios need besides; a
// test holds them together.
var measureRights = []right{
	{verbs: "get list", resource: "nodes"},
	{verbs: "get list", resource: "pods"},
	{verbs: "list", group: "apps", resource: "daemonsets"},
	{verbs: "list", group: "discovery.k8s.io", resource: "endpointslices", namespace: metav1.NamespaceDefault},
	{verbs: "get create", resource: "namespaces", unlessThere: true},
	{verbs: "get", resource: "services", namespace: metav1.NamespaceSystem, name: "kube-dns"},
	{verbs: "get", resource: "serviceaccounts", namespace: Namespace},
	{verbs: "create delete watch", resource: "pods", namespace: Namespace},
	{verbs: "get create", resource: "pods/exec", namespace: Namespace},
	{verbs: "get create delete list", resource: "services", namespace: Namespace},
	{verbs: "get create delete", group: "apps", resource: "daemonsets", namespace: Namespace},
	{verbs: "get list create delete", group: "networking.k8s.io", resource: "networkpolicies", namespace: Namespace},
	{verbs: "list", resource: "events", namespace: Namespace},
}

// changeRights is what installing and removing plugins needs besides: their
// charts bring objects of many kinds, roles among them.
var changeRights = []right{
	{verbs: "create patch delete", resource: "namespaces"},
	{verbs: "create patch delete", resource: "serviceaccounts"},
	{verbs: "create patch delete", resource: "configmaps"},
	{verbs: "create patch delete", resource: "secrets"},
	{verbs: "create patch delete", resource: "services"},
	{verbs: "create patch delete", group: "apps", resource: "daemonsets"},
	{verbs: "create patch delete", group: "apps", resource: "deployments"},
	{verbs: "create patch delete escalate bind", group: "rbac.authorization.k8s.io", resource: "clusterroles"},
	{verbs: "create patch delete", group: "rbac.authorization.k8s.io", resource: "clusterrolebindings"},
	{verbs: "create patch delete escalate bind", group: "rbac.authorization.k8s.io", resource: "roles"},
	{verbs: "create patch delete", group: "rbac.authorization.k8s.io", resource: "rolebindings"},
	{verbs: "create patch delete list", group: "apiextensions.k8s.io", resource: "customresourcedefinitions"},
	{verbs: "patch", resource: "nodes"},
}

// ForbiddenError lists what the user of the kubeconfig may not do.
type ForbiddenError struct{ Missing []string }

func (e *ForbiddenError) Error() string {
	return "you may not " + strings.Join(e.Missing, ", nor ")
}

// Hint names the manifest that grants the rights.
func (e *ForbiddenError) Hint() string {
	return "ask an administrator of the cluster to apply deploy/rbac.yaml and to bind you to its roles"
}

// checkAccess asks the API what its user may do, and names all that is
// missing.
func (c *Cluster) checkAccess(ctx context.Context, rights []right) error {
	var missing []string
	for _, r := range rights {
		if r.unlessThere {
			there, err := c.namespaceExists(ctx)
			if err != nil || there {
				continue // creating it is refused in its own words
			}
		}
		for _, verb := range strings.Fields(r.verbs) {
			allowed, err := c.may(ctx, r, verb)
			if err != nil {
				return err
			}
			if !allowed {
				missing = append(missing, r.say(verb))
			}
		}
	}
	if len(missing) > 0 {
		return &ForbiddenError{missing}
	}
	return nil
}

func (r right) say(verb string) string {
	text := verb + " " + r.resource
	if r.group != "" {
		text += "." + r.group
	}
	if r.name != "" {
		text += " " + r.name
	}
	if r.namespace != "" {
		return text + " in namespace " + r.namespace
	}
	return text
}

func (c *Cluster) may(ctx context.Context, r right, verb string) (bool, error) {
	resource, subresource, _ := strings.Cut(r.resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: r.group, Resource: resource, Subresource: subresource, Namespace: r.namespace, Name: r.name,
		},
	}}
	answer, err := c.kube.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking what you may do: %w", err)
	}
	return answer.Status.Allowed, nil
}

func (c *Cluster) namespaceExists(ctx context.Context) (bool, error) {
	_, err := c.kube.CoreV1().Namespaces().Get(ctx, Namespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
