package stage

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
)

// template reads an overlay as a campaign holds it.
func template(t *testing.T, text string) map[string]any {
	t.Helper()
	var table map[string]any
	if err := yaml.Unmarshal([]byte(text), &table); err != nil {
		t.Fatal(err)
	}
	return table
}

const sidecar = `
metadata:
  labels: {mesh: sidecar}
  annotations: {inject: "true"}
spec:
  initContainers: [{name: rules, image: mesh/init:1}]
  containers:
    - {name: proxy, image: mesh/proxy:1}
    - {name: load, env: [{name: PROXY, value: "on"}], resources: {requests: {cpu: 100m}}}
  volumes: [{name: certificates, emptyDir: {}}]
`

// What an overlay adds is there, and what the load pod is stays.
func TestOverlayOntoLoadPods(t *testing.T) {
	s := &Stage{cluster: &cluster.Cluster{Machines: fakeMachines{}}}
	plain := s.Pod("client-pod", "node2", InPod, []string{"cnibench-probe", "pause"})
	s.overlay = Overlay{PodTemplate: template(t, sidecar)}
	laid := s.Pod("client-pod", "node2", InPod, []string{"cnibench-probe", "pause"})

	want := plain.DeepCopy()
	want.Labels["mesh"] = "sidecar"
	want.Annotations = map[string]string{"inject": "true"}
	want.Spec.InitContainers = []corev1.Container{{Name: "rules", Image: "mesh/init:1"}}
	load := want.Spec.Containers[0]
	load.Env = []corev1.EnvVar{{Name: "PROXY", Value: "on"}}
	if err := json.Unmarshal([]byte(`{"requests": {"cpu": "100m"}}`), &load.Resources); err != nil {
		t.Fatal(err)
	}
	want.Spec.Containers = []corev1.Container{load, {Name: "proxy", Image: "mesh/proxy:1"}}
	want.Spec.Volumes = []corev1.Volume{{Name: "certificates", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	if diff := cmp.Diff(want, laid); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"mesh/init:1", "mesh/proxy:1"}, s.overlay.Images()); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func TestCheckPodTemplate(t *testing.T) {
	for text, want := range map[string]string{
		sidecar:                              "",
		"{}":                                 "",
		"{spec: {nodeName: node1}}":          "spec.nodeName is not an overlay's to set",
		"{spec: {hostNetwork: true}}":        "spec.hostNetwork is not an overlay's to set",
		"{metadata: {name: other}}":          "metadata.name is not an overlay's to set",
		"{metadata: {labels: {app: other}}}": "metadata.labels.app is cnibench's own",
		"{metadata: {labels: {a: 1}}}":       "cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
		"{spec: {containers: [{name: proxy, image: a:1, imagee: b}]}}":                `unknown field "imagee"`,
		"{spec: {containers: [{name: proxy}]}}":                                       "container proxy has no image",
		"{spec: {containers: [{image: a:1}]}}":                                        "a container has no name",
		"{spec: {containers: [{name: load, image: mine:1}]}}":                         "image of the container load is not an overlay's to set",
		"{spec: {securityContext: {sysctls: [{name: net.a, value: b}]}}}":             "spec.securityContext.sysctls are the same for all load",
		"{spec: {volumes: [{name: a, emptyDir: {}}], securityContext: {fsGroup: 1}}}": "",
	} {
		got := ""
		if err := CheckPodTemplate(template(t, text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A namespace may be somebody else's: what labels replaced comes back, also
// after another variant's labels, and also if a run was killed in between.
func TestRelabel(t *testing.T) {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace, Labels: map[string]string{"theirs": "1", "mesh": "off"}}}
	original := n.DeepCopy()
	for _, step := range []struct {
		labels, want map[string]string
		changed      bool
	}{
		{nil, map[string]string{"theirs": "1", "mesh": "off"}, false},
		{map[string]string{"mesh": "on", "zone": "a"}, map[string]string{"theirs": "1", "mesh": "on", "zone": "a"}, true},
		{map[string]string{"mesh": "ambient"}, map[string]string{"theirs": "1", "mesh": "ambient"}, true},
		{nil, map[string]string{"theirs": "1", "mesh": "off"}, true},
	} {
		changed, err := relabel(n, step.labels)
		if err != nil || changed != step.changed {
			t.Errorf("%v: changed %t, %v", step.labels, changed, err)
		}
		if diff := cmp.Diff(step.want, n.Labels); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", step.labels, diff)
		}
	}
	if diff := cmp.Diff(original.Labels, n.Labels); diff != "" || len(n.Annotations) > 0 {
		t.Errorf("left behind: %v (-want +got):\n%s", n.Annotations, diff)
	}
}
