package cni

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// CounterChange is what a variant's agents counted between two readings. What
// is absent is not known; it is not 0.
type CounterChange struct {
	// Drops are packets by reason, over all agents. They are nil with the reason
	// in DropsAbsent.
	Drops       map[string]float64
	DropsAbsent string
	// Pressure is the share of each table that is full in the second reading, 1
	// is full; of several agents the fullest.
	Pressure       map[string]float64
	PressureAbsent string
	// Others are the growths of what explains, by metric and labels.
	Others map[string]float64
	// Span is the longest time between the readings of one agent.
	Span time.Duration
}

// Change compares two readings of the same agents.
func (c Counters) Change(before, after []CounterSource) CounterChange {
	var change CounterChange
	nodes, why := pairSources(before, after)
	if why != "" {
		change.DropsAbsent, change.PressureAbsent = why, why
		return change
	}
	for _, n := range nodes {
		change.Span = max(change.Span, n.span)
	}
	change.Drops, change.DropsAbsent = c.drops(nodes)
	change.Pressure, change.PressureAbsent = c.pressure(nodes)
	for _, o := range c.Others {
		grown, absent := o.growthOnAll(nodes)
		if absent != "" {
			continue // it explains where it can
		}
		for labels, n := range grown {
			if change.Others == nil {
				change.Others = map[string]float64{}
			}
			change.Others[o.name(labels)] = n
		}
	}
	return change
}

// agentPair is what the sources of one node said, twice.
type agentPair struct {
	node          string
	before, after CounterFamilies
	span          time.Duration
}

// pairSources joins the sources of each node. It says why that cannot be:
// agents that are others than before count from 0 again.
func pairSources(before, after []CounterSource) ([]agentPair, string) {
	if len(before) == 0 {
		return nil, "no agent that serves metrics runs on the nodes of the load"
	}
	if len(before) != len(after) {
		return nil, fmt.Sprintf("%d sources were read before and %d after", len(before), len(after))
	}
	byNode := map[string]*agentPair{}
	for i, b := range before {
		a := after[i]
		switch {
		case b.Err != nil:
			return nil, fmt.Sprintf("%s: %v", b.Name(), b.Err)
		case a.Err != nil:
			return nil, fmt.Sprintf("%s, after the load: %v", a.Name(), a.Err)
		case a.UID != b.UID || a.Port != b.Port:
			return nil, fmt.Sprintf("%s was replaced by %s meanwhile", b.Name(), a.Name())
		case restarted(b.Families, a.Families):
			return nil, b.Name() + " restarted meanwhile, and its counters with it"
		}
		pair := byNode[b.Node]
		if pair == nil {
			pair = &agentPair{node: b.Node, before: CounterFamilies{}, after: CounterFamilies{}}
			byNode[b.Node] = pair
		}
		maps.Copy(pair.before, b.Families)
		maps.Copy(pair.after, a.Families)
		pair.span = max(pair.span, a.At.Sub(b.At))
	}
	pairs := make([]agentPair, 0, len(byNode))
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		pairs = append(pairs, *byNode[node])
	}
	return pairs, ""
}

// restarted compares when a process says that it started, if it does: the
// client libraries' name for that may have the plugin's before it.
func restarted(before, after CounterFamilies) bool {
	for metric := range before {
		if !strings.HasSuffix(metric, "process_start_time_seconds") {
			continue
		}
		b, a := before.by(metric, nil), after.by(metric, nil)
		if len(b) > 0 && len(a) > 0 && b[""] != a[""] {
			return true
		}
	}
	return false
}

func (c Counters) drops(nodes []agentPair) (map[string]float64, string) {
	if len(c.Drops) == 0 {
		return nil, "the catalog names no counter of dropped packets"
	}
	all := map[string]float64{}
	for _, counter := range c.Drops {
		grown, absent := counter.growthOnAll(nodes)
		if absent != "" {
			return nil, absent
		}
		for labels, n := range grown {
			all[counter.reason(labels)] += n
		}
	}
	return all, ""
}

