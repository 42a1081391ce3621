// Package progress says how far a long step is, in numbers for programs and in
// a sentence for people.
package progress

import (
	"fmt"
	"strings"
	"time"
)

// Progress is the state of one step of the supply at one moment.
type Progress struct {
	Step      string        // what is supplied: "kubernetes v1.34.4"
	Verb      string        // what happens or happened: "compiled", "linking", "ready"
	Done      int           // units finished
	Total     int           // units in all; 0: unknown, or the verb counts nothing
	Unit      string        // "packages", "modules"; empty: the verb counts nothing
	Detail    string        // the unit at hand
	Elapsed   time.Duration // since the step began
	Remaining time.Duration // estimate of the step's rest; 0: unknown
	Finished  bool          // the step is done
}

// String is a line such as "kubernetes v1.34.4: compiled 812 of 1463 packages,
// about 2 min left".
func (p Progress) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Step, p.Verb)
	switch {
	case p.Unit != "" && p.Total > 0:
		fmt.Fprintf(&b, " %d of %d %s", p.Done, p.Total, p.Unit)
	case p.Unit != "" && p.Done == 1:
		fmt.Fprintf(&b, " 1 %s", strings.TrimSuffix(p.Unit, "s"))
	case p.Unit != "":
		fmt.Fprintf(&b, " %d %s", p.Done, p.Unit)
	case p.Detail != "":
		fmt.Fprintf(&b, " %s", p.Detail)
	}
	switch {
	case p.Remaining > 0:
		fmt.Fprintf(&b, ", about %s left", rough(p.Remaining))
	case p.Elapsed >= time.Second && (p.Finished || p.Unit == ""):
		fmt.Fprintf(&b, " (%s)", p.Elapsed.Round(time.Second))
	}
	return b.String()
}

// rough rounds a duration to what an estimate can promise.
func rough(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("%d s", max(5, int(d.Seconds()+2.5)/5*5))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
}

// remaining extrapolates the pace so far. It stays silent (0) until there is a
// pace to speak of.
func remaining(done, total int, elapsed time.Duration) time.Duration {
	if done < 10 || total <= done || elapsed < 3*time.Second {
		return 0
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(total-done))
}
