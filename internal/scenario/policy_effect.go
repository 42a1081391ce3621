package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

// policyRepeat is one time that a policy was to act.
type policyRepeat struct {
	// Begun is from when the time counts, in seconds since the watch's start.
	Begun    float64         `json:"begun"`
	Call     apiCall         `json:"call"` // that created the policy
	Effect   probe.Effect    `json:"effect"`
	TimedOut bool            `json:"timedOut,omitempty"`
	Leaks    int             `json:"leaks"`
	Attempts []probe.Attempt `json:"attempts"`
}

// newPolicyRepeat finds the effect in the attempts from begun on. With a
// policy that was there before its pod every connection that gets through is a
// leak, else those are that come after two denied in a row: one may have been
// slow.
func newPolicyRepeat(all []probe.Attempt, begun float64, called apiCall, allow, policyFirst bool) policyRepeat {
	r := policyRepeat{Begun: begun, Call: called, Attempts: probe.Since(all, begun)}
	effect, found := probe.FindEffect(r.Attempts, allow)
	r.Effect, r.TimedOut = effect, !found
	if allow {
		return r
	}
	denying, denied := policyFirst, false
	for _, a := range r.Attempts {
		if denying && a.OK() {
			r.Leaks++
		}
		denying = denying || denied && !a.OK()
		denied = !a.OK()
	}
	return r
}

// Seconds is how long the policy took to act. Where the first attempt shows
// the effect already it took none that can be seen.
func (r policyRepeat) Seconds() float64 {
	if !r.Effect.Known {
		return 0
	}
	return r.Effect.At - r.Begun
}

// evaluate makes the measurement of all repeats.
func (e *policyEnforcement) evaluate(repeats []policyRepeat, window sample.Window, series stage.Sampled) (stage.Measurement, error) {
	values, marks, err := enforcementValues(repeats, e.allow)
	if err != nil {
		if v := e.cell.Parameters; v.Text(policyRule.Name) == policy.CIDR && e.allow {
			return stage.Measurement{}, &stage.UnsupportedError{Reason: fmt.Sprintf(
				"%v. The rule names pods by their addresses: the NetworkPolicy API leaves it to plugins whether such rules match pods", err)}
		}
		return stage.Measurement{}, err
	}
	m, _ := e.MeasureWindow("", window, series)
	m.Values, m.Marks = append(values, m.Values...), append(marks, m.Marks...)
	m.Facts["repeats"] = fmt.Sprint(len(repeats))
	m.Facts["clock"] = e.watcher.clock.String()
	m.Facts["moment known to"] = widest(repeats).String()
	if e.cell.Parameters.Text(policyOrder.Name) == podFirst {
		m.Facts["API call"] = longestCall(repeats).String() + " at most, in the time"
	}
	return m, nil
}

// enforcementValues sums up repeats. One that timed out took longer than all
// others: where the median is one of them, there is none.
func enforcementValues(repeats []policyRepeat, allow bool) ([]result.Value, []result.Mark, error) {
	var seconds []float64
	leaked := 0
	for _, r := range repeats {
		leaked += r.Leaks
		if !r.TimedOut {
			seconds = append(seconds, r.Seconds())
		}
	}
	slices.Sort(seconds)
	missing, middle := len(repeats)-len(seconds), (len(repeats)-1)/2
	if middle >= len(seconds) {
		return nil, nil, fmt.Errorf("the policy did not act within the limit in %d of %d repeats", missing, len(repeats))
	}
	sum := 0.0
	for _, s := range seconds {
		sum += s
	}
	var partial string
	var marks []result.Mark
	if missing > 0 {
		partial = fmt.Sprintf("%d of %d repeats timed out and are not in it", missing, len(repeats))
		marks = []result.Mark{{Name: "effects-timed-out", Detail: partial}}
	}
	values := []result.Value{
		{Metric: enforcementP50, Value: seconds[middle]},
		{Metric: enforcementMean, Value: sum / float64(len(seconds)), Partial: partial},
		{Metric: enforcementMax, Value: seconds[len(seconds)-1], Partial: partial},
		{Metric: timedOut, Value: float64(missing)},
	}
	if !allow {
		values = append(values, result.Value{Metric: leaks, Value: float64(leaked)})
		if leaked > 0 {
			marks = append(marks, result.Mark{Name: "policy-leaks", Detail: fmt.Sprintf("%d connections got through that a policy denied", leaked)})
		}
	}
	return values, marks, nil
}

// widest is the largest span between the attempts before and after an effect.
func widest(repeats []policyRepeat) time.Duration {
	var width float64
	for _, r := range repeats {
		if r.Effect.Known {
			width = max(width, r.Effect.Width())
		}
	}
	return max(time.Duration(width*float64(time.Second)), watchInterval).Round(time.Microsecond)
}

func longestCall(repeats []policyRepeat) time.Duration {
	var longest time.Duration
	for _, r := range repeats {
		longest = max(longest, r.Call.Done.Sub(r.Call.Begun))
	}
	return longest.Round(time.Microsecond)
}

// expectedEnforcement is how long a trial takes. With policy-first each repeat
// makes a pod.
func expectedEnforcement(v parameter.Values) time.Duration {
	each := time.Second
	if v.Text(policyOrder.Name) == policyFirst {
		each = 3 * time.Second
	}
	return 2*time.Second + time.Duration(v.Integer(policyRepeats.Name))*each
}
