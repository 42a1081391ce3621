package stage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// IdleGroup is the name of the plugin's pods in what [WatchIdle] returns.
const IdleGroup = GroupCNI

// WatchIdle samples the machines of a cluster for a while, with no load of ours,
// and sums up what they did, by node; of nodes that share a kernel the first.
// A node is in lost, with the reason, if its probe did not tell.
func WatchIdle(ctx context.Context, c *cluster.Cluster, agents []cluster.Pod, window time.Duration) (seen map[string]sample.Summary, lost map[string]string) {
	ctx, cut := context.WithTimeout(ctx, window+handOver)
	defer cut()
	seen, lost = map[string]sample.Summary{}, map[string]string{}
	sessions := map[string]*Session{}
	for _, node := range c.Samplers() {
		spec := sample.Spec{Interval: SamplingInterval(window), Groups: idleGroups(c, node, agents), Only: []string{sample.SourceMemory}}
		s, err := startSampler(ctx, node, ProbeOnNode(c, node), spec)
		if err != nil {
			lost[node] = err.Error()
			continue
		}
		sessions[node] = s
	}
	select {
	case <-ctx.Done():
	case <-time.After(window):
	}
	for node, s := range sessions {
		s.Close()
		var series sample.Series
		if err := s.Read(probe.FrameSeries, &series); err != nil {
			lost[node] = err.Error()
			continue
		}
		summary, err := whole(series)
		if err != nil {
			lost[node] = err.Error()
			continue
		}
		seen[node] = summary
	}
	return seen, lost
}

// whole sums up all of a series.
func whole(s sample.Series) (sample.Summary, error) {
	if len(s.Samples) < 2 {
		return sample.Summary{}, fmt.Errorf("the probe took %d samples", len(s.Samples))
	}
	return sample.Summarize(s, s.Samples[0].At, s.Samples[len(s.Samples)-1].At)
}

// idleGroups are the plugin's pods that a sampler sees. It is empty where
// control groups are not known.
func idleGroups(c *cluster.Cluster, sampler string, agents []cluster.Pod) map[string][]string {
	if len(c.Unattributed()) > 0 {
		return nil
	}
	all := c.SharedKernel() && len(c.Samplers()) == 1
	var paths []string
	for _, p := range agents {
		if group := c.PodGroup(p); group != "" && (all || p.Node == sampler) {
			paths = append(paths, strings.TrimPrefix(group, "/"))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return map[string][]string{IdleGroup: paths}
}
