package scenario

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe/gap"
	"github.com/cnibench/cnibench/internal/probe/stream"
	"github.com/cnibench/cnibench/internal/stage"
)

func starts(seconds ...float64) []newStart {
	var all []newStart
	for _, s := range seconds {
		all = append(all, newStart{Took: time.Duration(s * 1e9)})
	}
	return all
}

// outage is a made-up trial: half a second without packets, of which the
// sender itself paused for 100 ms.
func outage() disrupted {
	const ms = time.Millisecond
	d := disrupted{Event: agentRestart, Where: "node2", What: "agent", Rate: 1000, Ready: 2 * time.Second, Window: 30 * time.Second}
	d.Pods = podStarts{Before: starts(1, 3, 2), After: starts(2, 9, 4)}
	d.Stream.Sent = stream.Sent{Planned: 33000, Sent: 33000, Took: 33 * time.Second, Pauses: []gap.Pause{{Before: 3001, Length: 101 * ms}}}
	raw := gap.Report{
		Before: gap.Part{Due: 3000, Longest: 2 * ms, Short: 2 * ms},
		After:  gap.Part{Due: 30000, Lost: 480, Longest: 600 * ms, Short: 3 * ms, Count: 1, Total: 600 * ms},
		Gaps:   []gap.Gap{{Begin: ms, Length: 600 * ms, After: 3000, Marked: true, Skipped: 480}},
	}
	d.Stream.Received = stream.Received{Counts: stream.Counts{Received: 32520}, Gaps: &raw}
	d.Network = raw.Without(d.Stream.Sent.Pauses, gapsOf(1000))
	return d
}

func TestDisruptionMeasurement(t *testing.T) {
	m, err := outage().measurement()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"longest-gap": 0.5, "packets-lost": 480, "interrupted": 0.5, "ready-again": 2, "pod-start-delay": 7}
	if diff := cmp.Diff(want, byName(m.Values)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if len(m.Marks) > 0 || len(m.Missing) > 0 || m.Values[0].Name != "longest-gap" {
		t.Errorf("marks %v, missing %v, first %s", m.Marks, m.Missing, m.Values[0].Name)
	}
	for name, text := range map[string]string{
		"event":        "agent-restart on node2: agent",
		"after":        "longest gap 500ms, 1 gap of 10 ms or more, 480 of 30000 packets lost",
		"stream":       "33000 of 33000 packets sent; the sender paused for 101ms in all and for 101ms at most, which is not counted",
		"longest gap":  "500ms, from 1ms after the event on, 480 packets",
		"pods started": "3 before the event, median 2s; 3 from then on, longest 9s",
	} {
		if m.Facts[name] != text {
			t.Errorf("%s: %q", name, m.Facts[name])
		}
	}
}

// What is not the event's doing is said, and what nobody saw the end of has no
// length.
func TestDisruptionDoubts(t *testing.T) {
	d := outage()
	d.Stream.Sent.Pauses = []gap.Pause{{Before: 20000, Length: 4 * time.Second}}
	d.Stream.Received.Dropped = 3
	d.Network.Before.Count = 2
	d.Pods = podStarts{Before: starts(1), Failed: "it is pending"}
	m, err := d.measurement()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"generator-limited", "receiver-limited", "unsteady"}, markNames(m.Marks)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if m.Missing[podStartDelay.Name] != "a new pod did not start: it is pending" {
		t.Errorf("missing %v", m.Missing)
	}
	d.Network.Open, d.Network.Silence = true, 12*time.Second
	_, err = d.measurement()
	says(t, err, "interrupted for 12s when it ended")
	// The last packet alone may be lost.
	d.Network.Silence = time.Millisecond
	if _, err = d.measurement(); err != nil {
		t.Error(err)
	}
}

func TestDisruptionMisfit(t *testing.T) {
	for _, tt := range []struct {
		event, to string
		fits      bool
	}{
		{agentRestart, sameVersion, true},
		{upgradeEvent, sameVersion, true},
		{upgradeEvent, "v1.2.3", true},
		{agentRestart, "v1.2.3", false},
		{kubeletRestart, "v1.2.3", false},
	} {
		problem, remedy := disruptionMisfit(parameter.Values{"event": tt.event, "to": tt.to})
		if (problem == "") != tt.fits || (remedy == "") != tt.fits {
			t.Errorf("%s to %s: %q, %q", tt.event, tt.to, problem, remedy)
		}
	}
}

func TestPodsSince(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	k := &starting{ended: make(chan struct{}), done: make(chan struct{}), starts: []newStart{
		{at.Add(-3 * time.Second), 2 * time.Second}, // over before it
		{at.Add(-time.Second), 4 * time.Second},     // under way
		{at.Add(3 * time.Second), time.Second},
	}}
	close(k.done)
	got, failed := k.since(at)
	if diff := cmp.Diff(k.starts[1:], got); diff != "" || failed != "" {
		t.Errorf("starts (-want +got):\n%s%s", diff, failed)
	}
}

// An event counts only if all of it was within the stream.
func TestEventOutlastsTheStream(t *testing.T) {
	for _, tt := range []struct {
		name  string
		left  time.Duration // of the stream when it begins
		asked bool          // whether it is over
		fails string
	}{
		{"within", time.Hour, true, ""},
		{"begun for too long", -time.Second, false, "not over when the stream ended"},
	} {
		asked := false
		d := &disruption{v: parameter.Values{"event": upgradeEvent}, event: disruptor{
			begin: func(context.Context) error { return nil },
			over:  func(context.Context) error { asked = true; return nil },
		}}
		_, err := d.happen(t.Context(), time.Now().Add(tt.left))
		if asked != tt.asked || !d.begun {
			t.Errorf("%s: asked whether it is over: %t, begun: %t", tt.name, asked, d.begun)
		}
		if tt.fails != "" {
			says(t, err, tt.fails)
		} else if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	at := time.Now()
	if outlasts(at, at.Add(1)) != nil || outlasts(at, at) == nil {
		t.Error("the stream's end is not the limit")
	}
}

// What an event changed is taken back once, after an interrupt only where the
// cluster stays, and not if nothing was changed.
func TestPutBack(t *testing.T) {
	for _, tt := range []struct {
		name                          string
		changed, interrupted, outlive bool
		undone                        bool
	}{
		{"a trial", true, false, false, true},
		{"an interrupt, and the lab goes", true, true, false, false},
		{"an interrupt, and the cluster stays", true, true, true, true},
		{"nothing was changed", false, false, true, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if tt.interrupted {
			cancel()
		}
		var undone, told int
		d := &disruption{begun: true, Bench: &stage.Bench{Report: func(string) { told++ }}, event: disruptor{
			changed: func() bool { return tt.changed },
			undo: func(ctx context.Context) error {
				undone++
				return errors.Join(errors.New("it stays"), ctx.Err())
			},
		}}
		d.Installation.Outlives = tt.outlive
		err := d.putBack(ctx, nil)
		var altered *stage.AlteredError
		if errors.As(err, &altered) != tt.undone || (undone == 1) != tt.undone || told != undone || errors.Is(err, context.Canceled) {
			t.Errorf("%s: undone %d times, told %d times: %v", tt.name, undone, told, err)
		}
		if again := d.putBack(ctx, nil); again != nil || undone > 1 {
			t.Errorf("%s: undone again: %v", tt.name, again)
		}
		cancel()
	}
}
