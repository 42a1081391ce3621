package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe/birth"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// podStart is one pod's, with times by our clock.
type podStart struct {
	Pod      string    `json:"pod"`
	UID      string    `json:"uid"`
	Node     string    `json:"node"`
	Called   time.Time `json:"called"`
	Created  time.Time `json:"created"` // when the API had answered the call
	Bound    time.Time `json:"bound"`
	Running  time.Time `json:"running"`
	Replied  time.Time `json:"replied"`
	Attempts int       `json:"attempts"`
	// Took is the greeting's part by the client's own clock, in seconds.
	Took float64 `json:"tookSeconds"`
}

func newPodStart(m stage.CrowdPod, r stage.Reply) podStart {
	return podStart{
		Pod: m.Name, UID: m.Pod.UID, Node: m.Pod.Node, Called: m.Called, Created: m.Created, Bound: m.Bound, Running: m.Running,
		Replied: r.At, Attempts: r.Attempts, Took: r.Took,
	}
}

// startupStage is a part of the way from the call to the reply.
type startupStage struct {
	name, help string
	of         func(podStart, birth.Birth) (time.Duration, bool)
}

// ours is a stage by our own clock, which knows all of its times.
func ours(name, help string, of func(podStart) time.Duration) startupStage {
	return startupStage{name, help, func(s podStart, _ birth.Birth) (time.Duration, bool) { return of(s), true }}
}

var (
	wholeStartup = ours("startup", "from the API call for a pod until the client had a reply from it", func(s podStart) time.Duration { return s.Replied.Sub(s.Called) })

	startupStages = []startupStage{
		ours("scheduling", "from the API call until it arrived here that the pod has a node", func(s podStart) time.Duration { return s.Bound.Sub(s.Called) }),
		ours("starting", "from when it arrived here that the pod has a node until it arrived that the pod runs", func(s podStart) time.Duration { return s.Running.Sub(s.Bound) }),
		{"sandbox", "within starting, by the node's clock: the pod's sandbox, the plugin's part included", func(_ podStart, b birth.Birth) (time.Duration, bool) { return b.Sandbox() }},
		{"cni-add", "within sandbox, by the node's clock: from the network namespace until the plugin's result is written down", func(_ podStart, b birth.Birth) (time.Duration, bool) { return b.ADD() }},
		ours("first-reply", "from when it arrived here that the pod runs until the client had a reply from it", func(s podStart) time.Duration { return s.Replied.Sub(s.Running) }),
	}
)

// startupShares are the percentiles of a stage.
var startupShares = []struct {
	name  string
	share float64
	help  string
	part  bool // also of the stages
}{{"p50", 0.5, "median", true}, {"p95", 0.95, "95th percentile, from 200 starts on,", false}, {"p99", 0.99, "99th percentile, from 1,000 starts on,", true}}

// metric describes a figure of a stage.
func (s startupStage) metric(figure, help string) result.Metric {
	return result.Metric{Name: s.name + "-" + figure, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10, Help: help + " of the time " + s.help}
}

// startupMetrics begins with the median of the whole.
func startupMetrics() []result.Metric {
	var all []result.Metric
	for _, s := range append([]startupStage{wholeStartup}, startupStages...) {
		whole := s.name == wholeStartup.name
		for i, p := range startupShares {
			if whole || p.part {
				all = append(all, s.metric(p.name, p.help))
			}
			if i == 0 {
				all = append(all, s.metric("mean", "mean"))
			}
		}
		if whole {
			all = append(all, s.metric("max", "longest"))
		}
	}
	return append(all, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory)
}

// startupFigures are those of all starts. A stage that was not seen of every
// pod is missing: the others need not be like them.
func startupFigures(starts []podStart, born stage.Born, hostNetwork bool) stage.Figures {
	var f stage.Figures
	for _, s := range append([]startupStage{wholeStartup}, startupStages...) {
		whole := s.name == wholeStartup.name
		times, missing := s.times(starts, born)
		if s.name == "cni-add" && hostNetwork {
			missing = "pods in the host's network have no ADD"
		}
		for i, p := range startupShares {
			if whole || p.part {
				f.Merge(s.percentile(times, missing, p.name, p.help, p.share))
			}
			if i == 0 {
				f.Merge(s.figure("mean", "mean", missing, times.Mean()))
			}
		}
		if whole {
			f.Merge(s.figure("max", "longest", missing, times[len(times)-1]))
		}
	}
	return f
}

// times are those of all pods, or why they are not known of all.
func (s startupStage) times(starts []podStart, born stage.Born) (load.Latencies, string) {
	var all []time.Duration
	var unseen []string
	for _, start := range starts {
		d, ok := s.of(start, born.ByUID[start.UID])
		if !ok {
			unseen = append(unseen, born.Unseen(start.Pod, start.Node))
			continue
		}
		all = append(all, d)
	}
	if len(unseen) == 0 {
		return load.SortedLatencies(all), ""
	}
	return nil, fmt.Sprintf("it was not seen of %d of %d pods: %s", len(unseen), len(starts), strings.Join(unseen[:1], ""))
}

func (s startupStage) figure(name, help, missing string, d time.Duration) stage.Figures {
	var f stage.Figures
	if m := s.metric(name, help); missing != "" {
		f.Lack(missing, m)
	} else {
		f.Add(m, d.Seconds())
	}
	return f
}

func (s startupStage) percentile(times load.Latencies, missing, name, help string, share float64) stage.Figures {
	d, ok := times.Percentile(share)
	if missing == "" && !ok {
		missing = fmt.Sprintf("%d starts are too few for the %s", len(times), strings.TrimSuffix(help, ","))
	}
	return s.figure(name, help, missing, d)
}
