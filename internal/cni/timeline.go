package cni

import (
	"context"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Timeline says when an installation came how far. It is zero for a variant
// that installs nothing.
type Timeline struct {
	Begun      time.Time // just before the first change to the cluster
	Applied    time.Time // the API has taken all manifests
	NodesReady time.Time // all nodes can run pods
	// AgentsReady is when all that the variant starts said that it is ready,
	// FirstReply when a pod had an answer from one on another node. Whoever
	// waits for them sets them.
	AgentsReady time.Time
	FirstReply  time.Time

	agents *agentsWatch
}

// agentsWatch waits for what the variant starts, beside everything else that
// is waited for: the plugin's own pods may be ready before the nodes or long
// after them.
type agentsWatch struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the fields below are set
	at     time.Time
	err    error
}

func watchAgents(ctx context.Context, c *cluster.Cluster, e Entry) *agentsWatch {
	ctx, cancel := context.WithCancel(ctx)
	w := &agentsWatch{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = AwaitAgents(ctx, c, e)
		w.at = time.Now().UTC()
	}()
	return w
}

// AwaitAgents waits until all that the variant starts says that it is ready,
// and returns when that was the case: within one poll of the API, 50 ms.
func (t Timeline) AwaitAgents() (time.Time, error) {
	if t.agents == nil {
		return time.Time{}, nil
	}
	<-t.agents.done
	return t.agents.at, t.agents.err
}

// Close ends the wait for what the variant starts, if there is one.
func (t Timeline) Close() {
	if t.agents != nil {
		t.agents.cancel()
	}
}
