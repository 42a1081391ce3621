package report

import "github.com/cnibench/cnibench/internal/figure"

// figures are those that show more than one metric or cell at once, or how a
// trial went.
type figures struct {
	Latency []figure.Drawing
	Swept   []figure.Drawing
	Heat    []heatMap
	Scatter []figure.Drawing
	Sides   []sideBySide
}

func newFigures(s Source) figures {
	return figures{
		Latency: percentileFigures(s.Analysis, s.Distributions),
		Swept:   sweepFigures(s.Analysis),
		Heat:    heatMaps(s.Analysis),
		Scatter: scatterFigures(s.Analysis),
		Sides:   sidesBySide(s.Analysis, s.Series),
	}
}
