package cluster

import (
	"context"
	"io"
)

// Machines gives access to what lies below a cluster's API. All methods must
// be safe for concurrent use.
type Machines interface {
	// RunOnNode runs a program as root in a node's namespaces, the mount
	// namespace included, and returns when it has ended, with an *ExitError if
	// it ended badly.
	RunOnNode(ctx context.Context, node string, argv []string, stdin io.Reader, stdout, stderr io.Writer) error
	// ProbeArgv is the command line that starts cnibench-probe on a node.
	ProbeArgv(args ...string) []string
	// NodeRoot is where a probe that ProbeArgv starts sees the node's root
	// directory. For other programs it is always "/".
	NodeRoot() string
	// Samplers lists the nodes to run a probe on so that everything that counts
	// is seen: one if it sees the control groups of all.
	Samplers() []string
	// SystemGroups names the control groups of the node's own programs, by
	// what they are: kubelet, runtime, kube-proxy, control-plane. A pod's
	// group is another matter, see PodGroup.
	SystemGroups(node string) map[string][]string
	// PodGroup is the control group of a pod on its node, or empty if it is not
	// known: see Unattributed.
	PodGroup(p Pod) string
	// ClusterGroups lists the control groups that together hold everything
	// that runs on a sampled kernel for this cluster.
	ClusterGroups(sampler string) []string
	// Unattributed says of which nodes the control groups are not known, and
	// why: there is no CPU time of pods then, only of the machine.
	Unattributed() map[string]string
	// Incarnations returns a mark per "NODE/SERVICE" that changes whenever the
	// program ends or starts. It is empty if that cannot be known.
	Incarnations() (map[string]string, error)
	// PodSysctls must be set in pods that carry load.
	PodSysctls() map[string]string
	// NodeNames lists the nodes that RunOnNode reaches, those of LoadNodes
	// first. A plugin is installed on all of them.
	NodeNames() []string
	// LoadNodes lists the nodes that may carry load: the client's, the
	// server's, then others. There is one if the cluster has no second.
	LoadNodes() []string
	// ToolsImage is what load pods are made from.
	ToolsImage() string
	// KubeProxy is how Services are carried: iptables, nftables, ipvs, none, or
	// UnknownProxy.
	KubeProxy() string
	// Site is what plugins' manifests must know.
	Site() Site
	// Lacks returns those image references that nodes cannot get: labs pull
	// nothing. It is empty where nodes pull.
	Lacks(images []string) ([]string, error)
	// SharedKernel tells whether all samplers run on one kernel, whose figures
	// count once.
	SharedKernel() bool
	// Pause stops every process of the cluster until Resume, where the cluster
	// can be stopped.
	Pause() error
	Resume() error
	// Collect writes what explains a failure, such as the logs of the nodes'
	// programs, into a directory.
	Collect(ctx context.Context, dir string) error
	// Versions names the programs of the cluster.
	Versions() map[string]string
	// Digests identify the images that the cluster's pods are made from, by
	// name.
	Digests() map[string]string
	// Remove ends the cluster and everything in it.
	Remove() error
}
