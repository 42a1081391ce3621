package lab

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/lab/node"
)

// Files of the control plane, inside its node.
const (
	pkiDir      = "/etc/kubernetes/pki"
	programsDir = "/usr/local/bin"
	etcdClients = "127.0.0.1:2379"
	// nodeGrace is how long a silent node counts as healthy. A paused lab is
	// silent for as long as it is paused, and its pods must survive that.
	nodeGrace = "24h"
	// With the default of 20 requests a second the controller manager needs
	// six seconds to start its controllers.
	clientQPS, clientBurst = "500", "1000"
)

// controlPlaneServices returns what runs in the control plane node. Nobody
// elects leaders: there is one of each, and a lease lost while frozen would
// end it.
func controlPlaneServices(n network, group string) []node.Service {
	return []node.Service{
		{Name: "etcd", Cgroup: group + "/etcd", Argv: etcdArgv()},
		{Name: "kube-apiserver", Cgroup: group + "/kube-apiserver", Argv: apiserverArgv(n), After: []string{"tcp:" + etcdClients}},
		{Name: "kube-controller-manager", Cgroup: group + "/kube-controller-manager", Argv: controllerManagerArgv(n), After: []string{apiServes(n)}},
		{Name: "kube-scheduler", Cgroup: group + "/kube-scheduler", Argv: schedulerArgv(), After: []string{apiServes(n)}},
	}
}

// apiServes is the endpoint that answers when the API server serves, but has
// not finished its start-up work yet.
func apiServes(n network) string { return "https:" + n.api().String() }

// apiReady is the endpoint that answers when the API server has finished its
// start-up work. What needs the API is started then and not before, because it
// would only take CPU from the API server and poll it second by second.
func apiReady(n network) string { return "readyz:" + n.api().String() }

// etcdArgv keeps the data on a tmpfs and skips fsync: a lab that loses power
// is gone anyway.
func etcdArgv() []string {
	return []string{
		programsDir + "/etcd",
		"--data-dir=/run/etcd",
		"--listen-client-urls=http://" + etcdClients,
		"--advertise-client-urls=http://" + etcdClients,
		"--listen-peer-urls=http://127.0.0.1:2380",
		"--unsafe-no-fsync",
	}
}

func apiserverArgv(n network) []string {
	return []string{
		programsDir + "/kube-apiserver",
		"--bind-address=" + n.api().Addr().String(),
		"--advertise-address=" + n.api().Addr().String(),
		fmt.Sprintf("--secure-port=%d", apiPort),
		"--etcd-servers=http://" + etcdClients,
		"--service-cluster-ip-range=" + listed(n.services()),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--client-ca-file=" + pkiDir + "/ca.crt",
		"--tls-cert-file=" + pkiDir + "/apiserver.crt",
		"--tls-private-key-file=" + pkiDir + "/apiserver.key",
		"--kubelet-client-certificate=" + pkiDir + "/kubelet-client.crt",
		"--kubelet-client-key=" + pkiDir + "/kubelet-client.key",
		"--kubelet-certificate-authority=" + pkiDir + "/ca.crt",
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + pkiDir + "/service-account.pub",
		"--service-account-signing-key-file=" + pkiDir + "/service-account.key",
		"--profiling=false",
	}
}

func controllerManagerArgv(n network) []string {
	return slices.Concat([]string{
		programsDir + "/kube-controller-manager",
		"--kubeconfig=/etc/kubernetes/kube-controller-manager.conf",
		"--tls-cert-file=" + pkiDir + "/kube-controller-manager.crt",
		"--tls-private-key-file=" + pkiDir + "/kube-controller-manager.key",
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + pkiDir + "/service-account.key",
		"--root-ca-file=" + pkiDir + "/ca.crt",
		"--cluster-signing-cert-file=" + pkiDir + "/ca.crt",
		"--cluster-signing-key-file=" + pkiDir + "/ca.key",
		"--allocate-node-cidrs=true",
		"--cluster-cidr=" + listed(n.pods()),
	}, podCIDRSizes(n), []string{
		"--service-cluster-ip-range=" + listed(n.services()),
		"--node-monitor-grace-period=" + nodeGrace,
		"--kube-api-qps=" + clientQPS,
		"--kube-api-burst=" + clientBurst,
		"--profiling=false",
	})
}

// podCIDRSizes are the prefix lengths of nodes' pods. With two families each
// has a flag of its own.
func podCIDRSizes(n network) []string {
	switch n.family {
	case DualStack:
		return []string{fmt.Sprintf("--node-cidr-mask-size-ipv4=%d", PodCIDRPerNode), fmt.Sprintf("--node-cidr-mask-size-ipv6=%d", podCIDRPerNode6)}
	case IPv6:
		return []string{fmt.Sprintf("--node-cidr-mask-size=%d", podCIDRPerNode6)}
	}
	return []string{fmt.Sprintf("--node-cidr-mask-size=%d", PodCIDRPerNode)}
}

func schedulerArgv() []string {
	return []string{
		programsDir + "/kube-scheduler",
		"--kubeconfig=/etc/kubernetes/kube-scheduler.conf",
		"--tls-cert-file=" + pkiDir + "/kube-scheduler.crt",
		"--tls-private-key-file=" + pkiDir + "/kube-scheduler.key",
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--kube-api-qps=" + clientQPS,
		"--kube-api-burst=" + clientBurst,
		"--profiling=false",
	}
}
