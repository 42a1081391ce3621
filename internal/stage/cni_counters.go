package stage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/result"
)

// What plugins count themselves, by their entry in the catalog. Every trial
// with load reports it where it can be read, by exploratory metrics.
var (
	cniDrops = result.Metric{Name: "cni-drops", Unit: "packets", Better: result.Lower, Scale: result.Difference, Margin: 10,
		Help: "packets that the plugin itself says it dropped on the nodes of the load, from before its warm-up to after its end, for any reason"}
	cniMapPressure = result.Metric{Name: "cni-map-pressure", Unit: "share", Better: result.Lower, Scale: result.Difference, Margin: 0.05,
		Help: "how full the fullest table of the plugin is after the load, as the plugin itself says; 1 is full"}
)

// Facts and the mark about them.
const (
	factDrops    = "cni drops"
	factPressure = "cni map pressure"
	factOthers   = "cni counters"
	MarkDrops    = "cni-drops" // the plugin itself dropped packets
)

// cniCounters reads the plugin's own counters around a trial's load. What goes
// wrong is told in the trial; it never fails one.
type cniCounters struct {
	bench  *Bench
	again  func() []cni.CounterSource // reads; nil: there was no load yet
	before []cni.CounterSource
	after  []cni.CounterSource // of the last load
	err    error
}

// counting measures with the plugin's counters read around it. A trial within
// a trial is counted by the outer one.
func (b *Bench) counting(measure func(*Bench) (Measurement, error)) (Measurement, error) {
	if b.counters != nil || b.Entry.None() && !b.Entry.Variant.Present {
		return measure(b)
	}
	counted := *b
	counted.counters = &cniCounters{bench: b}
	m, err := measure(&counted)
	if err != nil || counted.counters.again == nil {
		return m, err
	}
	counted.counters.tell(&m)
	return m, nil
}

// begin reads the counters of the agents beside the load, once a trial. The
// measured window begins later.
func (c *cniCounters) begin(ctx context.Context, load []cluster.Pod) {
	if c == nil || c.again != nil {
		return
	}
	var nodes []string
	for _, p := range load {
		if !slices.Contains(nodes, p.Node) {
			nodes = append(nodes, p.Node)
		}
	}
	c.again = func() []cni.CounterSource {
		if c.err != nil || !c.bench.Entry.Plugin.Counters.Counted() {
			return nil
		}
		sources, err := cni.ReadCounters(ctx, c.bench.Cluster, c.bench.Entry, nodes)
		c.err = err
		return sources
	}
	c.before = c.again()
}

// end reads them again. The measured window has ended.
func (c *cniCounters) end() {
	if c == nil || c.again == nil {
		return
	}
	// Where nothing answered before, nothing is to be learned by waiting again.
	if slices.ContainsFunc(c.before, func(s cni.CounterSource) bool { return s.Err == nil }) {
		c.after = c.again()
	} else {
		c.after = c.before
	}
}

// tell adds to a measurement what was counted, or why that is not known.
func (c *cniCounters) tell(m *Measurement) {
	if m.Facts == nil {
		m.Facts = map[string]string{}
	}
	counters := c.bench.Entry.Plugin.Counters
	if !counters.Counted() {
		m.Facts[factOthers] = "none: the catalog names none of " + c.bench.Entry.Name
		return
	}
	c.keep("before", c.before)
	c.keep("after", c.after)
	change := cni.CounterChange{}
	if c.err != nil {
		why := strings.Join(strings.Fields(c.err.Error()), " ")
		change.DropsAbsent, change.PressureAbsent = why, why
	} else {
		change = counters.Change(c.before, c.after)
	}
	values, marks, facts := counterResult(change)
	for _, absent := range []struct{ metric, why string }{{cniDrops.Name, change.DropsAbsent}, {cniMapPressure.Name, change.PressureAbsent}} {
		if absent.why == "" {
			continue
		}
		if m.Missing == nil {
			m.Missing = map[string]string{}
		}
		m.Missing[absent.metric] = absent.why
	}
	m.Values, m.Marks = append(m.Values, values...), append(m.Marks, marks...)
	maps.Copy(m.Facts, facts)
}

// counterResult makes values, marks and facts of what the plugin counted.
func counterResult(c cni.CounterChange) ([]result.Value, []result.Mark, map[string]string) {
	var values []result.Value
	var marks []result.Mark
	facts := map[string]string{}
	if c.DropsAbsent == "" {
		total := 0.0
		byReason := map[string]result.Value{}
		for _, reason := range slices.Sorted(maps.Keys(c.Drops)) {
			total += c.Drops[reason]
			v := dropsFor(reason)
			v.Value = c.Drops[reason] + byReason[v.Name].Value
			byReason[v.Name] = v
		}
		values = append(values, result.Value{Metric: cniDrops, Value: total})
		for _, name := range slices.Sorted(maps.Keys(byReason)) {
			values = append(values, byReason[name])
		}
		facts[factDrops] = growths(c.Drops, c.Span)
		if total > 0 {
			marks = append(marks, result.Mark{Name: MarkDrops, Detail: "the plugin itself dropped packets around the load: " + facts[factDrops]})
		}
	}
	if c.PressureAbsent == "" {
		fullest, share := "", -1.0
		for _, table := range slices.Sorted(maps.Keys(c.Pressure)) {
			if c.Pressure[table] > share {
				fullest, share = table, c.Pressure[table]
			}
		}
		values = append(values, result.Value{Metric: cniMapPressure, Value: share})
		facts[factPressure] = fmt.Sprintf("%.4g of %s, the fullest of %d", share, fullest, len(c.Pressure))
	}
	if len(c.Others) > 0 {
		facts[factOthers] = growths(c.Others, c.Span)
	}
	return values, marks, facts
}

// dropsFor is the metric of the packets dropped for one reason.
func dropsFor(reason string) result.Value {
	m := cniDrops
	m.Name += "-" + slug(reason)
	m.Help = "packets that the plugin itself says it dropped: " + reason
	return result.Value{Metric: m}
}

// slug makes a metric's name of a text.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// growths lists what has grown, in how much time.
func growths(by map[string]float64, span time.Duration) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if by[name] != 0 {
			parts = append(parts, fmt.Sprintf("%s %+.0f", name, by[name]))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	return fmt.Sprintf("%s in %.1f s", strings.Join(parts, "; "), span.Seconds())
}

// keep writes what agents answered, compressed, as they answered it.
func (c *cniCounters) keep(when string, sources []cni.CounterSource) {
	w, err := zstd.NewWriter(nil)
	for _, s := range sources {
		name := fmt.Sprintf("counters-%s-%d-%s.prom.zst", s.Node, s.Port, when)
		switch {
		case err != nil:
			c.bench.lose(name, err)
		case len(s.Text) > 0:
			c.bench.Keep(name, w.EncodeAll(s.Text, nil))
		}
	}
}
