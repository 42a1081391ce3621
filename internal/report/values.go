package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
)

const (
	// commandBytes is the most that commands of trials take of the page.
	commandBytes = 600_000
	// valueCount is the number of samples beyond which the page has none of
	// them: they would be most of its bytes. JSON and CSV have all.
	valueCount = 60_000
)

// pageValues are the exact values behind the figures, for the page's script:
// once, and as short as they can be said.
type pageValues struct {
	Variants []string     `json:"variants"`
	Base     string       `json:"base"`
	Raw      bool         `json:"raw"` // trials have evidence in raw/BLOCK/VARIANT/CELL/ATTEMPT
	Cells    []cellValues `json:"cells"`
	Commands alikeTexts   `json:"commands,omitempty"`
}

// cellValues are those of one cell. Lists are by variant.
type cellValues struct {
	ID      string         `json:"id"`
	Metrics []metricValues `json:"metrics"`
	// Attempts has block and attempt, alternately, where it was not the first.
	Attempts [][]int `json:"attempts,omitempty"`
	// Commands has block and index in the page's commands, alternately.
	Commands [][]int `json:"commands,omitempty"`
}

// metricValues are those of one metric that the page shows in full.
type metricValues struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Values are those of each variant, in the order of the blocks.
	Values [][]float64 `json:"values,omitempty"`
	// Blocks are those of the values, by index of the variant, where they are
	// not the first ones, all of them.
	Blocks map[int][]int `json:"blocks,omitempty"`
	// Effects has estimate, low and high end of the interval and pairs against
	// the base, of each variant; nothing for those not compared.
	Effects [][]float64 `json:"effects"`
	Ratio   bool        `json:"ratio,omitempty"` // effects are fractions
}

// dataKey names the values of a variant in a metric of a cell, by index.
func dataKey(cell, metric, variant int) string { return fmt.Sprintf("%d.%d.%d", cell, metric, variant) }

// newPageValues writes the values as JSON that may stand in a script element:
// encoding/json escapes what could end it.
func newPageValues(s Source) (template.JS, error) {
	a := s.Analysis
	v := pageValues{Base: a.Plan.Analysis.Base, Raw: a.Plan.Imported == nil, Cells: []cellValues{}}
	for _, variant := range a.Plan.Variants {
		v.Variants = append(v.Variants, variant.Name)
	}
	withValues := sampleCount(a) <= valueCount
	commands := newCommandList(s.Commands)
	for _, c := range a.Cells {
		cell := cellValues{ID: c.ID, Metrics: []metricValues{}}
		for _, m := range shownMetrics(c) {
			cell.Metrics = append(cell.Metrics, newMetricValues(m, withValues))
		}
		if withValues {
			cell.Attempts, cell.Commands = trialLists(c, commands)
		}
		v.Cells = append(v.Cells, cell)
	}
	v.Commands = commands.texts
	data, err := json.Marshal(v)
	return template.JS(data), err
}

// shownMetrics are the metrics of a cell that the page does not fold.
func shownMetrics(c analysis.Cell) []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(c.Metrics), analysis.Metric.Folded)
}

func sampleCount(a analysis.Analysis) int {
	n := 0
	for _, c := range a.Cells {
		for _, m := range shownMetrics(c) {
			for _, arm := range m.Arms {
				n += len(arm.Samples)
			}
		}
	}
	return n
}

// crowded tells whether a page has so many samples that figures leave what is
// pointed at to the values of the page, or to the tables: as titles of their own
// they would be most of the file.
func crowded(a analysis.Analysis) bool { return sampleCount(a) > dotTitles }

func newMetricValues(m analysis.Metric, withValues bool) metricValues {
	v := metricValues{Name: m.Name, Unit: m.Unit, Ratio: newEffectText(m).ratio}
	for i, arm := range m.Arms {
		effect := []float64{}
		if k, ok := againstBase(m, arm.Variant); ok && k.Effect != nil && k.Effect.Interval != nil {
			effect = []float64{k.Effect.Estimate, k.Effect.Interval.Low, k.Effect.Interval.High, float64(len(k.Pairs))}
		}
		v.Effects = append(v.Effects, effect)
		if !withValues {
			continue
		}
		values, blocks, whole := []float64{}, []int{}, true
		for j, s := range arm.Samples {
			values, blocks = append(values, s.Value), append(blocks, s.Block)
			whole = whole && s.Block == j+1
		}
		v.Values = append(v.Values, values)
		if !whole {
			if v.Blocks == nil {
				v.Blocks = map[int][]int{}
			}
			v.Blocks[i] = blocks
		}
	}
	return v
}

// trialLists says of a cell's trials, by variant, which attempt counted and
// what was executed.
func trialLists(c analysis.Cell, commands *commandList) (attempts, indexes [][]int) {
	for i, o := range c.Outcomes {
		again, ran := []int{}, []int{}
		for _, s := range samplesOf(c, i) {
			if s.Attempt != 1 {
				again = append(again, s.Block, s.Attempt)
			}
			if index, ok := commands.index(s.Block, o.Variant, c.ID, s.Attempt); ok {
				ran = append(ran, s.Block, index)
			}
		}
		attempts, indexes = append(attempts, again), append(indexes, ran)
	}
	return attempts, indexes
}

// samplesOf lists one sample per block of a variant, of whichever metric.
func samplesOf(c analysis.Cell, variant int) []analysis.Sample {
	var list []analysis.Sample
	seen := map[int]bool{}
	for _, m := range c.Metrics {
		for _, s := range m.Arms[variant].Samples {
			if !seen[s.Block] {
				seen[s.Block] = true
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(x, y analysis.Sample) int { return x.Block - y.Block })
	return list
}
