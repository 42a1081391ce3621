package report

import "github.com/cnibench/cnibench/internal/figure"

// figures are those that show more than one metric or cell at once, or how a
// trial went.
type figures struct {
	Latency []cellDrawings
	Swept   []sweptGroup
	Steps   []cellDrawings
	Scatter []cellDrawings
	Sides   []sideBySide
	Chosen  *sideBySide // by the user, instead of Sides
}

// cellDrawings are those of one cell.
type cellDrawings struct {
	Cell     string
	Drawings []figure.Drawing
}

func newFigures(s Source) figures {
	f := figures{
		Latency: percentileFigures(s.Analysis, s.Distributions),
		Swept:   sweptGroups(s.Analysis),
		Steps:   stepFigures(s.Analysis, s.Steps),
		Scatter: scatterFigures(s.Analysis),
		Chosen:  chosenSides(s.Sides, s.Series),
	}
	if f.Chosen == nil {
		f.Sides = sidesBySide(s.Analysis, s.Series)
	}
	return f
}
