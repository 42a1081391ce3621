package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Groups of processes that CPU and memory are attributed to.
const (
	GroupLoad    = "load"    // the load pods
	GroupCNI     = "cni"     // the plugin's own pods
	GroupCluster = "cluster" // everything that runs for the cluster
)

// Sampling is one probe per kernel, running.
type Sampling struct {
	bench    *Bench
	sessions map[string]*Session // by node
	lost     map[string]string   // why there is none, by node
	cut      context.CancelFunc
	// patience is what a probe may take to hand over what it saw: a trial must
	// not wait for one that hangs.
	patience time.Duration
}

// Sampled is what the probes saw, by node. A node is in one of the maps: what
// its probe saw, or why that is not known.
type Sampled struct {
	series map[string]sample.Series
	lost   map[string]string
}

// handOver is the patience with probes, which are done within a second.
const handOver = 30 * time.Second

// SamplingInterval follows docs/methodology.md: 10 Hz for trials under 5 s.
func SamplingInterval(d time.Duration) time.Duration {
	if d < 5*time.Second {
		return 100 * time.Millisecond
	}
	return time.Second
}

// StartSampling starts the probes and returns when each has its first sample.
// A probe that does not start costs the trial its figures, not the trial.
func (b *Bench) StartSampling(ctx context.Context, trial time.Duration, load ...cluster.Pod) (*Sampling, error) {
	samplers, err := b.samplers(ctx, load)
	if err != nil {
		return nil, err
	}
	b.counters.begin(ctx, load)
	within, cut := context.WithCancel(ctx)
	s := &Sampling{b, map[string]*Session{}, map[string]string{}, cut, handOver}
	for _, on := range samplers {
		spec := sample.Spec{Interval: SamplingInterval(trial), Groups: on.groups}
		session, err := startSampler(within, on.name, ProbeOnNode(on.cluster, on.node), spec)
		switch {
		case ctx.Err() != nil:
			s.Cancel()
			return nil, ctx.Err()
		case err != nil:
			s.lost[on.name] = err.Error()
		default:
			s.sessions[on.name] = session
		}
	}
	return s, nil
}

// sampler is a probe to start.
type sampler struct {
	name    string // of its node; outside of the trial's own cluster more
	node    string
	cluster *cluster.Cluster
	groups  map[string][]string
}

// samplers are the probes of a load: one per node that is sampled, also in the
// peer's cluster where the load reaches into it.
func (b *Bench) samplers(ctx context.Context, load []cluster.Pod) ([]sampler, error) {
	agents, err := cni.Agents(ctx, b.Cluster, b.Entry)
	if err != nil {
		return nil, err
	}
	var all []sampler
	for _, node := range b.sampled(load) {
		all = append(all, sampler{node, node, b.Cluster, b.groups(node, agents, load)})
	}
	if b.beyond == nil {
		return all, nil
	}
	beyond, err := b.Peer.samplers(ctx, b.beyond)
	if err != nil {
		return nil, fmt.Errorf("in the second cluster: %w", err)
	}
	return b.joined(all, beyond), nil
}

// startSampler starts the probe on a node and returns when it has its first
// sample.
func startSampler(ctx context.Context, node string, run Runner, spec sample.Spec) (*Session, error) {
	session, err := Open(ctx, "the probe on "+node, run, "sample", spec)
	if err != nil {
		return nil, err
	}
	var ready sample.Ready
	if err := session.Read(probe.FrameReady, &ready); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// sampled are the nodes to sample: where each has a kernel of its own, those
// without load have nothing to do with the trial.
func (b *Bench) sampled(load []cluster.Pod) []string {
	all := b.Cluster.Samplers()
	if b.Cluster.SharedKernel() {
		return all
	}
	return slices.DeleteFunc(all, func(node string) bool {
		return !slices.ContainsFunc(load, func(p cluster.Pod) bool { return p.Node == node })
	})
}

// groups lists the control groups to sample from one node: those of all nodes
// where one sampler sees them all. It is empty where groups are not known.
func (b *Bench) groups(sampler string, agents, load []cluster.Pod) map[string][]string {
	if b.Unattributed() != "" {
		return nil
	}
	all := b.Cluster.SharedKernel() && len(b.Cluster.Samplers()) == 1
	here := func(node string) bool { return all || node == sampler }
	groups := map[string][]string{GroupCluster: b.Cluster.ClusterGroups(sampler)}
	add := func(name string, pods []cluster.Pod) {
		for _, p := range pods {
			if here(p.Node) {
				groups[name] = append(groups[name], b.Cluster.PodGroup(p))
			}
		}
	}
	add(GroupCNI, agents)
	// Host-network pods have control groups like all others.
	add(GroupLoad, load)
	for _, node := range b.Cluster.NodeNames() {
		if !here(node) {
			continue
		}
		for name, paths := range b.Cluster.SystemGroups(node) {
			groups[name] = append(groups[name], paths...)
		}
	}
	for _, paths := range groups {
		for i := range paths {
			// The probe wants them relative to the mount point.
			paths[i] = strings.TrimPrefix(paths[i], "/")
		}
	}
	return groups
}

// Mark asks the probes for a sample right away: at the edge of a window nothing
// has to be interpolated then. It does not wait for them.
func (s *Sampling) Mark() {
	for _, session := range s.sessions {
		go func() { _ = session.Send([]byte("mark\n")) }() // one that is gone is told of by Stop
	}
}

// Cancel ends the probes and throws away what they saw.
func (s *Sampling) Cancel() {
	for _, session := range s.sessions {
		session.Close()
	}
	s.cut()
}

// Stop ends the probes and returns what they saw, after writing it to the
// evidence. Its error is the trial's end alone: a probe that died or sent half
// of what it saw is one of the lost.
func (s *Sampling) Stop(ctx context.Context) (Sampled, error) {
	var hangs atomic.Bool
	patience := time.AfterFunc(s.patience, func() {
		hangs.Store(true)
		s.cut()
	})
	defer s.cut()
	defer patience.Stop()
	got := Sampled{map[string]sample.Series{}, maps.Clone(s.lost)}
	for node, session := range s.sessions {
		session.Close()
		var series sample.Series
		if err := session.Read(probe.FrameSeries, &series); err != nil {
			if ctx.Err() != nil {
				return Sampled{}, err
			}
			got.lost[node] = err.Error()
			if hangs.Load() {
				got.lost[node] += fmt.Sprintf(": it did not hand over what it saw within %s", s.patience)
			}
			continue
		}
		got.series[node] = series
		if err := s.bench.keepSeries(node, series); err != nil {
			s.bench.lose("probe-"+node+".om.zst", err)
		}
	}
	s.bench.counters.end()
	return got, nil
}

func (b *Bench) keepSeries(node string, series sample.Series) error {
	families, err := openmetrics.Families(series, map[string]string{"node": node})
	if err != nil {
		return err
	}
	return b.KeepMetrics("probe-"+node, families)
}

// KeepMetrics writes metric families as compressed OpenMetrics.
func (b *Bench) KeepMetrics(name string, families []openmetrics.Family) error {
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf)
	if err != nil {
		return err
	}
	if err := errors.Join(openmetrics.Write(w, families), w.Close()); err != nil {
		return fmt.Errorf("keeping metrics %s: %w", name, err)
	}
	b.Keep(name+".om.zst", buf.Bytes())
	return nil
}
