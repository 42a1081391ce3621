package examination

import (
	"context"
	"encoding/json"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/doctor"
)

// policies finds those that isolate load pods: NetworkPolicies in their
// namespace that are not ours, and the policies of plugins for whole clusters.
func (e *examiner) policies(ctx context.Context) {
	list, err := e.Cluster.Kube().NetworkingV1().NetworkPolicies(cluster.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		e.miss(doctor.PartPolicies, err)
		return
	}
	for _, p := range list.Items {
		if p.Labels[cluster.ManagedBy] != cluster.Manager && selectsLoad(p.Spec.PodSelector) {
			e.snapshot.Policies = append(e.snapshot.Policies, policyOf(p))
		}
	}
	for _, kind := range clusterWide {
		e.snapshot.Policies = append(e.snapshot.Policies, e.clusterPolicies(ctx, kind)...)
	}
}

// selectsLoad tells whether a selector takes a load pod. What cannot be read is
// taken to.
func selectsLoad(selector metav1.LabelSelector) bool {
	s, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return true
	}
	for _, app := range []string{"client", "server"} {
		pod := labels.Set(cluster.Labels(cluster.LoadComponent))
		pod["app"] = app
		if s.Matches(pod) {
			return true
		}
	}
	return false
}

// policyOf reads a NetworkPolicy. Without types it is for ingress, and for
// egress if it has such rules.
func policyOf(p networkingv1.NetworkPolicy) doctor.Policy {
	types := p.Spec.PolicyTypes
	return doctor.Policy{
		Kind: "NetworkPolicy", Namespace: p.Namespace, Name: p.Name, Rules: len(p.Spec.Ingress) + len(p.Spec.Egress),
		Ingress: len(types) == 0 || slices.Contains(types, networkingv1.PolicyTypeIngress),
		Egress:  slices.Contains(types, networkingv1.PolicyTypeEgress) || len(types) == 0 && len(p.Spec.Egress) > 0,
	}
}

// wide is a kind of policy for whole clusters.
type wide struct{ kind, path string }

// clusterWide are the kinds that plugins of the catalog have, by where the API
// serves them. Without the plugin it serves none.
var clusterWide = []wide{
	{"CiliumClusterwideNetworkPolicy", "/apis/cilium.io/v2/ciliumclusterwidenetworkpolicies"},
	{"CiliumNetworkPolicy", "/apis/cilium.io/v2/namespaces/" + cluster.Namespace + "/ciliumnetworkpolicies"},
	{"GlobalNetworkPolicy.crd.projectcalico.org", "/apis/crd.projectcalico.org/v1/globalnetworkpolicies"},
	{"AdminNetworkPolicy", "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies"},
	{"BaselineAdminNetworkPolicy", "/apis/policy.networking.k8s.io/v1alpha1/baselineadminnetworkpolicies"},
}

// clusterPolicies lists the policies of a kind. Whom they select is their
// plugin's language; they are taken to select load pods.
func (e *examiner) clusterPolicies(ctx context.Context, kind wide) []doctor.Policy {
	raw, err := e.Cluster.Kube().Discovery().RESTClient().Get().AbsPath(kind.path).DoRaw(ctx)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		e.miss(doctor.PartPolicies, err)
		return nil
	}
	return parsePolicies(kind.kind, raw)
}

// parsePolicies reads what kinds of policies have in common.
func parsePolicies(kind string, raw []byte) []doctor.Policy {
	var list struct {
		Items []struct {
			Metadata struct{ Name, Namespace string }
			Spec     struct{ Ingress, Egress, IngressDeny, EgressDeny []json.RawMessage }
		}
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var all []doctor.Policy
	for _, item := range list.Items {
		s := item.Spec
		all = append(all, doctor.Policy{
			Kind: kind, Namespace: item.Metadata.Namespace, Name: item.Metadata.Name, Rules: len(s.Ingress) + len(s.Egress),
			Ingress: s.Ingress != nil || s.IngressDeny != nil, Egress: s.Egress != nil || s.EgressDeny != nil,
		})
	}
	return all
}
