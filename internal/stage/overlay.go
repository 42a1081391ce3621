package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Overlay is what a variant adds to its load pods and to their namespace, so
// that what runs beside the load, such as a service mesh, is a dimension of a
// campaign. The zero value adds nothing.
type Overlay struct {
	// PodTemplate has metadata and spec in Kubernetes' words and is merged as
	// a strategic merge patch: containers and volumes by name, tables by key.
	PodTemplate map[string]any
	// NamespaceLabels are put on the namespace of the load pods.
	NamespaceLabels map[string]string
}

// What an overlay may set: what else pods have, cnibench decides.
var (
	overlayMetadata = []string{"labels", "annotations"}
	overlaySpec     = []string{
		"containers", "initContainers", "volumes", "imagePullSecrets", "serviceAccountName", "automountServiceAccountToken",
		"securityContext", "dnsConfig", "priorityClassName", "runtimeClassName", "shareProcessNamespace", "readinessGates",
	}
	overlayLoad = []string{"name", "resources", "env", "volumeMounts", "securityContext"}
)

// CheckPodTemplate says what is wrong with an overlay of load pods, in the
// words of its fields: what Kubernetes does not know, and what is not the
// overlay's to set.
func CheckPodTemplate(template map[string]any) error {
	spec, _ := template["spec"].(map[string]any)
	metadata, _ := template["metadata"].(map[string]any)
	for _, part := range []struct {
		name    string
		table   map[string]any
		allowed []string
	}{{"metadata", metadata, overlayMetadata}, {"spec", spec, overlaySpec}} {
		for _, key := range slices.Sorted(maps.Keys(part.table)) {
			if !slices.Contains(part.allowed, key) {
				return fmt.Errorf("%s.%s is not an overlay's to set", part.name, key)
			}
		}
	}
	data, err := json.Marshal(template)
	if err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	var typed corev1.PodTemplateSpec
	if err := strict.Decode(&typed); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return checkTyped(typed, spec)
}

// checkTyped checks what only the whole tells.
func checkTyped(t corev1.PodTemplateSpec, raw map[string]any) error {
	for key := range t.Labels {
		if key == "app" || strings.HasPrefix(key, "app.kubernetes.io/") {
			return fmt.Errorf("metadata.labels.%s is cnibench's own", key)
		}
	}
	if s := t.Spec.SecurityContext; s != nil && len(s.Sysctls) > 0 {
		return errors.New("spec.securityContext.sysctls are the same for all load")
	}
	containers, _ := raw["containers"].([]any)
	for i, c := range t.Spec.Containers {
		table, _ := containers[i].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if c.Name == cluster.LoadContainer && !slices.Contains(overlayLoad, key) {
				return fmt.Errorf("%s of the container %s is not an overlay's to set", key, c.Name)
			}
		}
	}
	for _, c := range slices.Concat(t.Spec.Containers, t.Spec.InitContainers) {
		switch {
		case c.Name == "":
			return errors.New("a container has no name")
		case c.Image == "" && c.Name != cluster.LoadContainer:
			return fmt.Errorf("container %s has no image", c.Name)
		}
	}
	return nil
}

// Images lists the images that the overlay adds, for pods to be made from.
func (o Overlay) Images() []string {
	var images []string
	for _, c := range o.containers() {
		if c.Image != "" && !slices.Contains(images, c.Image) {
			images = append(images, c.Image)
		}
	}
	return images
}

// Facts say what runs beside the load: it counts as the load's, because a
// pod has one control group for all its containers.
func (o Overlay) Facts() map[string]string {
	facts := map[string]string{}
	var names []string
	for _, c := range o.containers() {
		if c.Name != cluster.LoadContainer {
			names = append(names, c.Name+" ("+c.Image+")")
		}
	}
	if len(names) > 0 {
		facts["beside the load"] = strings.Join(names, ", ") + "; CPU and memory count as the load pods'"
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(o.NamespaceLabels)) {
		labels = append(labels, key+"="+o.NamespaceLabels[key])
	}
	if len(labels) > 0 {
		facts["namespace labels"] = strings.Join(labels, ", ")
	}
	return facts
}

