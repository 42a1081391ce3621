package scenario

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/gap"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// measurement makes figures of what was seen. A stream that ended in an
// interruption has no longest gap: nobody saw its end.
func (d disrupted) measurement() (stage.Measurement, error) {
	sent, gaps := d.Stream.Sent, d.Network
	if gaps.Open && gaps.Silence >= gapThreshold+quietTime {
		return stage.Measurement{}, fmt.Errorf("the stream had been interrupted for %s when it ended, %s after the event: a longer duration shows whether it comes back",
			gaps.Silence.Round(time.Millisecond), d.Window)
	}
	var f stage.Figures
	f.Add(longestGap, gaps.After.Longest.Seconds())
	f.Add(packetsLost, float64(gaps.After.Lost))
	f.Add(interrupted, gaps.After.Total.Seconds())
	f.Add(readyAgain, d.Ready.Seconds())
	f.Merge(d.Pods.figures())
	f.Marks = append(f.Marks, d.marks()...)
	return stage.Measurement{
		Window: result.Window{Start: sent.Start, End: sent.Start.Add(sent.Took)},
		Values: f.Values, Marks: f.Marks, Missing: f.Missing, Facts: d.facts(),
	}, nil
}

// marks say what else than the event may have made gaps.
func (d disrupted) marks() []result.Mark {
	var marks []result.Mark
	sent, received := d.Stream.Sent, d.Stream.Received
	if _, total := pausedIn(sent.Pauses); total > sent.Took/10 {
		marks = append(marks, result.Mark{Name: "generator-limited", Detail: "in more than a tenth of the time nobody could see a gap: " + pauseWords(sent.Pauses)})
	}
	if received.Dropped > 0 {
		marks = append(marks, result.Mark{Name: "receiver-limited",
			Detail: fmt.Sprintf("the receiver's socket had no room for %d packets, which count as lost", received.Dropped)})
	}
	if before := d.Network.Before; before.Count > 0 {
		marks = append(marks, result.Mark{Name: "unsteady",
			Detail: fmt.Sprintf("there were gaps before the event: %s", partWords(before))})
	}
	return marks
}

func (d disrupted) facts() map[string]string {
	sent, gaps := d.Stream.Sent, d.Network
	facts := map[string]string{
		"event":        fmt.Sprintf("%s on %s: %s", d.Event, d.Where, d.What),
		"before":       partWords(gaps.Before),
		"after":        partWords(gaps.After),
		"stream":       fmt.Sprintf("%d of %d packets sent; %s", sent.Sent, sent.Planned, pauseWords(sent.Pauses)),
		"pods started": d.Pods.words(),
	}
	maps.Copy(facts, d.More)
	if sent.Refused > 0 {
		facts["refused"] = fmt.Sprintf("%d packets by the sender's own node", sent.Refused)
	}
	listed := slices.DeleteFunc(slices.Clone(gaps.Gaps), func(g gap.Gap) bool { return !g.Marked })
	if len(listed) > 0 {
		longest := slices.MaxFunc(listed, func(a, b gap.Gap) int { return int(a.Length - b.Length) })
		facts["longest gap"] = fmt.Sprintf("%s, from %s after the event on, %d packets", longest.Length.Round(time.Microsecond),
			longest.Begin.Round(time.Millisecond), longest.Skipped)
	}
	return facts
}

// pausedIn returns the longest of a sender's pauses that would have been a gap,
// and all of them together.
func pausedIn(pauses []gap.Pause) (longest, total time.Duration) {
	for _, p := range pauses {
		if p.Length >= gapThreshold {
			longest, total = max(longest, p.Length), total+p.Length
		}
	}
	return longest, total
}

func pauseWords(pauses []gap.Pause) string {
	longest, total := pausedIn(pauses)
	if total == 0 {
		return "the sender never paused for 10 ms"
	}
	return fmt.Sprintf("the sender paused for %s in all and for %s at most, which is not counted", total.Round(time.Millisecond), longest.Round(time.Microsecond))
}

func partWords(p gap.Part) string {
	return fmt.Sprintf("longest gap %s, %s of 10 ms or more, %d of %d packets lost", p.Longest.Round(time.Microsecond), prose.Plural(p.Count, "gap"), p.Lost, p.Due)
}

// figures compares starts from the event on with those before it.
func (p podStarts) figures() stage.Figures {
	var f stage.Figures
	switch {
	case p.Failed != "":
		f.Lack("a new pod did not start: "+p.Failed, podStartDelay)
	case len(p.After) == 0 || len(p.Before) == 0:
		f.Lack("no pod was started before and after the event", podStartDelay)
	default:
		f.Add(podStartDelay, (longestStart(p.After) - medianStart(p.Before)).Seconds())
	}
	return f
}

func (p podStarts) words() string {
	if len(p.Before) == 0 || len(p.After) == 0 {
		return fmt.Sprintf("%d before the event, %d from then on", len(p.Before), len(p.After))
	}
	return fmt.Sprintf("%d before the event, median %s; %d from then on, longest %s", len(p.Before), medianStart(p.Before).Round(time.Millisecond),
		len(p.After), longestStart(p.After).Round(time.Millisecond))
}

func longestStart(starts []newStart) time.Duration {
	return slices.MaxFunc(starts, func(a, b newStart) int { return int(a.Took - b.Took) }).Took
}

func medianStart(starts []newStart) time.Duration {
	took := make([]time.Duration, len(starts))
	for i, s := range starts {
		took[i] = s.Took
	}
	return middleOf(took)
}
