package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/result"
)

// Steps is the series of loads with more and more streams that one trial ran to
// find how many fill the link.
type Steps struct {
	Cell    string `json:"cell"`
	Variant string `json:"variant"`
	Block   int    `json:"block"`
	Steps   []Step `json:"steps"`
}

// Step is the throughput of so many streams, in bit/s.
type Step struct {
	Streams    int     `json:"streams"`
	Throughput float64 `json:"throughput"`
}

// scenarioOfSteps is the one whose trials have steps.
const scenarioOfSteps = "streams-to-saturation"

// ReadSteps reads the steps from the evidence. Trials whose evidence is not
// there are left out.
func ReadSteps(d *result.Dir, trials []result.Trial) ([]Steps, error) {
	var all []Steps
	for _, t := range result.LastAttempts(trials) {
		if t.Status != result.OK || t.Scenario != scenarioOfSteps {
			continue
		}
		data, err := d.Evidence(t, "series.json")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := Steps{Cell: t.Cell, Variant: t.Variant, Block: t.Block}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("reading %s/series.json: %w", t.Raw, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// stepFigures draws the throughput over the number of streams of every cell that
// looked for saturation.
func stepFigures(a analysis.Analysis, all []Steps) []cellDrawings {
	var list []cellDrawings
	for i, c := range a.Cells {
		if own := stepsOf(c, all); len(own) > 0 {
			list = append(list, cellDrawings{c.ID, []figure.Drawing{drawSteps(a, own, fmt.Sprintf("n%d", i))}})
		}
	}
	return list
}

func drawSteps(a analysis.Analysis, own []Steps, id string) figure.Drawing {
	var streams, throughputs []float64
	var labels []string
	for _, s := range own {
		for _, step := range s.Steps {
			streams, throughputs = append(streams, float64(step.Streams)), append(throughputs, step.Throughput)
		}
	}
	slices.Sort(streams)
	streams = slices.Compact(streams)
	for _, n := range streams {
		labels = append(labels, fmt.Sprint(n))
	}
	show := newMeasure("bit/s", throughputs)
	shown := []float64{0}
	for _, t := range throughputs {
		shown = append(shown, t/show.divisor)
	}
	ax := figure.NewAxis(shown)
	curves := figure.Curves{
		ID: id, Title: "throughput over streams", Note: "All numbers of streams of a line were run one after the other in one trial. Dots are blocks, the line joins their medians.",
		Description: "Medians over blocks of the throughput, by the number of streams.",
		X:           figure.NewSteppedAxis(streams, labels, sweptLabels), XLabel: "streams", Y: ax, YLabel: axisLabel(ax, show.unit),
	}
	for _, v := range a.Plan.Variants {
		curves.Lines = append(curves.Lines, stepLine(v.Name, own, show))
	}
	return curves.Draw()
}

// stepsOf are the series of a cell, by block.
func stepsOf(c analysis.Cell, all []Steps) []Steps {
	var own []Steps
	for _, s := range all {
		if s.Cell == c.ID && len(s.Steps) > 0 {
			own = append(own, s)
		}
	}
	slices.SortStableFunc(own, func(x, y Steps) int { return x.Block - y.Block })
	return own
}

// stepValues are a variant's medians, by the number of streams.
func stepValues(variant string, own []Steps) []CurveValue {
	at := map[int][]float64{}
	for _, s := range own {
		for _, step := range s.Steps {
			if s.Variant == variant {
				at[step.Streams] = append(at[step.Streams], step.Throughput)
			}
		}
	}
	var values []CurveValue
	for _, n := range slices.Sorted(maps.Keys(at)) {
		if v, ok := newCurveValue(float64(n), at[n]); ok {
			values = append(values, v)
		}
	}
	return values
}

func stepLine(variant string, own []Steps, show measure) figure.Line {
	line := figure.Line{Name: variant}
	for _, s := range own {
		for _, step := range s.Steps {
			if s.Variant == variant {
				line.Dots = append(line.Dots, figure.XY{X: float64(step.Streams), Y: step.Throughput / show.divisor})
			}
		}
	}
	var words []string
	for _, v := range stepValues(variant, own) {
		line.Points = append(line.Points, v.point(show, fmt.Sprintf("%s, %.0f streams", variant, v.At)))
		words = append(words, fmt.Sprintf("%.0f: %s", v.At, show.with(v.Median)))
	}
	line.Words = strings.Join(words, ", ")
	return line
}