func (o Overlay) containers() []corev1.Container {
	var typed corev1.PodTemplateSpec
	data, err := json.Marshal(o.PodTemplate)
	if err != nil || json.Unmarshal(data, &typed) != nil {
		return nil // the campaign was refused, see CheckPodTemplate
	}
	return slices.Concat(typed.Spec.InitContainers, typed.Spec.Containers)
}

// onto lays the overlay over a pod.
func (o Overlay) onto(p *corev1.Pod) (*corev1.Pod, error) {
	if len(o.PodTemplate) == 0 {
		return p, nil
	}
	under, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	over, err := json.Marshal(o.PodTemplate)
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergePatch(under, over, corev1.Pod{})
	if err != nil {
		return nil, fmt.Errorf("laying podTemplate over a load pod: %w", err)
	}
	var laid corev1.Pod
	if err := json.Unmarshal(merged, &laid); err != nil {
		return nil, fmt.Errorf("laying podTemplate over a load pod: %w", err)
	}
	// The merge may put others first, and who changes the load looks there.
	slices.SortStableFunc(laid.Spec.Containers, func(a, b corev1.Container) int { return rank(a) - rank(b) })
	return &laid, nil
}

func rank(c corev1.Container) int {
	if c.Name == cluster.LoadContainer {
		return 0
	}
	return 1
}

// over lays the stage's overlay over a pod. NewStage has shown that it can be.
func (s *Stage) over(p *corev1.Pod) *corev1.Pod {
	laid, err := s.overlay.onto(p)
	if err != nil {
		panic(err)
	}
	return laid
}

// check shows that the overlay can be laid over load pods.
func (o Overlay) check() error {
	if err := CheckPodTemplate(o.PodTemplate); err != nil {
		return fmt.Errorf("podTemplate: %w", err)
	}
	_, err := o.onto(&corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: cluster.LoadContainer}}}})
	return err
}

// before is the annotation of the namespace that keeps the values, null for
// none, which labels of ours have replaced: the namespace may be somebody
// else's.
const before = "cnibench.io/labels-before"

// LabelNamespace gives the namespace of load pods these labels and takes those
// away that an earlier call has given. It asks for no right to change the
// namespace where nothing changes.
func LabelNamespace(ctx context.Context, c *cluster.Cluster, labels map[string]string) error {
	namespaces := c.Kube().CoreV1().Namespaces()
	n, err := namespaces.Get(ctx, Namespace, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking at namespace %s: %w", Namespace, err)
	}
	changed, err := relabel(n, labels)
	if err != nil || !changed {
		return err
	}
	if _, err := namespaces.Update(ctx, n, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("labelling namespace %s: %w", Namespace, err)
	}
	return nil
}

// relabel changes the namespace's description and tells whether it did.
func relabel(n *corev1.Namespace, labels map[string]string) (bool, error) {
	old, had := n.Annotations[before]
	if !had && len(labels) == 0 {
		return false, nil
	}
	replaced := map[string]*string{}
	if had {
		if err := json.Unmarshal([]byte(old), &replaced); err != nil {
			return false, fmt.Errorf("namespace %s: reading annotation %s: %w", n.Name, before, err)
		}
	}
	for key, value := range replaced {
		delete(n.Labels, key)
		if value != nil {
			n.Labels[key] = *value
		}
	}
	delete(n.Annotations, before)
	if len(labels) == 0 {
		return true, nil
	}
	replaced = map[string]*string{}
	for key, value := range labels {
		replaced[key] = nil
		if was, there := n.Labels[key]; there {
			replaced[key] = &was
		}
		metav1.SetMetaDataLabel(&n.ObjectMeta, key, value)
	}
	text, err := json.Marshal(replaced)
	metav1.SetMetaDataAnnotation(&n.ObjectMeta, before, string(text))
	return true, err
}
