package lab

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// containerdSocket is where kubelet reaches the container runtime.
const containerdSocket = "/run/containerd/containerd.sock"

// PauseImage holds a pod's namespaces.
const PauseImage = "registry.k8s.io/pause:3.10"

// workerServices returns what runs on worker number i.
func workerServices(c Config, i int, group string) []node.Service {
	services := []node.Service{
		containerdService(group),
		{
			Name:   "kubelet",
			Cgroup: group + "/kubelet",
			After:  []string{"unix:" + containerdSocket, "tcp:" + c.APIAddress().String()},
			Argv: []string{
				programsDir + "/kubelet",
				"--config=/etc/kubernetes/kubelet.yaml",
				"--kubeconfig=/etc/kubernetes/kubelet.conf",
				"--hostname-override=" + workerName(i),
				"--node-ip=" + strings.Join(addressesOf(c.network().worker(i)), ","),
			},
		},
	}
	if c.KubeProxy == "none" {
		return services
	}
	return append(services, node.Service{
		Name:   "kube-proxy",
		Cgroup: group + "/kube-proxy",
		After:  []string{apiReady(c.network())},
		Argv: []string{
			programsDir + "/kube-proxy",
			"--kubeconfig=/etc/kubernetes/kube-proxy.conf",
			"--hostname-override=" + workerName(i),
			"--proxy-mode=" + c.KubeProxy,
			"--cluster-cidr=" + listed(c.PodCIDRs()),
			// The table's size is the machine's, not the namespace's.
			"--conntrack-max-per-core=0",
			"--oom-score-adj=0",
		},
	})
}

func containerdService(group string) node.Service {
	return node.Service{
		Name:   "containerd",
		Cgroup: group + "/runtime",
		Argv:   []string{"/usr/bin/containerd", "--config=/etc/containerd/config.toml"},
	}
}

// containerdConfig works without CAP_SYS_RESOURCE, which machines in a
// sandbox lack: runc would die on lowering an OOM score. runtime is the path of
// runc.
func containerdConfig(runtime string) string {
	return fmt.Sprintf(`version = 2
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp",
]
[grpc]
address = %q
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = %q
restrict_oom_score_adj = true
enable_unprivileged_ports = true
enable_unprivileged_icmp = true
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = %q
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/opt/cni/bin"
conf_dir = "/etc/cni/net.d"
`, containerdSocket, PauseImage, runtime)
}

// plainRuntime is Debian's runc in a node.
const plainRuntime = "/usr/sbin/runc"

// kubeletConfig is the KubeletConfiguration of a worker.
func kubeletConfig(c Config, group string) string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: %[1]s/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: %[1]s/kubelet.crt
tlsPrivateKeyFile: %[1]s/kubelet.key
cgroupDriver: cgroupfs
cgroupRoot: %[2]s
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
localStorageCapacityIsolation: false
oomScoreAdj: 0
containerRuntimeEndpoint: unix://%[3]s
clusterDNS: [%[4]s]
clusterDomain: cluster.local
maxPods: %[5]d
serializeImagePulls: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 50Mi}
# Load pods get the pinned congestion control.
allowedUnsafeSysctls: ["net.*"]
kubeAPIQPS: 100
kubeAPIBurst: 200
`, pkiDir, group, containerdSocket, c.ClusterDNS(), c.MaxPods)
}
