package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/stage"
)

// disruptor is an event.
type disruptor struct {
	what  string // is ended, in words
	where string // in words
	begin func(ctx context.Context) error
	// over returns nil when what was ended is ready again.
	over func(ctx context.Context) error
	// undo takes back what the event changed for good, whole or in part; nil:
	// nothing.
	undo func(ctx context.Context) error
	// changed tells whether there is anything to take back.
	changed func() bool
	// facts are more to tell once it is over; nil: nothing.
	facts func() map[string]string
}

// awaitOver waits until the event is over.
func (d disruptor) awaitOver(ctx context.Context, limit time.Duration) error {
	return cluster.Until(ctx, limit, d.what+" to be ready again", d.over)
}

// prepare returns the event, or an [*stage.UnsupportedError].
func (d *disruption) prepare(ctx context.Context) (disruptor, error) {
	switch d.v.Text("event") {
	case kubeletRestart:
		return d.prepareKubelet()
	case upgradeEvent:
		return d.prepareUpgrade(ctx)
	}
	return d.prepareAgent(ctx)
}

// beyondDisruption says of events that are known not to be possible. What a
// plugin's agents are that was there already, its cluster tells.
func beyondDisruption(v parameter.Values, at Setting) string {
	switch event := v.Text("event"); {
	case event == upgradeEvent:
		if reason := upgradeLacks(at.Entry, v.Text(upgradeTo.Name)); reason != "" || !at.KeepsCNI {
			return reason
		}
		return untouchable
	case event == kubeletRestart && !at.Lab:
		return cluster.ErrKubeletStays.Error()
	case event == agentRestart && at.KeepsCNI:
		return untouchable
	case event == agentRestart && !at.Entry.Variant.Present && !at.Entry.HasDataplane():
		return at.Entry.Name + " has no agent that could restart"
	}
	return ""
}

// untouchable is why no agent is ended in a cluster whose plugin is to stay as
// it is.
const untouchable = "the cluster's network plugin may not be touched, and its agents would be ended: allowCNIChange: true below existing allows it"

// prepareAgent finds the pods through which the plugin's traffic on the node
// goes.
func (d *disruption) prepareAgent(ctx context.Context) (disruptor, error) {
	if !d.Cluster.MayChangeCNI() {
		return disruptor{}, &stage.UnsupportedError{Reason: untouchable}
	}
	old, err := cni.DataplaneOn(ctx, d.Cluster, d.Entry, d.node)
	if err != nil {
		return disruptor{}, err
	}
	if len(old) == 0 {
		return disruptor{}, &stage.UnsupportedError{Reason: fmt.Sprintf("%s has no agent on %s that could restart", d.Entry.Name, d.node)}
	}
	var names []string
	for _, p := range old {
		names = append(names, p.Namespace+"/"+p.Name)
	}
	return disruptor{
		what: strings.Join(names, ", "), where: d.node,
		begin: func(ctx context.Context) error {
			err := cni.Delete(ctx, d.Cluster, old)
			if apierrors.IsForbidden(err) {
				return &stage.UnsupportedError{Reason: "event " + agentRestart + " needs the right to delete the plugin's pods: " + err.Error()}
			}
			return err
		},
		over: func(ctx context.Context) error { return cni.Replaced(ctx, d.Cluster, d.Entry, d.node, old) },
	}, nil
}

// prepareKubelet tells the run that the kubelet's end is no accident.
func (d *disruption) prepareKubelet() (disruptor, error) {
	if err := d.Cluster.CanEndKubelet(); err != nil {
		return disruptor{}, &stage.UnsupportedError{Reason: err.Error()}
	}
	name := d.node + "/kubelet"
	before, err := d.Cluster.Incarnations()
	if err != nil {
		return disruptor{}, err
	}
	return disruptor{
		what: "kubelet of " + d.node, where: d.node,
		begin: func(ctx context.Context) error {
			if d.Restarting != nil {
				d.Restarting(name)
			}
			return d.Cluster.EndKubelet(ctx, d.node)
		},
		over: func(ctx context.Context) error {
			now, err := d.Cluster.Incarnations()
			if err != nil {
				return err
			}
			if now[name] == before[name] {
				return errors.New("it has not ended yet")
			}
			return d.Cluster.KubeletAnswers(ctx, d.node)
		},
	}, nil
}

// settleTimeout bounds the wait for nodes that were ready a moment ago.
const settleTimeout = time.Minute

// settleAfter settles, unless something is still to be undone.
func (d *disruption) settleAfter(ctx context.Context) error {
	if d.event.undo != nil {
		return nil
	}
	return d.settle(ctx)
}

// settle returns when the plugin and the nodes say that they are well, and the
// plugin's pods have little to do: the next trial is to find them so.
func (d *disruption) settle(ctx context.Context) (err error) {
	if d.Entry.HostNetwork() {
		// Without a plugin nodes are never ready, and pods on their network run.
		return d.Cluster.KubeletAnswers(ctx, d.node)
	}
	if err := d.Cluster.AwaitNodesReady(ctx, settleTimeout); err != nil {
		return fmt.Errorf("after the event: %w", err)
	}
	if err := cni.AwaitAgents(ctx, d.Cluster, d.Entry); err != nil {
		return fmt.Errorf("after the event: %w", err)
	}
	d.calm, err = d.AwaitCalm(ctx)
	return err
}