func (c Counters) pressure(nodes []agentPair) (map[string]float64, string) {
	if len(c.Pressure) == 0 {
		return nil, "the catalog names no metric that says how full a table is"
	}
	all := map[string]float64{}
	for _, p := range c.Pressure {
		for _, n := range nodes {
			full, absent := p.shares(n.after)
			if absent != "" {
				return nil, absent + " on " + n.node
			}
			for table, share := range full {
				all[table] = max(all[table], share)
			}
		}
	}
	return all, ""
}

// growthOnAll sums the growth on all nodes, by the labels' values.
func (c Counter) growthOnAll(nodes []agentPair) (map[string]float64, string) {
	sum := map[string]float64{}
	for _, n := range nodes {
		before, absent := c.read(n.before)
		if absent != "" {
			return nil, absent + " on " + n.node
		}
		after, absent := c.read(n.after)
		if absent != "" {
			return nil, absent + " on " + n.node + " after the load"
		}
		for labels, value := range before {
			if after[labels] < value {
				return nil, fmt.Sprintf("%s went back from %v to %v on %s", c.name(labels), value, after[labels], n.node)
			}
		}
		for labels, value := range after {
			sum[labels] += value - before[labels] // a series appears when it first counts
		}
	}
	return sum, ""
}

// read returns the counter's values by labels, or why there are none.
func (c Counter) read(f CounterFamilies) (map[string]float64, string) {
	values := f.by(c.Metric, c.By)
	if len(values) > 0 {
		for _, v := range values {
			if v < 0 {
				return nil, fmt.Sprintf("%s is %v", c.Metric, v)
			}
		}
		return values, unusable(c.Metric, values)
	}
	if c.Beside == "" || len(f.by(c.Beside, nil)) == 0 {
		return nil, "there is no metric " + c.Metric
	}
	return nil, ""
}

func (p Pressure) shares(f CounterFamilies) (map[string]float64, string) {
	used := f.by(p.Metric, p.By)
	if len(used) == 0 {
		return nil, "there is no metric " + p.Metric
	}
	shares := map[string]float64{}
	most := f.by(p.Of, p.By)
	for labels, value := range used {
		table := labels
		if table == "" {
			table = p.Metric
		}
		if p.Of == "" {
			shares[table] = value
			continue
		}
		size, known := most[labels]
		if !known || size <= 0 {
			return nil, "there is no metric " + p.Of + " above 0"
		}
		shares[table] = value / size
	}
	return shares, unusable(p.Metric, shares)
}

func unusable(metric string, values map[string]float64) string {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("%s is %v", metric, v)
		}
	}
	return ""
}

// reason names what was counted.
func (c Counter) reason(labels string) string {
	switch {
	case c.As == "" && labels != "":
		return labels
	case c.As == "":
		return c.Metric
	case labels == "":
		return c.As
	}
	return c.As + ", " + labels
}

// name is the metric with what labels' values say.
func (c Counter) name(labels string) string {
	if labels == "" {
		return c.Metric
	}
	return c.Metric + " (" + labels + ")"
}

// by sums a metric's series by the values of some labels, joined by commas. It
// is empty where the metric is not there.
func (f CounterFamilies) by(metric string, labels []string) map[string]float64 {
	family := f[metric]
	if metric == "" || family == nil {
		return nil
	}
	sums := map[string]float64{}
	for _, m := range family.Metric {
		value, is := numberOf(m)
		if !is {
			continue
		}
		sums[labelValues(m, labels)] += value
	}
	return sums
}

func labelValues(m *dto.Metric, labels []string) string {
	var values []string
	for _, name := range labels {
		for _, l := range m.Label {
			if l.GetName() == name && l.GetValue() != "" {
				values = append(values, l.GetValue())
			}
		}
	}
	return strings.Join(values, ", ")
}

// numberOf reads what is one number; a histogram is none.
func numberOf(m *dto.Metric) (float64, bool) {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue(), true
	case m.Gauge != nil:
		return m.Gauge.GetValue(), true
	case m.Untyped != nil:
		return m.Untyped.GetValue(), true
	}
	return 0, false
}
