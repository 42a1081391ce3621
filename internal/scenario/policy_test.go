package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

// tries are attempts every 10 ms: + is reached, - is not.
func tries(outcomes string) []probe.Attempt {
	var all []probe.Attempt
	for i, o := range outcomes {
		outcome := map[rune]string{'+': probe.Reached, '-': probe.ReachTimeout}[o]
		all = append(all, probe.Attempt{At: float64(i) / 100, Sent: float64(i) / 100, Outcome: outcome})
	}
	return all
}

func TestPolicyRepeat(t *testing.T) {
	for _, tt := range []struct {
		name, outcomes     string
		begun              float64
		allow, policyFirst bool
		seconds            float64
		timedOut           bool
		leaks              int
	}{
		{"deny", "+++++---", 0.015, false, false, 0.035, false, 0},
		{"allow", "-----+++", 0.015, true, false, 0.035, false, 0},
		{"no effect", "+++++", 0.015, false, false, 0, true, 0},
		// It counts from when it stayed, and what got through meanwhile is told.
		{"deny comes and goes", "++--+---", 0.015, false, false, 0.035, false, 1},
		// One attempt may be slow for other reasons.
		{"one slow attempt", "++-+----", 0.015, false, false, 0.025, false, 0},
		{"what came before does not count", "-++---", 0.015, false, false, 0.015, false, 0},
		{"policy first, denied at once", "----", 0, false, true, 0, false, 0},
		{"policy first, three leaks", "+++--", 0, false, true, 0.03, false, 3},
		{"policy first, allowed at once", "++++", 0, true, true, 0, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newPolicyRepeat(tries(tt.outcomes), tt.begun, apiCall{}, tt.allow, tt.policyFirst)
			if r.TimedOut != tt.timedOut || r.Leaks != tt.leaks {
				t.Errorf("timed out: %t, %d leaks; want %t, %d", r.TimedOut, r.Leaks, tt.timedOut, tt.leaks)
			}
			if !tt.timedOut && (r.Seconds() < tt.seconds-1e-9 || r.Seconds() > tt.seconds+1e-9) {
				t.Errorf("it took %v s, want %v", r.Seconds(), tt.seconds)
			}
		})
	}
}

// repeats took so many seconds each; those below 0 timed out.
func repeatsOf(seconds ...float64) []policyRepeat {
	var all []policyRepeat
	for _, s := range seconds {
		all = append(all, policyRepeat{Begun: 1, Effect: probe.Effect{Before: 1 + s/2, At: 1 + s, Known: true}, TimedOut: s < 0})
	}
	return all
}

// A repeat without an effect is counted and not thrown away: it is longer than
// all others.
func TestEnforcementValues(t *testing.T) {
	for _, tt := range []struct {
		name    string
		repeats []policyRepeat
		want    map[string]float64
		marks   []string
	}{
		{"all", repeatsOf(3, 1, 2), map[string]float64{"enforcement-p50": 2, "enforcement-mean": 2, "enforcement-max": 3, "timed-out": 0, "leaks": 0}, nil},
		{"one timed out", repeatsOf(3, -1, 1), map[string]float64{"enforcement-p50": 3, "enforcement-mean": 2, "enforcement-max": 3, "timed-out": 1, "leaks": 0}, []string{"effects-timed-out"}},
		{"one", repeatsOf(0.25), map[string]float64{"enforcement-p50": 0.25, "enforcement-mean": 0.25, "enforcement-max": 0.25, "timed-out": 0, "leaks": 0}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values, marks, err := enforcementValues(tt.repeats, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, byName(values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(marks)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
			for _, v := range values {
				if partial := v.Name == "enforcement-max" && len(tt.marks) > 0; partial != (v.Partial != "") && v.Name != "enforcement-mean" {
					t.Errorf("%s is partial: %q", v.Name, v.Partial)
				}
			}
		})
	}
	_, _, err := enforcementValues(repeatsOf(1, -1, -1), false)
	says(t, err, "2 of 3 repeats")
	leaky := repeatsOf(1)
	leaky[0].Leaks = 4
	if values, marks, err := enforcementValues(leaky, false); err != nil || byName(values)["leaks"] != 4 || len(marks) != 1 {
		t.Errorf("%v, %v, %v", values, marks, err)
	}
	if values, _, err := enforcementValues(repeatsOf(1), true); err != nil || len(byName(values)) != 4 {
		t.Errorf("what is allowed cannot leak: %v, %v", values, err)
	}
}

func TestUnmet(t *testing.T) {
	a := probe.WatchAwait{Want: map[string]bool{"a": true, "b": false, "c": true, "d": true}, Settle: 2}
	watched := probe.Watched{Attempts: map[string][]probe.Attempt{"a": tries("+-"), "b": tries("-+"), "c": tries("++")}}
	got := unmet(a, watched)
	for _, want := range []string{"a was to be reached, and the last of 2 attempts was: timeout", "b was to be denied, and the last of 2 attempts was: reached", "d was to be reached, and no"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q: %s", want, got)
		}
	}
	if strings.Contains(got, "c was") {
		t.Errorf("c is as it should be: %s", got)
	}
	for _, name := range strings.Fields("e f g h") {
		a.Want[name] = true
	}
	if got := unmet(a, watched); !strings.Contains(got, "4 more") {
		t.Errorf("of seven it says %s", got)
	}
}

