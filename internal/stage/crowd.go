package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

const (
	// crowdLabel holds together what is made at once.
	crowdLabel = "cnibench.io/crowd"
	// crowdPort is the first port of a crowd on the host's network, below
	// those of NodePorts and of outgoing connections.
	crowdPort = 20000
	// crowdTimeout bounds the making and the removal of a crowd, and crowdEach
	// is added for each pod of it.
	crowdTimeout, crowdEach = PodTimeout, time.Second
)

// CrowdSpec asks for many light pods.
type CrowdSpec struct {
	Nodes []string // the node of each pod
	// Scheduled leaves it to the scheduler to bring the pods to their nodes,
	// the only ones that it may choose; otherwise they are bound beforehand.
	Scheduled bool
	// Pace is the time from one pod's API call to the next one's; 0: there are
	// always some under way.
	Pace time.Duration
	// AtOnce is how many pods may have been asked for and not run yet; 0: all.
	// A node that starts hundreds at once takes longer than its kubelet waits.
	AtOnce int
	// Running is told of each pod as soon as it is known to run; nil: nobody.
	Running func(CrowdPod)
}

// Crowd is many light pods, which echo TCP.
type Crowd struct {
	Members []CrowdPod
	stage   *Stage
	label   string
}

// CrowdPod is a pod of a crowd, with times by our clock: those of the API are
// whole seconds.
type CrowdPod struct {
	Name string
	Port int // where it echoes
	// Called is when the API was about to be asked for the pod, and Called to
	// Created what the API took.
	Called, Created time.Time
	// Bound and Running are when it was told here that the pod has a node, and
	// that it runs.
	Bound, Running time.Time
	Pod            cluster.Pod // once it runs
}

// Gather makes a crowd and returns when all of it runs. Otherwise it leaves
// nothing behind, and says what it waited for.
func (s *Stage) Gather(ctx context.Context, spec CrowdSpec) (*Crowd, error) {
	id := "crowd-" + strconv.FormatInt(time.Now().UnixMilli(), 36)
	c := &Crowd{stage: s, label: crowdLabel + "=" + id, Members: make([]CrowdPod, len(spec.Nodes))}
	pods := make([]*corev1.Pod, len(spec.Nodes))
	for i, node := range spec.Nodes {
		c.Members[i] = CrowdPod{Name: fmt.Sprintf("%s-%d", id, i+1), Port: EchoPort}
		if s.entry.HostNetwork() {
			c.Members[i].Port = crowdPort + i
		}
		pods[i] = s.crowdPod(c.Members[i], node, id, spec.Scheduled)
	}
	limit := crowdTimeout + time.Duration(len(pods))*crowdEach
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	if err := c.gather(within, pods, spec); err != nil {
		return nil, errors.Join(c.unfinished(ctx, err), c.Disperse(ctx))
	}
	return c, nil
}

// crowdPod describes a member.
func (s *Stage) crowdPod(m CrowdPod, node, id string, scheduled bool) *corev1.Pod {
	end := Ends{}.resolve(s.entry.HostNetwork()).Server
	p := s.Pod(m.Name, node, end, echoCommand(m.Port))
	p.Labels["app"], p.Labels[crowdLabel] = "crowd", id
	if scheduled {
		p.Spec.NodeName = ""
		p.Spec.Affinity = cluster.OnlyOn(node)
	}
	return p
}

// gather creates the pods and follows them until all run.
func (c *Crowd) gather(ctx context.Context, pods []*corev1.Pod, spec CrowdSpec) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Its results are read when it has ended.
	calls := make([][2]time.Time, len(pods))
	way := newTurns(spec.AtOnce)
	created := make(chan struct{})
	create := func() {
		defer close(created)
		if err := c.create(ctx, pods, spec.Pace, way, calls); err != nil {
			cancel(err)
		}
	}
	seen := newRollCall(c.Members, func(m CrowdPod) {
		way.give()
		if spec.Running != nil {
			spec.Running(m)
		}
	})
	began := false
	err := c.stage.cluster.WatchPods(ctx, c.label, func() { began = true; go create() }, seen.note)
	if err != nil {
		cancel(err)
	}
	if began {
		<-created
	}
	for i, call := range calls {
		c.Members[i].Called, c.Members[i].Created = call[0], call[1]
	}
	return err
}

// turns are as many as there may be pods on their way; nil: there is no limit.
type turns chan struct{}

func newTurns(atOnce int) turns {
	if atOnce < 1 {
		return nil
	}
	return make(turns, atOnce)
}

// take waits for a turn, which give hands back.
func (t turns) take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turns) give() {
	if t != nil {
		<-t
	}
}

