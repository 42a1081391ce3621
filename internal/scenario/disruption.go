package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/gap"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Events that disrupt.
const (
	agentRestart   = "agent-restart"
	kubeletRestart = "kubelet-restart"
	upgradeEvent   = "upgrade"
)

var (
	longestGap = result.Metric{Name: "longest-gap", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.01,
		Help: "longest time without an arrival at the receiver from the event on, less the interval of the packets"}
	packetsLost = result.Metric{Name: "packets-lost", Unit: "packets", Better: result.Lower, Scale: result.Difference, Margin: 10,
		Help: "packets that were due from the event on and never arrived"}
	interrupted = result.Metric{Name: "interrupted", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.01,
		Help: "all gaps of 10 ms and more from the event on, added up"}
	podStartDelay = result.Metric{Name: "pod-start-delay", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 1,
		Help: "the longest time that a new pod on the node took to run from the event on, less the median before it"}
	readyAgain = result.Metric{Name: "ready-again", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the event until what it ended says that it is ready"}
)

var disruptionParameters = []parameter.Parameter{
	{Name: "event", Kind: parameter.Choice, Default: []string{agentRestart}, Choices: []string{agentRestart, kubeletRestart, upgradeEvent},
		Help: "agent-restart: the plugin's dataplane pods of the node are deleted; kubelet-restart: the node's kubelet is; upgrade: the plugin's manifests are applied in the version of to"},
	{Name: "node", Kind: parameter.Choice, Default: []string{"server"}, Choices: []string{"server", "client"},
		Help: "whose node the event hits, and where new pods are started; an upgrade hits all nodes"},
	upgradeTo,
	{Name: "rate", Kind: parameter.Integer, Default: []string{"1000"}, Min: "10", Max: "20000",
		Help: "packets per second; gaps are found to within their interval"},
	{Name: "before", Kind: parameter.Duration, Default: []string{"3s"}, Min: "1s", Max: "5m",
		Help: "how long the stream runs undisturbed first"},
	{Name: "duration", Kind: parameter.Duration, Default: []string{"30s"}, Min: "5s", Max: "30m", Step: "1s",
		Help: "how long it runs from the event on; what the event ended must be ready by then"},
	stage.Placement, stage.Path, stage.ClientEnd, stage.ServerEnd,
}

const (
	// gapThreshold is how long a gap is that is listed and added up.
	gapThreshold = 10 * time.Millisecond
	// disruptionFrame is the size of the stream's Ethernet frames in bytes: far
	// below every MTU, so that a plugin which changes it is not a gap.
	disruptionFrame = 128
)

func init() {
	register(Scenario{
		Name:  disruptionName,
		Title: "what a stream and new pods suffer while the plugin or a kubelet restarts, or the plugin is upgraded",
		Description: "Sends UDP packets at a constant rate from one pod to another, undisturbed at first, and then through the event. " +
			"Gaps are found by the receiver's clock alone, by the kernel's stamp of each packet: a gap is the time between two arrivals less the packets' interval, whether what was between them was lost or came late. " +
			"A gap is as exact as that interval. Where the sender itself paused, by its own clock, as a gap began, the gap is shortened by that: its fact stream tells of pauses, and more than a tenth of the time marks the result generator-limited. " +
			"Both ends stay when connections into their pods end, as they do with a kubelet. " +
			"Beside that, small pods are started one after another on the node that the event hits, three before it and then without a pause, so that one is always under way: " +
			"pod-start-delay is the longest start from the event on less the median of the three. It is as exact as kubelets report, about a second. " +
			"An upgrade applies the plugin's manifests in another version, or once more with an annotation on its pods, and is over when every pod that changes is new and ready on every node; " +
			"then the old manifests are put back. It starts from the variant's own version, such as flannel-vxlan@v0.28.4. " +
			"Ready is what pods and kubelets say of themselves: an agent without a readiness probe is ready as soon as it runs. " +
			"A trial in which the stream ends in a gap, or in which what was ended is not ready within the duration, has failed. " +
			"A plugin whose datapath lives in the kernel may show no gap at all, which is its strength and not a fault of the measurement.",
		Metrics:    []result.Metric{longestGap, packetsLost, interrupted, podStartDelay, readyAgain},
		Parameters: disruptionParameters,
		Expected: func(v parameter.Values) time.Duration {
			expected := v.Duration("before") + v.Duration("duration") + 15*time.Second // pods before and after
			if v.Text("event") == upgradeEvent {
				expected += putBackExpected
			}
			return expected
		},
		Misfit: disruptionMisfit,
		Beyond: beyondDisruption,
		Run:    measureDisruption,
	})
}

// disruption is a trial under way.
type disruption struct {
	*stage.Bench
	v     parameter.Values
	pair  stage.Pair
	node  string // that the event hits
	event disruptor
	begun bool   // the event has
	calm  string // how the plugin came to rest, once it is well again
	ends  *keptEnds
	pods  *newPods
}

func measureDisruption(ctx context.Context, b *stage.Bench, cell plan.Cell) (m stage.Measurement, err error) {
	d := &disruption{Bench: b, v: cell.Parameters}
	if d.pair, err = b.Stage.Pair(ctx, stage.EndsOf(d.v)); err != nil {
		return m, err
	}
	d.node = d.pair.Server.Node
	if d.v.Text("node") == "client" {
		d.node = d.pair.Client.Node
	}
	if d.event, err = d.prepare(ctx); err != nil {
		return m, err
	}
	defer func() {
		err = errors.Join(err, d.putBack(ctx, m.Facts))
		if err == nil && d.calm != "" {
			m.Facts["plugin's pods afterwards"] = d.calm
		}
	}()
	ports := stage.Ports{First: stage.FirstPort, Count: 1, UDP: true}
	address, err := b.Stage.Address(ctx, d.pair, d.v.Text("path"), ports)
	if err != nil {
		return m, err
	}
	d.ends, err = openKeptEnds(ctx, b, d.pair, disruptionSpecs(address, ports, d.v.Integer("rate")), d.life())
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, d.ends.close(ctx)) }()
	d.pods = &newPods{Bench: b, node: d.node, end: d.pair.Ends.Server}
	defer func() { err = errors.Join(err, d.pods.remove(ctx)) }()
	seen, err := d.disrupt(ctx)
	if kept := b.KeepJSON("disruption.json", seen); kept != nil || err != nil {
		return m, errors.Join(err, kept)
	}
	return seen.measurement()
}

