package report

import (
	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/claims"
	"github.com/cnibench/cnibench/internal/cost"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/result"
)

// Source is what the page is made of. Only Analysis is needed: what is missing
// of the rest, the page says.
type Source struct {
	Analysis    analysis.Analysis
	Environment result.Environment
	Series      []Series // thinned to the room that is left
	// Sides are two trials to be shown side by side; nil: of each cell two that
	// show what differs most.
	Sides *[2]result.Key
	// Distributions are latencies, whole; without them curves are made of the
	// percentiles that are metrics.
	Distributions []Distribution
	// Steps are the series of trials that looked for saturation.
	Steps []Steps
	// Campaign is the campaign file as the user wrote it.
	Campaign []byte
	// Commands are what clients executed, by the directory of the evidence.
	Commands map[string]string
	// Rankings are what to choose for which need, Decision is what to decide by.
	Rankings []profile.Ranking
	Decision profile.Decision
	// Costs are those of the variants at somebody's prices; nil: none.
	Costs *cost.Costs
	// Claims are published ones, held against the analysis; nil: none.
	Claims *claims.Checked
}
