package stage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// Berth is the place of a load pod among many: the Number-th on a node, from 1.
type Berth struct {
	Node   string
	Number int
}

// FleetPod is a load pod among many. It echoes TCP on a port of its own, which
// those in one node's network must not share.
type FleetPod struct {
	Pod      cluster.Pod
	EchoPort int
}

// MostBerths is the largest number of a berth: fleet pods echo on as many ports
// above fleetPort, and the next ones belong to others.
const MostBerths = 64

// fleetPort is below the first port on which members of a fleet echo.
const fleetPort = 7100

// berthKey is a berth with whose network its pod uses.
type berthKey struct {
	Berth
	end string
}

// Fleet returns a load pod at each berth, which stay until [Stage.Dismiss], and
// proves on every call that they still run where they should: what ended since
// the last call is made anew. The end is InPod or OnHost; where all load uses the nodes'
// network, so do these. A pod that somebody replaced or that is misplaced is an
// [*InvalidError].
func (s *Stage) Fleet(ctx context.Context, end string, berths []Berth) ([]FleetPod, error) {
	end = Ends{Client: end}.resolve(s.entry.HostNetwork()).Client
	if err := s.man(ctx, end, berths); err != nil {
		return nil, err
	}
	members := make([]FleetPod, len(berths))
	for i, berth := range berths {
		m := s.fleet[berthKey{berth, end}]
		if err := m.verify(berth, end); err != nil {
			return nil, err
		}
		members[i] = m
	}
	return members, nil
}

// man makes the pods of the berths where none runs.
func (s *Stage) man(ctx context.Context, end string, berths []Berth) error {
	var empty []Berth
	var names []string
	var pods []*corev1.Pod
	for _, berth := range berths {
		if berth.Number < 1 || berth.Number > MostBerths {
			return fmt.Errorf("a node has no load pod %d: they are numbered from 1 to %d", berth.Number, MostBerths)
		}
		member, known := s.fleet[berthKey{berth, end}]
		if known {
			err := s.stillRuns(ctx, member.Pod)
			var ended *cluster.NotRunningError
			switch {
			case err == nil:
				continue
			case !errors.As(err, &ended):
				return err
			}
		}
		name := berth.podName(end)
		empty, names = append(empty, berth), append(names, name)
		pods = append(pods, s.passingPod(s.Pod(name, berth.Node, end, echoCommand(berth.echoPort()))))
	}
	if err := s.clear(ctx, names...); err != nil {
		return err
	}
	made, err := s.cluster.CreatePods(ctx, pods, PodTimeout)
	if err != nil {
		return err
	}
	for i, berth := range empty {
		s.fleet[berthKey{berth, end}] = FleetPod{made[i], berth.echoPort()}
	}
	return nil
}

func (b Berth) echoPort() int { return fleetPort + b.Number }

// podName is unique and short enough for a label, whatever the node is called.
func (b Berth) podName(end string) string {
	name := fmt.Sprintf("fleet-%s-%s-%d", end, b.Node, b.Number)
	if len(validation.IsValidLabelValue(name)) > 0 || len(name) > validation.DNS1123LabelMaxLength {
		return fmt.Sprintf("fleet-%s-%.8x-%d", end, sha256.Sum256([]byte(b.Node)), b.Number)
	}
	return name
}

// verify holds a member against what was asked for.
func (m FleetPod) verify(b Berth, end string) error {
	switch {
	case m.Pod.Node != b.Node:
		return &InvalidError{fmt.Sprintf("pod %s is to run on %s, and runs on %s", m.Pod.Name, b.Node, m.Pod.Node)}
	case m.Pod.HostNetwork != (end == OnHost):
		return &InvalidError{fmt.Sprintf("pod %s is to use the network of a %s, but host network is %t", m.Pod.Name, end, m.Pod.HostNetwork)}
	}
	return nil
}

// proofsAtOnce bounds how many ways between members are proven at the same time.
const proofsAtOnce = 8

// ReachAll proves, once for each way, that TCP comes through from the first
// member to the second.
func (s *Stage) ReachAll(ctx context.Context, ways [][2]FleetPod) error {
	errs := make([]error, len(ways))
	_ = cluster.AtOnce(proofsAtOnce, len(ways), func(i int) error {
		from, to := ways[i][0], ways[i][1]
		if s.reached[[2]string{from.Pod.UID, to.Pod.UID}] {
			return nil
		}
		what := fmt.Sprintf("an echo on %s from %s", from.Pod.Node, to.Pod.Node)
		errs[i] = cluster.Until(ctx, PodTimeout, what, func(ctx context.Context) error {
			return cni.Reach(ctx, s.cluster, from.Pod, to.Pod.IP, to.EchoPort)
		})
		return nil // all are tried: each may tell of another node
	})
	for i, way := range ways {
		if errs[i] == nil {
			s.reached[[2]string{way[0].Pod.UID, way[1].Pod.UID}] = true
		}
	}
	return errors.Join(errs...)
}