// What did not act is a failure of a plugin that is said to enforce policies,
// and what a plugin is like that nobody knows.
func TestUnenforced(t *testing.T) {
	late := &unsettledError{what: "after", await: probe.WatchAwait{Want: map[string]bool{"a": false}}, watched: probe.Watched{Attempts: map[string][]probe.Attempt{"a": tries("+")}}}
	var unsupported *stage.UnsupportedError
	known := &stage.Bench{Entry: cni.Entry{Enforces: cni.Enforces{NetworkPolicy: true}}}
	if err := unenforced(known, late); errors.As(err, &unsupported) {
		t.Errorf("%v is no failure", err)
	}
	unknown := &stage.Bench{Entry: cni.Entry{Variant: cni.Variant{Present: true}}}
	if err := unenforced(unknown, late); !errors.As(err, &unsupported) {
		t.Errorf("%v is a failure", err)
	}
	if err := unenforced(unknown, io.EOF); errors.As(err, &unsupported) || err == nil {
		t.Errorf("a broken connection is %v", err)
	}
	if err := unenforced(known, nil); err != nil {
		t.Error(err)
	}
}

func TestCountVerdicts(t *testing.T) {
	enforced, tried := countVerdicts(map[string]string{"a": isEnforced, "b": notEnforced + "x", "c": notSupported + "y", "d": isEnforced})
	if enforced != 2 || tried != 3 {
		t.Errorf("%d of %d", enforced, tried)
	}
}

// answering stands for a watch in a pod: it answers a command with what the
// function says.
func answering(t *testing.T, answer func(probe.WatchCommand) (kind string, payload any)) stage.Runner {
	return func(_ context.Context, _ []string, stdin io.Reader, out, _ io.Writer) error {
		in := bufio.NewReader(stdin)
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return nil
			}
			var command probe.WatchCommand
			if err := json.Unmarshal(line, &command); err != nil {
				return err
			}
			kind, payload := answer(command)
			if _, err := io.WriteString(out, frame(t, kind, payload)); err != nil {
				return err
			}
		}
	}
}

// A clock that is not ours is compared by a round trip, whose half is the bound
// of the error; the quickest of several counts.
func TestCompareClocks(t *testing.T) {
	const ahead = time.Hour
	delays := []time.Duration{30 * time.Millisecond, 0, 20 * time.Millisecond}
	w := &watcher{Session: openFake(t, answering(t, func(probe.WatchCommand) (string, any) {
		time.Sleep(delays[0])
		delays = delays[1:]
		return probe.FrameClock, probe.WatchClock{Now: time.Now().Add(ahead)}
	}))}
	defer w.Close()
	var bounds []time.Duration
	for range 3 {
		if err := w.compareClocks(); err != nil {
			t.Fatal(err)
		}
		bounds = append(bounds, w.clock.Bound)
	}
	if bounds[1] > bounds[0] || bounds[2] > bounds[1] {
		t.Errorf("the bound grows: %v", bounds)
	}
	if off := (w.clock.Offset - ahead).Abs(); off > w.clock.Bound {
		t.Errorf("the offset is %s ± %s, it should be %s", w.clock.Offset, w.clock.Bound, ahead)
	}
	now := time.Now()
	if off := w.clock.here(now.Add(ahead)).Sub(now).Abs(); off > w.clock.Bound {
		t.Errorf("a time of the pod's clock is %s off", off)
	}
}

// What does not settle in time names the state, the place and the targets.
func TestMustSettle(t *testing.T) {
	w := &watcher{Session: openFake(t, answering(t, func(c probe.WatchCommand) (string, any) {
		return probe.FrameWatched, probe.Watched{Settled: !c.Await.Want["deny probe"], Attempts: map[string][]probe.Attempt{"deny probe": tries("-")}}
	}))}
	defer w.Close()
	if _, err := w.mustSettle("before", awaitAll(false, "deny probe")); err != nil {
		t.Error(err)
	}
	_, err := w.mustSettle("after the load", awaitAll(true, "deny probe"))
	says(t, err, "after the load", "probe on node1", "deny probe was to be reached", "timeout")
}
