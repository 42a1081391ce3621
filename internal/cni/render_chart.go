package cni

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni/charts"
)

// chart renders a Helm chart: its CRDs first, then its templates, hooks taken
// out.
func (r *renderer) chart(ctx context.Context, s Source) ([]*unstructured.Unstructured, error) {
	ref := charts.Ref{Name: s.Chart, Repository: s.Repository, Version: cmp.Or(s.ChartVersion, "${version}")}
	var err error
	if ref.Version, err = r.places.expand(r.entry.Name, ref.Version); err != nil {
		return nil, err
	}
	path, err := r.from.Chart(ctx, ref)
	if err != nil {
		return nil, err
	}
	c, err := loader.Load(path)
	if err != nil {
		return nil, fmt.Errorf("loading chart: %w", err)
	}
	values, err := r.values(c, s)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(c, values)
	if err != nil {
		return nil, err
	}
	definitions, err := definitionsOf(c)
	if err != nil {
		return nil, err
	}
	objects, err := decodeFiles(rendered)
	if err != nil {
		return nil, err
	}
	before, plain, after := r.takeHooks(objects)
	return slices.Concat(definitions, before, plain, after), nil
}

// values merges the chart's defaults with the variant's values and checks them.
func (r *renderer) values(c *chart.Chart, s Source) (common.Values, error) {
	all := s.forFamily(r.site)
	if err := checkKeys(c, all, r.entry.UserValues); err != nil {
		return nil, err
	}
	expanded, err := r.places.expandAny(r.entry.Name, all)
	if err != nil {
		return nil, err
	}
	table, _ := expanded.(map[string]any)
	if table == nil {
		table = map[string]any{}
	}
	capabilities := common.DefaultCapabilities.Copy()
	if r.site.KubeVersion != "" {
		version, err := common.ParseKubeVersion(r.site.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("the cluster's Kubernetes version %q: %w", r.site.KubeVersion, err)
		}
		capabilities.KubeVersion = *version
	}
	if err := checkKubeVersion(c, capabilities); err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(c, table); err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: cmp.Or(r.entry.Plugin.Name, s.Chart), Namespace: cmp.Or(s.Namespace, r.entry.Install.Namespace), Revision: 1, IsInstall: true}
	top, err := util.ToRenderValues(c, table, options, capabilities)
	if err != nil {
		return nil, explainSchema(c, r.entry.UserValues, err)
	}
	return top, nil
}

// definitionsOf reads the chart's custom resource definitions.
func definitionsOf(c *chart.Chart) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, crd := range c.CRDObjects() {
		objects, err := cluster.Decode(crd.File.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", crd.Filename, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// decodeFiles reads rendered templates in the order of their names, and sorts
// the objects by kind as Helm does: what others need comes first.
func decodeFiles(rendered map[string]string) ([]*unstructured.Unstructured, error) {
	names := keysOf(rendered)
	slices.Sort(names)
	var all []*unstructured.Unstructured
	for _, name := range names {
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
			continue
		}
		objects, err := cluster.Decode([]byte(rendered[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, objects...)
	}
	slices.SortStableFunc(all, func(a, b *unstructured.Unstructured) int {
		return cmp.Compare(rank(a.GetKind()), rank(b.GetKind()))
	})
	return all, nil
}

// kinds that others need, in the order of Helm's InstallOrder
// (helm.sh/helm/v4/pkg/release/v1/util); the rest follows, and custom resources
// last of all, for they may need a webhook.
var early = []string{
	"PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodDisruptionBudget", "ServiceAccount", "Secret",
	"ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition", "ClusterRole",
	"ClusterRoleBinding", "Role", "RoleBinding", "Service", "DaemonSet", "Pod", "ReplicaSet", "Deployment", "StatefulSet", "Job",
	"CronJob", "Ingress", "APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
}

func rank(kind string) int {
	if i := slices.Index(early, kind); i >= 0 {
		return i
	}
	return len(early)
}

const hookAnnotation = "helm.sh/hook"

// takeHooks separates hooks from plain objects. Those of installation are
// applied like the rest, before or after it; tests are dropped; all others are
// noted.
func (r *renderer) takeHooks(objects []*unstructured.Unstructured) (before, plain, after []*unstructured.Unstructured) {
	for _, o := range objects {
		annotation, is := o.GetAnnotations()[hookAnnotation]
		if !is {
			plain = append(plain, o)
			continue
		}
		events := strings.Split(strings.ReplaceAll(annotation, " ", ""), ",")
		switch {
		case slices.Contains(events, "pre-install"):
			before = append(before, o)
		case slices.Contains(events, "post-install"):
			after = append(after, o)
		case slices.Contains(events, "test"), slices.Contains(events, "test-success"):
		default:
			r.hooks = append(r.hooks, Hook{o.GetKind(), o.GetNamespace(), o.GetName(), events})
		}
	}
	return before, plain, after
}
