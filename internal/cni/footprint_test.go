package cni

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/google/go-cmp/cmp"
)

const agentManifests = `
apiVersion: v1
kind: Namespace
metadata: {name: plugin}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: agent}
rules:
  - {apiGroups: [""], resources: [pods, nodes], verbs: [get, list]}
  - {apiGroups: [""], resources: [pods], verbs: [list, watch]}
  - {apiGroups: [plugin.io], resources: ["*"], verbs: ["*"]}
  - {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate, bind]}
  - {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {kind: ClusterRole, name: cluster-admin}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  template:
    spec:
      hostNetwork: true
      hostPID: true
      initContainers:
        - {name: install, securityContext: {privileged: true}}
      containers:
        - {name: agent, securityContext: {capabilities: {add: [NET_ADMIN, CAP_NET_RAW]}}}
        - {name: metrics, securityContext: {privileged: false, capabilities: {add: [net_admin], drop: [ALL]}}}
      volumes:
        - {name: run, hostPath: {path: /run/plugin}}
        - {name: cni, hostPath: {path: /etc/cni/net.d}}
        - {name: again, hostPath: {path: /run/plugin}}
        - {name: config, configMap: {name: agent}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: sweep}
spec: {jobTemplate: {spec: {template: {spec: {hostIPC: true, containers: [{name: sweep, securityContext: {privileged: true}}]}}}}}
`

func TestFootprint(t *testing.T) {
	got, err := Manifests{YAML: []byte(agentManifests)}.Footprint()
	if err != nil {
		t.Fatal(err)
	}
	want := Footprint{
		Kinds:        map[string]int{"Namespace": 1, "ClusterRole": 1, "ClusterRoleBinding": 1, "DaemonSet": 1, "CronJob": 1},
		Privileged:   2,
		Capabilities: []string{"NET_ADMIN", "NET_RAW"},
		Namespaces:   []string{"DaemonSet agent: hostNetwork", "DaemonSet agent: hostPID", "CronJob sweep: hostIPC"},
		HostPaths:    []string{"/etc/cni/net.d", "/run/plugin"},
		// get and list of pods and nodes, watch of pods, * of plugin.io, escalate and bind of roles.
		Permissions: 8,
		Broad:       []string{"ClusterRole agent: *", "ClusterRole agent: escalate, bind", "ClusterRoleBinding operator: cluster-admin"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Objects() != 5 {
		t.Errorf("%d objects", got.Objects())
	}
}

// A variant that installs nothing has no manifests, and that is what it counts.
func TestFootprintOfNothing(t *testing.T) {
	got, err := Manifests{}.Footprint()
	if err != nil || got.Objects() != 0 || got.Privileged+got.Permissions+len(got.HostPaths)+len(got.Broad) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestImageSizes(t *testing.T) {
	node := func(images ...corev1.ContainerImage) corev1.Node {
		return corev1.Node{Status: corev1.NodeStatus{Images: images}}
	}
	nodes := []corev1.Node{
		node(corev1.ContainerImage{Names: []string{"ghcr.io/flannel-io/flannel:v0.28.4"}, SizeBytes: 40}),
		node(
			corev1.ContainerImage{Names: []string{"quay.io/cilium/cilium@sha256:aa", "quay.io/cilium/cilium:v1.15.19"}, SizeBytes: 200},
			corev1.ContainerImage{Names: []string{"docker.io/library/busybox:latest"}, SizeBytes: 2},
			corev1.ContainerImage{Names: []string{"docker.io/calico/node:v3"}, SizeBytes: 90},
		),
	}
	sizes, unknown := imageSizes(nodes, []string{
		"ghcr.io/flannel-io/flannel:v0.28.4", "quay.io/cilium/cilium:v1.15.19@sha256:aa", "busybox", "calico/node:v3", "example.com:5000/gone:1",
	})
	want := map[string]int64{
		"ghcr.io/flannel-io/flannel:v0.28.4": 40, "quay.io/cilium/cilium:v1.15.19@sha256:aa": 200, "busybox": 2, "calico/node:v3": 90,
	}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"example.com:5000/gone:1"}, unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
}
