package stage

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Placements of the two ends of a load.
const (
	CrossNode = parameter.CrossNode
	SameNode  = parameter.SameNode
)

const (
	// Namespace holds load pods and their Services.
	Namespace = cluster.Namespace
	// EchoPort is where every server pod on its node echoes TCP and UDP, for
	// proofs.
	EchoPort = 7007
	// requestsAtOnce is how many requests the API gets at once.
	requestsAtOnce = 16
	// FirstPort is the first of the load generators' ports, one per stream.
	FirstPort = 5201
)

// Stage keeps the load pods of a cluster and the Services in front of them,
// which are made when first needed and serve every later trial, but for those that
// [Stage.Dismiss] takes away.
type Stage struct {
	cluster   *cluster.Cluster
	entry     cni.Entry
	pairs     map[Ends]Pair
	fleet     map[berthKey]FleetPod
	reached   map[[2]string]bool // members, by the UIDs of both
	addresses map[addressKey]Address
	lines     map[[2]string]LineLimit // by the two nodes
	programs  map[programKey]bool     // that were copied into pods
	overlay   Overlay
	// unbalanced tells that a Service of type LoadBalancer got no address.
	unbalanced bool
	// unserved says why an IngressClass has nobody who serves it, by its name.
	unserved map[string]string
	// routed tells that the host outside has routes of ours.
	routed bool
	// passing tells that there may be pods that only a trial needs.
	passing bool
	// ended are members of crowds that ended before their crowd did.
	ended []string
	// owner tells that the namespace was made for the stage.
	owner bool
}

// New prepares a cluster, which must be able to run pods. The overlay is
// laid over all load pods.
func New(ctx context.Context, c *cluster.Cluster, e cni.Entry, o Overlay) (*Stage, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	made, err := c.EnsureNamespace(ctx)
	if err != nil {
		return nil, err
	}
	if err := LabelNamespace(ctx, c, o.NamespaceLabels); err != nil {
		return nil, err
	}
	return &Stage{
		cluster: c, entry: e, overlay: o, owner: made,
		pairs: map[Ends]Pair{}, fleet: map[berthKey]FleetPod{}, reached: map[[2]string]bool{}, addresses: map[addressKey]Address{}, lines: map[[2]string]LineLimit{}, programs: map[programKey]bool{},
	}, nil
}

// Remove deletes everything that the stage made. In a cluster whose namespace
// holds more than the stage it returns when the nodes have taken the pods'
// networks down; otherwise the cluster finishes it in the background.
func (s *Stage) Remove(ctx context.Context) error {
	clear(s.pairs)
	clear(s.fleet)
	clear(s.addresses)
	routes := s.removeRoutes(ctx)
	if !s.owner {
		return errors.Join(routes, s.cluster.RemoveLoad(ctx))
	}
	if err := s.cluster.Kube().CoreV1().Namespaces().Delete(ctx, Namespace, metav1.DeleteOptions{}); err != nil {
		return errors.Join(routes, fmt.Errorf("removing namespace %s: %w", Namespace, err))
	}
	return routes
}
