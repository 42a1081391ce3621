package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/result"
)

// memoryMetric is the working set of everything that runs for the cluster; what
// a variant has more of than the base, in the same block, is its overhead.
const memoryMetric = "memory"

// overheadMetric is the same difference where the source has it ready, as
// imported results do.
const overheadMetric = "memory-overhead"

// extent is one variant's place on one axis, in the metric's unit: the value,
// its interval, NaN where there is none, and the values of the blocks.
type extent struct {
	value, low, high float64
	blocks           map[int]float64
}

// scatterFigures draws, for each cell that measured both, memory overhead
// against CPU per Gbit/s.
func scatterFigures(a analysis.Analysis) []cellDrawings {
	var list []cellDrawings
	for i, c := range a.Cells {
		cpu, ok := metricOf(c, cpuPerGbit)
		if !ok {
			continue
		}
		if s, ok := newScatter(a, c, cpu, fmt.Sprintf("x%d", i)); ok {
			list = append(list, cellDrawings{c.ID, []figure.Drawing{s.Draw()}})
		}
	}
	return list
}

// newScatter reports false where no variant has both values.
func newScatter(a analysis.Analysis, c analysis.Cell, cpu analysis.Metric, id string) (figure.Scatter, bool) {
	memory, overheads, label := overheadsOf(a, c)
	costs := extentsOf(cpu)
	var xs, ys, shownX, shownY []float64
	var names []string
	for _, v := range a.Plan.Variants {
		x, hasX := overheads[v.Name]
		y, hasY := costs[v.Name]
		if hasY {
			ys = append(ys, y.all()...)
		}
		if hasX && hasY {
			names, xs = append(names, v.Name), append(xs, x.all()...)
		}
	}
	if len(names) == 0 {
		return figure.Scatter{}, false
	}
	showX, showY := newMeasure("bytes", xs), newMeasure(cpu.Unit, ys)
	for _, x := range xs {
		shownX = append(shownX, x/showX.divisor)
	}
	for _, y := range ys {
		shownY = append(shownY, y/showY.divisor)
	}
	s := figure.Scatter{
		ID: id, Title: "memory and CPU per Gbit/s", XLabel: fmt.Sprintf("%s, %s; less is better", label, showX.unit),
		X: figure.NewAxis(append(shownX, 0)), Y: figure.NewAxis(shownY),
	}
	s.YLabel = axisLabel(s.Y, showY.unit+"; less is better")
	equalX, equalY := groupLetters(a, memory), groupLetters(a, cpu)
	var words []string
	base := ""
	for _, name := range names {
		x, y := overheads[name], costs[name]
		cloud := newCloud(name, x, y, showX, showY)
		cloud.Detail = cloudDetail(x, y, showX, showY)
		if letters := equalDetail(equalX[name], equalY[name]); letters != "" {
			cloud.Detail += "; " + letters
		}
		if !crowded(a) { // the list beside the picture has it, too
			cloud.Title = name + ": " + cloud.Detail
		}
		words = append(words, name)
		s.Clouds = append(s.Clouds, cloud)
	}
	if y, has := costs[a.Plan.Analysis.Base]; has && !slices.Contains(names, a.Plan.Analysis.Base) {
		s.Levels = []figure.Level{{Value: y.value / showY.divisor, Label: fmt.Sprintf("%s: %s", a.Plan.Analysis.Base, showY.number(y.value))}}
		base = fmt.Sprintf(" %s: %s, the dashed line.", a.Plan.Analysis.Base, showY.with(y.value))
	}
	s.Groups = equals(names, equalX, equalY)
	s.Note = scatterNote(s, equalX, equalY)
	s.Description = label + " against CPU per Gbit/s, medians with intervals, of " + strings.Join(words, ", ") + "; the list before the picture has the numbers." + base
	return s, true
}

// overheadsOf is the memory that each variant has more than the base, with the
// metric that says so.
func overheadsOf(a analysis.Analysis, c analysis.Cell) (analysis.Metric, map[string]extent, string) {
	if m, ok := metricOf(c, overheadMetric); ok {
		return m, extentsOf(m), "memory overhead"
	}
	m, ok := metricOf(c, memoryMetric)
	if !ok || m.Scale != result.Difference || a.Plan.Unpaired() {
		return m, nil, ""
	}
	over := map[string]extent{}
	for _, k := range m.Comparisons {
		if !k.AgainstBase || k.Effect == nil {
			continue
		}
		e := extent{k.Effect.Estimate, math.NaN(), math.NaN(), map[int]float64{}}
		if iv := k.Effect.Interval; iv != nil {
			e.low, e.high = iv.Low, iv.High
		}
		for _, p := range k.Pairs {
			e.blocks[p.Block] = p.Difference
		}
		over[k.B] = e
	}
	return m, over, "memory more than " + a.Plan.Analysis.Base
}