// create asks the API for the pods and notes when.
func (c *Crowd) create(ctx context.Context, pods []*corev1.Pod, pace time.Duration, turn turns, calls [][2]time.Time) error {
	begun := time.Now()
	return cluster.AtOnce(requestsAtOnce, len(pods), func(i int) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Until(begun.Add(time.Duration(i) * pace))):
		}
		if err := turn.take(ctx); err != nil {
			return err
		}
		calls[i][0] = time.Now()
		_, err := c.stage.cluster.Kube().CoreV1().Pods(Namespace).Create(ctx, pods[i], metav1.CreateOptions{})
		calls[i][1] = time.Now()
		if err != nil {
			return fmt.Errorf("creating pod %s: %w", pods[i].Name, err)
		}
		return nil
	})
}

// rollCall notes who has come.
type rollCall struct {
	members []CrowdPod
	index   map[string]int
	why     map[string]string // by name, of those that do not run
	missing int
	running func(CrowdPod)
}

func newRollCall(members []CrowdPod, running func(CrowdPod)) *rollCall {
	r := &rollCall{members: members, index: map[string]int{}, why: map[string]string{}, missing: len(members), running: running}
	for i, m := range members {
		r.index[m.Name] = i
	}
	return r
}

// note reads a change and tells whether all run. A pod that never will is an
// error.
func (r *rollCall) note(change cluster.PodChange) (done bool, err error) {
	i, ours := r.index[change.Pod.Name]
	if !ours {
		return false, nil
	}
	m := &r.members[i]
	if change.Bound && m.Bound.IsZero() {
		m.Bound = change.At
	}
	switch {
	case change.Ended:
		return false, fmt.Errorf("pod %s ended: %s", m.Name, change.Why)
	case change.Running && m.Running.IsZero():
		m.Running, m.Pod = change.At, change.Pod
		r.missing--
		r.running(*m)
	}
	return r.missing == 0, nil
}

// unfinished says of a crowd that did not come together how far it came.
func (c *Crowd) unfinished(ctx context.Context, err error) error {
	running := 0
	first := ""
	for _, m := range c.Members {
		if !m.Running.IsZero() {
			running++
		} else if first == "" {
			first = m.Name
		}
	}
	if ctx.Err() == nil && first != "" {
		err = fmt.Errorf("%w%s", err, c.stage.cluster.Warning(ctx, Namespace, first))
	}
	return fmt.Errorf("%d of %d pods run: %w", running, len(c.Members), err)
}

// Pods are the members' pods.
func (c *Crowd) Pods() []cluster.Pod {
	var pods []cluster.Pod
	for _, m := range c.Members {
		pods = append(pods, m.Pod)
	}
	return pods
}

// Disperse removes the crowd, also when ctx has ended, and returns when the
// nodes have taken the pods' networks down; an ended trial does not wait for
// that. Members that ran no more by then are among those that [Stage.Gone] names.
func (c *Crowd) Disperse(ctx context.Context) error {
	c.stage.ended = append(c.stage.ended, c.lost(ctx)...)
	return c.stage.cluster.RemovePods(ctx, c.label, crowdTimeout+time.Duration(len(c.Members))*crowdEach)
}

// lost names a member that ran and does so no more, with how many more there
// are. After an interrupt nobody asks.
func (c *Crowd) lost(ctx context.Context) []string {
	if ctx.Err() != nil {
		return nil
	}
	there, err := c.stage.cluster.Pods(ctx, Namespace, c.label)
	if err != nil {
		return nil // the removal says what is wrong
	}
	return lostOf(c.Members, there)
}

func lostOf(members []CrowdPod, there []cluster.Pod) []string {
	runs := map[string]bool{}
	for _, p := range there {
		runs[p.UID] = true
	}
	var gone []string
	for _, m := range members {
		if !m.Running.IsZero() && !runs[m.Pod.UID] {
			gone = append(gone, m.Name)
		}
	}
	if len(gone) > 1 {
		return []string{fmt.Sprintf("%s and %d more of its crowd", gone[0], len(gone)-1)}
	}
	return gone
}

// EchoAddress is where a member answers, HOST:PORT.
func (m CrowdPod) EchoAddress() string {
	return Address{Host: m.Pod.IP}.HostPort(m.Port)
}

// String says how many of a crowd are on which node.
func (c *Crowd) String() string {
	on := map[string]int{}
	var nodes []string
	for _, m := range c.Members {
		if on[m.Pod.Node]++; on[m.Pod.Node] == 1 {
			nodes = append(nodes, m.Pod.Node)
		}
	}
	slices.Sort(nodes)
	for i, n := range nodes {
		nodes[i] = fmt.Sprintf("%d on %s", on[n], n)
	}
	return strings.Join(nodes, ", ")
}
