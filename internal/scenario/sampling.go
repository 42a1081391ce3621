package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	groupLoad    = "load"    // the load pods
	groupCNI     = "cni"     // the plugin's own pods
	groupCluster = "cluster" // everything that runs for the cluster
)

// sampling is one probe per kernel, running.
type sampling struct {
	bench    *Bench
	sessions map[string]*session // by node
}

// interval follows docs/methodology.md: 10 Hz for trials under 5 s.
func interval(d time.Duration) time.Duration {
	if d < 5*time.Second {
		return 100 * time.Millisecond
	}
	return time.Second
}

// startSampling starts the probes and returns when each has its first sample.
func (b *Bench) startSampling(ctx context.Context, trial time.Duration, load ...cluster.Pod) (*sampling, error) {
	agents, err := cni.Agents(ctx, b.Cluster, b.Entry)
	if err != nil {
		return nil, err
	}
	s := &sampling{b, map[string]*session{}}
	for _, node := range b.samplers(load) {
		spec := sample.Spec{Interval: interval(trial), Groups: b.groups(node, agents, load)}
		session, err := open(ctx, "probe on "+node, onNode(b.Cluster, node), "sample", spec)
		if err != nil {
			s.cancel()
			return nil, err
		}
		s.sessions[node] = session
		var ready sample.Ready
		if err := session.read(probe.FrameReady, &ready); err != nil {
			s.cancel()
			return nil, err
		}
	}
	return s, nil
}

// samplers are the nodes to sample: where each has a kernel of its own, those
// without load have nothing to do with the trial.
func (b *Bench) samplers(load []cluster.Pod) []string {
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
	if b.unattributed() != "" {
		return nil
	}
	all := b.Cluster.SharedKernel() && len(b.Cluster.Samplers()) == 1
	here := func(node string) bool { return all || node == sampler }
	groups := map[string][]string{groupCluster: b.Cluster.ClusterGroups(sampler)}
	add := func(name string, pods []cluster.Pod) {
		for _, p := range pods {
			if here(p.Node) {
				groups[name] = append(groups[name], b.Cluster.PodGroup(p))
			}
		}
	}
	add(groupCNI, agents)
	// Host-network pods have control groups like all others.
	add(groupLoad, load)
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

// cancel ends the probes and throws away what they saw.
func (s *sampling) cancel() {
	for _, session := range s.sessions {
		session.close()
	}
}

// stop ends the probes and returns what they saw, by node, after writing it
// to the evidence.
func (s *sampling) stop() (map[string]sample.Series, error) {
	all := map[string]sample.Series{}
	for node, session := range s.sessions {
		session.close()
		var series sample.Series
		if err := session.read(probe.FrameSeries, &series); err != nil {
			return nil, err
		}
		all[node] = series
		if err := s.bench.keepSeries(node, series); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (b *Bench) keepSeries(node string, series sample.Series) error {
	families, err := openmetrics.Families(series, map[string]string{"node": node})
	if err != nil {
		return fmt.Errorf("keeping the series of %s: %w", node, err)
	}
	return b.keepMetrics("probe-"+node, families)
}

// keepMetrics writes metric families as compressed OpenMetrics.
func (b *Bench) keepMetrics(name string, families []openmetrics.Family) error {
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf)
	if err != nil {
		return err
	}
	if err := errors.Join(openmetrics.Write(w, families), w.Close()); err != nil {
		return fmt.Errorf("keeping metrics %s: %w", name, err)
	}
	return b.keep(name+".om.zst", buf.Bytes())
}