// extentsOf are the medians of a metric.
func extentsOf(m analysis.Metric) map[string]extent {
	list := map[string]extent{}
	for _, arm := range m.Arms {
		if arm.Summary == nil {
			continue
		}
		e := extent{arm.Summary.Median, math.NaN(), math.NaN(), map[int]float64{}}
		if iv := arm.Summary.Interval; iv != nil {
			e.low, e.high = iv.Low, iv.High
		}
		for _, s := range arm.Samples {
			e.blocks[s.Block] = s.Value
		}
		list[arm.Variant] = e
	}
	return list
}

// all are the values that an axis must hold. What is not finite it leaves out.
func (e extent) all() []float64 {
	values := []float64{e.value, e.low, e.high}
	for _, v := range e.blocks {
		values = append(values, v)
	}
	slices.Sort(values)
	return slices.DeleteFunc(values, math.IsNaN)
}

func newCloud(name string, x, y extent, showX, showY measure) figure.Cloud {
	c := figure.Cloud{
		Name:   name,
		Middle: figure.XY{X: x.value / showX.divisor, Y: y.value / showY.divisor},
		Low:    figure.XY{X: x.low / showX.divisor, Y: y.low / showY.divisor},
		High:   figure.XY{X: x.high / showX.divisor, Y: y.high / showY.divisor},
	}
	var blocks []int
	for b := range x.blocks {
		if _, both := y.blocks[b]; both {
			blocks = append(blocks, b)
		}
	}
	slices.Sort(blocks)
	for _, b := range blocks {
		c.Dots = append(c.Dots, figure.XY{X: x.blocks[b] / showX.divisor, Y: y.blocks[b] / showY.divisor})
	}
	return c
}

func cloudDetail(x, y extent, showX, showY measure) string {
	return extentText(x, showX) + ", " + extentText(y, showY)
}

func extentText(e extent, show measure) string {
	if math.IsNaN(e.low) {
		return show.with(e.value)
	}
	return fmt.Sprintf("%s (%s)", show.with(e.value), show.span(e.low, e.high))
}

// groupLetters are the groups, by number, that each variant belongs to in a
// metric; none where groups cannot be made.
func groupLetters(a analysis.Analysis, m analysis.Metric) map[string][]int {
	g, err := a.Groups(m)
	if err != nil || g == nil || g.Absent != "" {
		return nil
	}
	letters := map[string][]int{}
	for i, names := range g.Groups {
		for _, name := range names {
			letters[name] = append(letters[name], i)
		}
	}
	return letters
}

// equalDetail writes groups as letters: "memory ab, CPU c".
func equalDetail(memory, cpu []int) string {
	var parts []string
	for _, one := range []struct {
		name   string
		groups []int
	}{{"memory", memory}, {"CPU", cpu}} {
		if len(one.groups) == 0 {
			continue
		}
		var letters string
		for _, g := range one.groups {
			letters += string(rune('a' + g%26))
		}
		parts = append(parts, one.name+" "+letters)
	}
	return strings.Join(parts, ", ")
}

// equals are the largest sets of variants, by index, that share a group in both
// metrics; only those of two and more.
func equals(names []string, memory, cpu map[string][]int) [][]int {
	var sets [][]int
	for _, i := range groupNumbers(memory) {
		for _, j := range groupNumbers(cpu) {
			var set []int
			for k, name := range names {
				if slices.Contains(memory[name], i) && slices.Contains(cpu[name], j) {
					set = append(set, k)
				}
			}
			if len(set) > 1 {
				sets = append(sets, set)
			}
		}
	}
	var largest [][]int
	for i, set := range sets {
		if !slices.ContainsFunc(sets, func(o []int) bool { return len(o) > len(set) && holds(o, set) }) &&
			!slices.ContainsFunc(sets[:i], func(o []int) bool { return slices.Equal(o, set) }) {
			largest = append(largest, set)
		}
	}
	return largest
}

func holds(set, part []int) bool {
	return !slices.ContainsFunc(part, func(i int) bool { return !slices.Contains(set, i) })
}

// groupNumbers are all groups that some variant belongs to.
func groupNumbers(groups map[string][]int) []int {
	var numbers []int
	for _, list := range groups {
		numbers = append(numbers, list...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// scatterNote explains what is enclosed, or why nothing is.
func scatterNote(s figure.Scatter, memory, cpu map[string][]int) string {
	switch {
	case len(s.Groups) > 0:
		return "Variants in one frame were not shown to differ by more than the margin, neither in memory nor in CPU; letters are the groups of each."
	case len(s.Clouds) < 2:
		return ""
	case memory == nil || cpu == nil:
		return "Groups of equals need three variants and enough blocks in both metrics."
	}
	return "Any two of these were shown to differ by more than the margin in memory, in CPU, or in both."
}
