package examination

import (
	"context"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/probe/tables"
	"github.com/cnibench/cnibench/internal/probe/vitals"
	"github.com/cnibench/cnibench/internal/stage"
)

// clockReadings is how often a node is asked for the time: the quickest answer
// tells most.
const clockReadings = 4

// askNodes reads what nodes say of themselves.
func (e *examiner) askNodes() {
	e.eachLoadNode(func(n *doctor.Node) {
		ctx, cancel := e.within()
		defer cancel()
		report, err := stage.NodeFacts(ctx, e.Cluster, n.Name, facts.Spec{Address: n.Address, As: "uplink"})
		if err != nil {
			n.Missing[doctor.PartFacts] = err.Error()
		} else {
			n.Facts = complete(report)
		}
		v, err := stage.NodeVitals(ctx, e.Cluster, n.Name, vitals.Spec{Address: n.Address})
		if err != nil {
			n.Missing[doctor.PartVitals] = err.Error()
			return
		}
		n.Vitals = &v
	})
	e.eachLoadNode(func(n *doctor.Node) {
		if n.Vitals != nil {
			ctx, cancel := e.within()
			defer cancel()
			n.Skew = skewOf(ctx, e.Cluster, n.Name)
		}
	})
}

// skewOf asks a node for the time and notes before and after: the node's clock
// said its time somewhere in between.
func skewOf(ctx context.Context, c *cluster.Cluster, node string) *doctor.Skew {
	var skew *doctor.Skew
	for range clockReadings {
		before := time.Now()
		v, err := stage.NodeVitals(ctx, c, node, vitals.Spec{ClockOnly: true})
		after := time.Now()
		if err != nil {
			continue
		}
		low, high := v.At.Sub(after), v.At.Sub(before)
		if skew == nil || high-low < skew.High-skew.Low {
			skew = &doctor.Skew{Low: low, High: high}
		}
	}
	return skew
}

// watch samples the machines without load, and reads the agents' counters
// before and after.
func (e *examiner) watch() {
	ctx, cancel := e.within()
	defer cancel()
	before := e.counters(ctx)
	agents, err := cni.Agents(ctx, e.Cluster, e.entry)
	if err != nil {
		agents = nil // their CPU is unknown then
	}
	seen, lost := stage.WatchIdle(ctx, e.Cluster, agents, watching)
	e.snapshot.Idle = map[string]doctor.Idle{}
	for node, s := range seen {
		e.snapshot.Idle[node] = idleOf(s)
	}
	for node, why := range lost {
		e.snapshot.Missing[doctor.PartIdle] = node + ": " + why
	}
	e.compareCounters(before, e.counters(ctx))
	e.countTables()
}

// countTables adds the maps of connections that the catalog names. That of the
// kernel is among the vitals.
func (e *examiner) countTables() {
	pins := e.entry.Plugin.Counters.Tables
	if e.entry.Name == "" || len(pins) == 0 {
		return
	}
	p := &e.snapshot.Plugin
	full, unread := map[string]float64{}, map[string]string{}
	for _, node := range loadNodes(e.Cluster) {
		ctx, cancel := e.within()
		report, err := stage.NodeTables(ctx, e.Cluster, node, pins)
		cancel()
		if err != nil {
			unread[node] = err.Error()
			continue
		}
		for _, t := range report.Tables {
			if t.Name != tables.Conntrack {
				full[t.Name+" on "+node] = t.Fill()
			}
		}
		for name, why := range report.Missing {
			if name != tables.Conntrack && name != tables.PartEvents {
				unread[name+" on "+node] = why
			}
		}
	}
	maps.Copy(full, p.Tables)
	p.Tables, p.TablesUnread = full, unread
}

// idleOf reads a summary.
func idleOf(s sample.Summary) doctor.Idle {
	idle := doctor.Idle{Window: s.Window.Duration(), Cores: s.Cores, Busy: s.Busy, Steal: s.Modes.Steal}
	if s.Probe != nil {
		idle.Busy = max(0, idle.Busy-*s.Probe)
	}
	if g, has := s.Groups[stage.IdleGroup]; has && g.Error == "" {
		idle.Agents = &g.Cores
	}
	return idle
}

// counters reads what agents count, of a plugin that the catalog knows.
func (e *examiner) counters(ctx context.Context) []cni.CounterSource {
	if e.entry.Name == "" || !e.entry.Plugin.Counters.Counted() {
		return nil
	}
	sources, err := cni.ReadCounters(ctx, e.Cluster, e.entry, loadNodes(e.Cluster))
	e.miss(doctor.PartCounters, err)
	return sources
}

func (e *examiner) compareCounters(before, after []cni.CounterSource) {
	p := &e.snapshot.Plugin
	if e.entry.Name == "" || !e.entry.Plugin.Counters.Counted() {
		const why = "the catalog knows no metrics of this plugin's agents"
		p.DroppedAbsent, p.TablesAbsent = why, why
		return
	}
	change := e.entry.Plugin.Counters.Change(before, after)
	p.Dropped, p.DroppedAbsent = change.Drops, change.DropsAbsent
	p.Tables, p.TablesAbsent = change.Pressure, change.PressureAbsent
}
