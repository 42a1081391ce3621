package campaign

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// podTemplates are overlays in Kubernetes' own words.
var podTemplates = table{
	"podTemplate", "{metadata: {annotations: {KEY: VALUE}}}", "with metadata and spec, as a pod template of Kubernetes' has them", "fields",
}

// overlayKeys are what an overlay may hold. Which fields of a pod's spec may be
// set depends on Kubernetes: Known.CheckPodTemplate knows.
var overlayKeys = document.Keys{Valid: []string{"metadata", "spec"}}

// podTemplate reads an overlay of load pods: a mapping, or the name of a file
// that holds one.
func (d *decoder) podTemplate(n *yaml.Node) map[string]any {
	if n.Kind == yaml.MappingNode {
		before := len(d.Problems)
		if d.Object(n, "podTemplate", overlayKeys); len(d.Problems) > before {
			return nil
		}
	}
	overlay := d.table(n, podTemplates)
	if overlay == nil || d.known.CheckPodTemplate == nil {
		return overlay
	}
	if err := d.known.CheckPodTemplate(overlay); err != nil {
		place := ""
		if n.Kind == yaml.ScalarNode {
			place = n.Value + ": "
		}
		d.Report(n, "podTemplate: "+place+oneLine(err), "an overlay may add metadata.labels, metadata.annotations, containers and volumes; docs/campaign.md lists all")
		return nil
	}
	return overlay
}

// Kubernetes' syntax of labels: a name of at most 63 characters after a
// domain of at most 253, and a value of at most 63.
var (
	labelKeySyntax   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValueSyntax = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

// ownLabels begin the labels that cnibench and Kubernetes need to have their
// way with.
var ownLabels = []string{"app.kubernetes.io/", "kubernetes.io/", "pod-security.kubernetes.io/"}

// namespaceLabels reads labels. None are nil.
func (d *decoder) namespaceLabels(n *yaml.Node) map[string]string {
	const example = "write namespaceLabels: {istio-injection: enabled}"
	if n.Kind != yaml.MappingNode {
		d.Report(n, "namespaceLabels must be a mapping, not "+document.Describe(n), example)
		return nil
	}
	labels := map[string]string{}
	for _, p := range d.Pairs(n) {
		var value string
		switch key := p.Key.Value; {
		case !labelKeySyntax.MatchString(key):
			d.Report(p.Key, fmt.Sprintf("namespaceLabels: %s is not the name of a label", document.Describe(p.Key)), example)
		case isOwnLabel(key):
			d.Report(p.Key, fmt.Sprintf("namespaceLabels: %s is set by cnibench itself", key), "remove it")
		case !d.Text(p.Value, "namespaceLabels."+key, &value):
		case !labelValueSyntax.MatchString(value):
			d.Report(p.Value, fmt.Sprintf("namespaceLabels: %s is not the value of a label", document.Describe(p.Value)),
				"use at most 63 letters, digits, dots, hyphens and underscores")
		default:
			labels[key] = value
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

func isOwnLabel(key string) bool {
	for _, own := range ownLabels {
		if strings.HasPrefix(key, own) {
			return true
		}
	}
	return false
}
