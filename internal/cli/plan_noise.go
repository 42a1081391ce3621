package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/forecast"
	"github.com/cnibench/cnibench/internal/plan"
)

// writeNoise says where the noise is from, and whether it was measured
// otherwise than the plan measures.
func writeNoise(w *strings.Builder, d design, known beforehand, metrics []forecast.Metric) {
	switch amount := percentage(known.noise.Ratio); {
	case known.source != "":
		writeLine(w, "noise", "that of the A/A comparisons in "+known.source)
		if text := otherwise(d, known.measured, metrics); text != "" {
			writeLine(w, "", text)
		}
	case known.given:
		writeLine(w, "noise", amount+" between blocks, as given by --noise")
	default:
		writeLine(w, "noise", amount+` between blocks, assumed; --noise DIR takes it from "cnibench calibrate" or another A/A campaign`)
	}
}

// otherwise says how the trials and installations that noise was measured with
// differ from those that are planned; empty: they do not. It is said and not
// corrected, because nobody knows by how much the noise is another.
func otherwise(d design, measured plan.Plan, metrics []forecast.Metric) string {
	load := trialDuration(d.scenarios, d.plan.Cluster)
	var there, here []time.Duration
	found := false
	for _, m := range metrics {
		i := slices.IndexFunc(d.plan.Cells, func(c plan.Cell) bool { return c.ID == m.Cell })
		planned := trialWindow(d.plan.Cells[i], load)
		for _, c := range sourcesOf(m, measured) {
			found = true
			if took := trialWindow(c, load); took != planned {
				there, here = append(there, took), append(here, planned)
			}
		}
	}
	before, now := installations(measured), installations(d.plan)
	was, is := "", ""
	switch {
	case !found || len(there) == 0 && before == now:
		return ""
	case before == now:
		was, is = "with trials of "+fromTo(there), fromTo(here)
	case len(there) == 0:
		was, is = "on "+before, now
	default:
		was, is = "with trials of "+fromTo(there)+" on "+before, fromTo(here)+" on "+now
	}
	return fmt.Sprintf("measured %s, planned are %s: the noise may be another", was, is)
}

// sourcesOf lists the cells that a metric's noise is from: its own, or else
// those of its scenario.
func sourcesOf(m forecast.Metric, measured plan.Plan) []plan.Cell {
	var cells []plan.Cell
	for _, c := range measured.Cells {
		if c.ID == m.Cell {
			return []plan.Cell{c}
		}
		if c.Scenario == m.Scenario {
			cells = append(cells, c)
		}
	}
	return cells
}

// trialWindow is the duration that a campaign file asks for, or else the time
// under load.
func trialWindow(c plan.Cell, load func(plan.Cell) time.Duration) time.Duration {
	if c.Parameters.Has("duration") {
		return c.Parameters.Duration("duration")
	}
	return load(c)
}

// fromTo writes "1s", or "1s to 10s" when they differ.
func fromTo(times []time.Duration) string {
	low, high := clock(slices.Min(times)), clock(slices.Max(times))
	if low == high {
		return low
	}
	return low + " to " + high
}

func installations(p plan.Plan) string {
	switch {
	case p.FreshCluster:
		return "fresh clusters"
	case p.Shared():
		return "one cluster"
	}
	return "one installation"
}
