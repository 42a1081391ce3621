package record

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Phase is a part of a recording.
type Phase string

// The phases, in their order.
const (
	Before  Phase = "before"
	Running Phase = "command"
	After   Phase = "after"
)

// Phases lists the phases in their order.
func Phases() []Phase { return []Phase{Before, Running, After} }

// timeline is a recording on one clock: times are the first sample's, plus
// what the monotonic clock counted since. A step of the wall clock moves
// nothing, and is told of.
type timeline struct {
	plan    recording.Plan
	export  Export
	id      string
	series  sample.Series
	took    []time.Duration // how long taking each sample took
	origin  time.Duration   // the first sample's time on the monotonic clock
	started time.Duration   // likewise, of the command; never is after all
	ended   time.Duration
	command *recording.Command
	meeting *recording.Together
	step    time.Duration // the most by which the wall clock strayed
}

const never = time.Duration(1<<63 - 1)

var errNothing = errors.New("the file holds no sample: the recorder ended before the first ones were written")

func newTimeline(rec recording.Recording) (*timeline, error) {
	export, err := exportOf(rec.Plan)
	if err != nil {
		return nil, err
	}
	if len(rec.Series.Samples) == 0 {
		return nil, errNothing
	}
	t := &timeline{plan: rec.Plan, export: export, id: rec.Plan.ID, series: rec.Series, started: never, ended: never}
	if e := rec.Find(recording.Begin); e != nil && e.Meeting != nil {
		t.meeting, t.id = e.Meeting, e.Meeting.ID
	}
	if e := rec.Find(recording.Start); e != nil {
		t.started = e.Mono
	}
	if e := rec.Find(recording.End); e != nil {
		t.ended, t.command = e.Mono, e.Command
	}
	t.settle(rec)
	return t, nil
}

// settle puts the samples on one clock. Of those within a millisecond,
// which OpenMetrics cannot tell apart, the last stays: it may begin a phase.
func (t *timeline) settle(rec recording.Recording) {
	first := rec.Series.Samples[0]
	t.origin = first.Mono
	start := first.At
	if !t.export.StartAt.IsZero() {
		start = t.export.StartAt
	}
	t.series.Samples = nil
	for i, s := range rec.Series.Samples {
		since := s.Mono - first.Mono
		t.step = max(t.step, (s.At.Sub(first.At) - since).Abs())
		s.At = start.Add(since).UTC()
		if n := len(t.series.Samples); n > 0 && s.At.UnixMilli() <= t.series.Samples[n-1].At.UnixMilli() {
			t.series.Samples[n-1], t.took[n-1] = s, rec.Took[i]
			continue
		}
		t.series.Samples = append(t.series.Samples, s)
		t.took = append(t.took, rec.Took[i])
	}
}

func (t *timeline) first() sample.Sample { return t.series.Samples[0] }

func (t *timeline) last() sample.Sample { return t.series.Samples[len(t.series.Samples)-1] }

// phase is the part of the recording that a moment of the monotonic clock
// belongs to.
func (t *timeline) phase(mono time.Duration) Phase {
	switch {
	case mono >= t.ended:
		return After
	case mono >= t.started:
		return Running
	}
	return Before
}

// at turns a moment of the monotonic clock into the timeline's time, within
// what was sampled.
func (t *timeline) at(mono time.Duration) time.Time {
	mono = min(max(mono, t.first().Mono), t.last().Mono)
	return t.first().At.Add(mono - t.first().Mono)
}

// window is when a phase was, and whether it was at all.
func (t *timeline) window(p Phase) (sample.Window, bool) {
	edges := []time.Duration{t.first().Mono, t.started, t.ended, t.last().Mono}
	for i, phase := range Phases() {
		if phase == p {
			w := sample.Window{Start: t.at(edges[i]), End: t.at(edges[i+1])}
			return w, w.End.After(w.Start)
		}
	}
	return sample.Window{}, false
}

// duration is how long the command ran, or did until the recording ended.
func (t *timeline) duration() time.Duration {
	if t.started == never {
		return 0
	}
	return min(t.ended, t.last().Mono) - t.started
}

// instance is the label of that name: the machine, or in statexec's format the
// command, as there.
func (t *timeline) instance() string {
	switch {
	case t.export.Instance != "":
		return t.export.Instance
	case t.export.Format == Statexec:
		return t.plan.Argv[0]
	}
	return cmp.Or(t.series.Hostname, "localhost")
}

// samplesOf lists the samples of a phase.
func (t *timeline) samplesOf(p Phase) []sample.Sample {
	var in []sample.Sample
	for _, s := range t.series.Samples {
		if t.phase(s.Mono) == p {
			in = append(in, s)
		}
	}
	return in
}

// interfaces lists the network interfaces of any sample, sorted.
func interfaces(s sample.Series) []string {
	return keys(s, func(s *sample.Sample) map[string]sample.Traffic { return s.Interfaces })
}

// keys lists those that a map has in any sample, sorted.
func keys[V any](s sample.Series, of func(*sample.Sample) map[string]V) []string {
	names := map[string]bool{}
	for i := range s.Samples {
		for name := range of(&s.Samples[i]) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