// life is how long the ends may live: their trial, and what surrounds it.
func (d *disruption) life() time.Duration {
	return d.v.Duration("before") + d.v.Duration("duration") + 10*time.Minute
}

func disruptionSpecs(a stage.Address, ports stage.Ports, rate int) pacedSpecs {
	s := zeroLossSpecs(a, ports, disruptionFrame)
	gaps := gapsOf(rate)
	s.Receive.Gaps = &gaps
	return s
}

func gapsOf(rate int) gap.Spec {
	return gap.Spec{Interval: time.Second / time.Duration(rate), Threshold: gapThreshold}
}

// disrupted is all that was seen of an event.
type disrupted struct {
	Event string        `json:"event"`
	Where string        `json:"where"`
	What  string        `json:"what"` // was ended, in words
	Rate  int           `json:"rate"`
	Ready time.Duration `json:"readyAgainNs"`
	// Window is the duration that was asked for.
	Window time.Duration `json:"windowNs"`
	Stream pacedTrial    `json:"stream"`
	// Network is the stream's interruptions without its sender's pauses.
	Network gap.Report `json:"network"`
	Pods    podStarts  `json:"pods"`
	// More are facts of the event's own.
	More map[string]string `json:"more,omitempty"`
}

// disrupt runs the stream, the event and new pods beside each other, and
// returns when the plugin is well again.
func (d *disruption) disrupt(ctx context.Context) (seen disrupted, err error) {
	before, after, rate := d.v.Duration("before"), d.v.Duration("duration"), d.v.Integer("rate")
	seen = disrupted{Event: d.v.Text("event"), Where: d.event.where, What: d.event.what, Rate: rate, Window: after}
	if seen.Pods.Before, err = d.pods.few(ctx, startsBefore); err != nil {
		return seen, err
	}
	if err := d.ends.start(ctx, float64(rate), before+after); err != nil {
		return seen, err
	}
	end := time.Now().Add(before + after)
	starting := d.pods.keepStarting(ctx)
	defer starting.stop()
	defer func() {
		if err != nil { // before all that waits for the plugin to end
			err = errors.Join(err, d.putBack(ctx, nil))
		}
	}()
	if err := sleep(ctx, before); err != nil {
		return seen, err
	}
	if err := d.ends.mark(ctx); err != nil {
		return seen, err
	}
	marked := time.Now()
	if seen.Ready, err = d.happen(ctx, end); err != nil {
		return seen, errors.Join(err, d.settleAfter(ctx))
	}
	if d.event.facts != nil {
		seen.More = d.event.facts()
	}
	// A connection that is not there for longer than needed cannot break.
	if err := sleep(ctx, time.Until(end)); err != nil {
		return seen, err
	}
	if seen.Stream, err = d.ends.collect(ctx); err == nil {
		seen.Network = seen.Stream.Received.Gaps.Without(seen.Stream.Sent.Pauses, gapsOf(rate))
	}
	seen.Pods.After, seen.Pods.Failed = starting.since(marked)
	return seen, errors.Join(err, d.settleAfter(ctx))
}

// happen makes the event happen and waits until what it ended is ready again,
// which has to be before the stream's end: nobody sees what comes after it.
func (d *disruption) happen(ctx context.Context, end time.Time) (time.Duration, error) {
	begun := time.Now()
	d.begun = true
	if err := d.event.begin(ctx); err != nil {
		return 0, err
	}
	err := outlasts(time.Now(), end)
	if err == nil {
		err = d.event.awaitOver(ctx, time.Until(end).Round(time.Millisecond))
	}
	over := time.Now()
	if err == nil {
		err = outlasts(over, end)
	}
	if err != nil {
		return 0, fmt.Errorf("%s on %s: %w; a longer duration gives it more time", d.v.Text("event"), d.event.where, err)
	}
	return over.Sub(begun), nil
}

// outlasts is an error for an event that is still under way, or was over, no
// sooner than the stream's end.
func outlasts(now, end time.Time) error {
	if now.Before(end) {
		return nil
	}
	return fmt.Errorf("it was not over when the stream ended, %s ago", now.Sub(end).Round(time.Millisecond))
}
