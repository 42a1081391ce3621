package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/tables"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of the tables of connections on the nodes of a load.
var (
	mapFill = result.Metric{Name: "map-fill", Unit: "share", Better: result.Lower, Scale: result.Difference, Margin: 0.05,
		Help: "how full the fullest table of connections on the nodes of the load is right after it, of nf_conntrack and the BPF maps that the catalog names; 1 is full"}
	conntrackDrops = conntrackMetric("conntrack-drops", "packets",
		"packets that nf_conntrack dropped on the nodes of the load, from before the warm-up to after the end, because its table was full or an entry could not be made")
	conntrackEvictions = conntrackMetric("conntrack-evictions", "connections",
		"entries that nf_conntrack threw out before their time to make room, on the nodes of the load")
	conntrackFailures = conntrackMetric("conntrack-insert-failures", "connections",
		"entries that nf_conntrack could not enter because another with the same addresses and ports was there, on the nodes of the load")
)

func conntrackMetric(name, unit, help string) result.Metric {
	return result.Metric{Name: name, Unit: unit, Better: result.Lower, Scale: result.Difference, Margin: 10, Help: help}
}

// conntrackEvent is what the kernel counts, as a metric.
type conntrackEvent struct {
	metric result.Metric
	event  string // of /proc/net/stat/nf_conntrack
}

var conntrackEvents = []conntrackEvent{{conntrackDrops, "drop"}, {conntrackEvictions, "early_drop"}, {conntrackFailures, "insert_failed"}}

func conntrackMetrics() (all []result.Metric) {
	for _, e := range conntrackEvents {
		all = append(all, e.metric)
	}
	return all
}

// tableFull is the share from which on a table counts as full: maps that throw
// out the oldest keep some room on every processor.
const tableFull = 0.95

// nodeTables are the tables of nodes, by name.
type nodeTables map[string]tables.Report

// readTables looks at the nodes of both ends. What cannot be read is missing
// there: the load is measured without it.
func readTables(ctx context.Context, b *stage.Bench, pair stage.Pair) nodeTables {
	all := nodeTables{}
	for _, node := range []string{pair.Client.Node, pair.Server.Node} {
		if _, done := all[node]; done {
			continue
		}
		report, err := stage.NodeTables(ctx, b.Cluster, node, b.Entry.Plugin.Counters.Tables)
		if err != nil {
			why := strings.Join(strings.Fields(err.Error()), " ")
			report.Missing = map[string]string{"tables": why, tables.PartEvents: why}
		}
		all[node] = report
	}
	return all
}

// tableFigures are what a load did to the tables, with one fact for each.
func tableFigures(before, after nodeTables) (stage.Figures, map[string]string) {
	var f stage.Figures
	facts := map[string]string{}
	fullest, where, unread := tables.Table{}, "", ""
	for _, node := range slices.Sorted(maps.Keys(after)) {
		for _, t := range after[node].Tables {
			facts["table "+t.Name+" on "+node] = tableWords(before[node], t)
			if where == "" || t.Fill() > fullest.Fill() {
				fullest, where = t, node
			}
		}
		for _, name := range slices.Sorted(maps.Keys(after[node].Missing)) {
			if name != tables.PartEvents {
				unread = fmt.Sprintf("%s on %s: %s", name, node, after[node].Missing[name])
			}
		}
		if absent := after[node].Absent; len(absent) > 0 {
			facts["tables that "+node+" lacks"] = strings.Join(absent, ", ")
		}
	}
	switch {
	case unread != "": // it may be the fullest
		f.Lack(unread, mapFill)
	case where == "":
		f.Lack("the nodes have no table of connections that can be read", mapFill)
	default:
		f.Add(mapFill, fullest.Fill())
		facts["fullest table"] = fmt.Sprintf("%s on %s", fullest.Name, where)
		if fullest.Fill() >= tableFull {
			f.Marks = []result.Mark{{Name: "table-full", Detail: fmt.Sprintf("%s on %s was full: %s", fullest.Name, where, tableWords(before[where], fullest))}}
		}
	}
	for _, e := range conntrackEvents {
		if grown, why := grownBy(e.event, before, after); why != "" {
			f.Lack(why, e.metric)
		} else {
			f.Add(e.metric, float64(grown))
		}
	}
	return f, facts
}

// tableWords tells of a table how it was before and how it is.
func tableWords(before tables.Report, t tables.Table) string {
	words := fmt.Sprintf("%d of %d entries (%.1f %%)", t.Entries, t.Limit, 100*t.Fill())
	if b, known := before.Find(t.Name); known {
		words += fmt.Sprintf(", %d before", b.Entries)
	}
	switch {
	case t.Name == tables.Conntrack:
		return words + "; a full one throws out what is closing or was never answered, else it drops what is new"
	case t.Evicts:
		return words + "; a full one throws out what was unused for longest"
	}
	return words + "; a full one takes nothing new"
}

// grownBy adds up over the nodes what nf_conntrack counted of an event, or says
// why that is not known.
func grownBy(event string, before, after nodeTables) (grown uint64, why string) {
	for _, node := range slices.Sorted(maps.Keys(after)) {
		b, a := before[node], after[node]
		from, has := b.Events[event]
		to, still := a.Events[event]
		switch {
		case b.Missing[tables.PartEvents] != "":
			return 0, node + ": " + b.Missing[tables.PartEvents]
		case a.Missing[tables.PartEvents] != "":
			return 0, node + ": " + a.Missing[tables.PartEvents]
		case !has || !still:
			return 0, "the kernel of " + node + " does not count " + event
		case to < from:
			return 0, fmt.Sprintf("%s of nf_conntrack on %s went back from %d to %d", event, node, from, to)
		}
		grown += to - from
	}
	return grown, ""
}
