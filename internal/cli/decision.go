package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/profile"
)

// decisionCosts are the costs of a decision matrix; nil where nothing that was
// measured has a price.
func decisionCosts(costs *cost.Costs) *profile.Costs {
	prices := costs.Prices
	c := profile.Costs{Unit: prices.Currency + " a month", Figures: map[string]profile.Figure{}}
	without := costs.CommonlyLacking()
	priced := false
	for _, v := range costs.Variants {
		switch {
		case v.Total == nil:
			c.Figures[v.Name] = profile.Figure{Missing: v.Missing}
		case !slices.Equal(v.Without, without):
			// A sum of other terms is no cost to compare.
			c.Figures[v.Name] = profile.Figure{Missing: "its sum lacks " + strings.Join(v.Without, ", ")}
		default:
			priced = priced || v.Total.N > 0 // of a measurement, and not of nodes alone
			c.Figures[v.Name] = costFigure(*v.Total)
		}
	}
	if !priced {
		return nil
	}
	c.Note = fmt.Sprintf("a cluster of %d nodes %s, at %s", prices.Nodes, prices.Shape, prices.Origin)
	if len(without) > 0 {
		c.Note += "; without " + strings.Join(without, ", ") + ", which was not measured"
	}
	return &c
}

func costFigure(e cost.Estimate) profile.Figure {
	f := profile.Figure{N: e.N, Value: &e.Value}
	if e.Interval != nil {
		f.Low, f.High = &e.Interval.Low, &e.Interval.High
	}
	return f
}
