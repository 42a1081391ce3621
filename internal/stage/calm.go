package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

const (
	// calmCores is what the plugin's pods that one probe sees may take and still
	// leave a trial alone. Those of Cilium without load take about 0.1, and
	// more than 1 while they compile a datapath.
	calmCores = 0.2
	// calmWindow is how long they are watched at a time, and calmLimit in all: a
	// plugin may be busy by its nature.
	calmWindow = 2 * time.Second
	calmLimit  = time.Minute
)

// AwaitCalm returns when the plugin's pods have little to do: one that was
// restarted may say that it is ready and compile its datapath anew, in the next
// trial's time. It says in words how that ended, also where it gave up or could
// not see, because a busy plugin is no failure of the trial before. Its error
// is the context's.
func (b *Bench) AwaitCalm(ctx context.Context) (how string, err error) {
	agents, err := cni.Agents(ctx, b.Cluster, b.Entry)
	if err != nil {
		return "not watched: " + err.Error(), ctx.Err()
	}
	for begun := time.Now(); ; {
		seen, _ := WatchIdle(ctx, b.Cluster, agents, calmWindow)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		cores, known := busiestAgents(seen)
		took := time.Since(begun).Round(time.Second)
		switch {
		case !known:
			return "not seen: no probe could tell", nil
		case cores <= calmCores:
			return fmt.Sprintf("calm %s later, at %.2f cores", took, cores), nil
		case took >= calmLimit:
			return fmt.Sprintf("not calm %s later, at %.2f cores", took, cores), nil
		}
	}
}

// busiestAgents is what the plugin's pods took, in cores, where one probe saw
// them take the most. It is not known where no probe saw any.
func busiestAgents(seen map[string]sample.Summary) (cores float64, known bool) {
	for node, s := range seen {
		if g, err := group(s, node, IdleGroup); err == nil {
			cores, known = max(cores, g.Cores), true
		}
	}
	return cores, known
}
