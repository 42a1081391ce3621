package examination

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/probe/facts"
)

// Options say what is looked at.
type Options struct {
	Cluster *cluster.Cluster
	Catalog cni.Catalog
	Kind    doctor.Kind // Cluster or Lab
	Place   string      // what it is called in the report
	// AllowForeign and Profile are the campaign's, where there is one.
	AllowForeign bool
	Profile      doctor.Profile
	Deep         bool // load the network for a minute
	Report       func(step string)
}

// watching is how long machines are watched without load, and between two
// readings of the agents' counters.
const watching = 4 * time.Second

// partTimeout bounds what is asked of the API server and of nodes in one go.
const partTimeout = time.Minute

// examiner takes a snapshot. Its parts run one after the other: what is
// measured must not disturb what is measured.
type examiner struct {
	Options
	ctx      context.Context
	snapshot doctor.Snapshot
	pods     []corev1.Pod // of the whole cluster
	present  cni.Present
	entry    cni.Entry // of the plugin; without a name if it is not known
}

// Take looks at a cluster. It is an error only if the cluster does not show its
// nodes, or what was made for the look cannot be taken away again.
func Take(ctx context.Context, o Options) (doctor.Snapshot, error) {
	e := &examiner{Options: o, ctx: ctx, snapshot: doctor.Snapshot{
		Kind: o.Kind, Place: o.Place, Deep: o.Deep, AllowForeign: o.AllowForeign, Profile: o.Profile,
		KubeProxy: o.Cluster.KubeProxy(), Missing: map[doctor.Part]string{},
	}}
	o.Report("looking at nodes and objects")
	if err := e.nodes(); err != nil {
		return e.snapshot, err
	}
	e.objects()
	o.Report("asking the nodes")
	e.askNodes()
	o.Report(fmt.Sprintf("watching the machines for %s", watching))
	e.watch()
	o.Report("probing paths with load pods")
	err := e.paths()
	if ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return e.snapshot, err
}

// miss notes why a part is not known. The first reason stays.
func (e *examiner) miss(part doctor.Part, err error) {
	if _, known := e.snapshot.Missing[part]; err != nil && !known {
		e.snapshot.Missing[part] = reason(err)
	}
}

// reason says why the API gave no answer, with the remedy where it is a right.
func reason(err error) string {
	if apierrors.IsForbidden(err) {
		return "you may not look: " + err.Error()
	}
	return err.Error()
}

// nodes reads what the API knows of nodes.
func (e *examiner) nodes() error {
	kube := e.Cluster.Kube()
	list, err := kube.CoreV1().Nodes().List(e.ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	if version, err := kube.Discovery().ServerVersion(); err == nil {
		e.snapshot.Kubernetes = version.GitVersion
	}
	carry := loadNodes(e.Cluster)
	for _, n := range list.Items {
		node := nodeOf(n)
		node.Load = slices.Contains(carry, n.Name)
		e.snapshot.Nodes = append(e.snapshot.Nodes, node)
	}
	return nil
}

// loadNodes are the two that carry load.
func loadNodes(c *cluster.Cluster) []string {
	nodes := c.LoadNodes()
	return nodes[:min(2, len(nodes))]
}

// nodeOf reads a node's object.
func nodeOf(n corev1.Node) doctor.Node {
	info := n.Status.NodeInfo
	node := doctor.Node{
		Name: n.Name, Kubelet: info.KubeletVersion, Runtime: info.ContainerRuntimeVersion, Kernel: info.KernelVersion, OS: info.OSImage,
		CPUs: int(n.Status.Capacity.Cpu().Value()), MemoryMiB: n.Status.Capacity.Memory().Value() >> 20,
		Message: "it has no status yet", Facts: facts.New(), Missing: map[doctor.Part]string{},
	}
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP && node.Address == "" {
			node.Address = a.Address
		}
	}
	for _, c := range n.Status.Conditions {
		switch {
		case c.Type == corev1.NodeReady:
			node.Ready, node.Message = c.Status == corev1.ConditionTrue, c.Message
		case c.Status == corev1.ConditionTrue:
			node.Pressures = append(node.Pressures, string(c.Type))
		}
	}
	_, master := n.Labels["node-role.kubernetes.io/master"]
	_, controlPlane := n.Labels["node-role.kubernetes.io/control-plane"]
	node.Worker = !n.Spec.Unschedulable && !master && !controlPlane
	return node
}

// eachLoadNode does something with every node that carries load, at the same
// time.
func (e *examiner) eachLoadNode(do func(n *doctor.Node)) {
	var group sync.WaitGroup
	for i := range e.snapshot.Nodes {
		if e.snapshot.Nodes[i].Load {
			group.Go(func() { do(&e.snapshot.Nodes[i]) })
		}
	}
	group.Wait()
}

// within bounds one part of the look.
func (e *examiner) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(e.ctx, partTimeout)
}

// complete adds what a node does not see of the kernel that it shares with this
// process.
func complete(report facts.Report) facts.Facts {
	all := facts.New()
	all.Merge(report.Kernel)
	if bootID, here := facts.ReadHere(); bootID != "" && bootID == report.BootID {
		for name := range maps.Clone(all.Missing) {
			if value, known := here.Values[name]; known {
				all.Set(name, value)
			}
		}
	}
	all.Merge(report.Node)
	return all
}
