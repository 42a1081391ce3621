// Command services draws what results of service-scaling show over the number
// of Services: docs/services/curves.svg, from the directories that it is given.
package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/result"
)

// Sizes of the picture in pixels. Curves are drawn 324 high, with values to the
// left of them and names to the right.
const (
	panelWidth, panelHeight      = 280, 370
	valueRoom, nameRoom, columns = 60, 80, 2
	cellWidth                    = valueRoom + panelWidth + nameRoom
)

// style is that of the report's figures on a page of its own colours.
const style = `<style><![CDATA[:root{--ink:#1c2127;--muted:#5a6570;--line:#c9d0d6;--faint:#eceff2;--paper:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--muted:#9ca6b0;--line:#3a424a;--faint:#22272d;--paper:#14171a}}
svg{overflow:visible;font:13px system-ui,sans-serif}text{fill:var(--muted)}.heading{fill:var(--ink);font-weight:600}.paper{fill:var(--paper)}
`

// shown are the metrics and the unit in which each is shown.
var shown = []struct {
	metric, title, unit string
	divisor             float64
}{
	{"connect-rate", "new connections a second", "1/s", 1},
	{"programming-time", "until one more Service carries connections", "ms", 1e-3},
	{"services-created", "until the API has all Services", "s", 1},
	{"removal-time-all", "until all are removed and forgotten", "s", 1},
}

// sample is a value of one trial that is ok.
type sample struct {
	variant  string
	services float64
	values   map[string]float64
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		os.Exit(1)
	}
}

func run(dirs []string) error {
	var all []sample
	for _, path := range dirs {
		read, err := samplesOf(path)
		if err != nil {
			return err
		}
		all = append(all, read...)
	}
	return os.WriteFile("docs/services/curves.svg", []byte(draw(all)), 0o644)
}

func samplesOf(path string) ([]sample, error) {
	dir, err := result.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := dir.Plan()
	if err != nil {
		return nil, err
	}
	services := map[string]float64{}
	for _, c := range p.Cells {
		services[c.ID] = float64(c.Parameters.Integer("services"))
	}
	journal, err := dir.Journal()
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, t := range journal.Trials {
		if t.Status != result.OK || t.Scenario != "service-scaling" {
			continue
		}
		s := sample{t.Variant, services[t.Cell], map[string]float64{}}
		for _, v := range t.Values {
			s.values[v.Name] = v.Value
		}
		samples = append(samples, s)
	}
	return samples, nil
}

func draw(all []sample) string {
	width := columns * cellWidth
	height := (len(shown) + columns - 1) / columns * panelHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="What Services cost, by their number">%s%s]]></style><rect class="paper" width="%d" height="%d"/>`,
		width, height, style, figure.Style, width, height)
	for i, m := range shown {
		c := figure.Curves{ID: fmt.Sprintf("c%d", i), Title: m.title, Description: m.title + " in " + m.unit + ", by the number of Services.", XLabel: "Services, logarithmic", YLabel: m.unit}
		var steps, ys []float64
		c.Lines, steps, ys = lines(all, m.metric, m.divisor)
		var labels []string
		for _, s := range steps {
			labels = append(labels, strconv.Itoa(int(s)))
		}
		c.X, c.Y = figure.NewSteppedAxis(steps, labels, len(steps)), figure.NewWideAxis(ys)
		if c.Y.Logarithmic() {
			c.YLabel += ", logarithmic"
		}
		x, y := i%columns*cellWidth, i/columns*panelHeight
		svg := strings.Replace(string(c.Draw().Panels[0].SVG), `width="100%"`, fmt.Sprintf(`x="%d" y="%d" width="%d"`, x+valueRoom, y+30, panelWidth), 1)
		fmt.Fprintf(&b, `<text class="heading" x="%d" y="%d">%s</text>%s`, x+valueRoom+8, y+20, m.title, svg)
	}
	return b.String() + "</svg>\n"
}

// lines makes a line of each variant, and says which steps and values there are.
func lines(all []sample, metric string, divisor float64) (list []figure.Line, steps, ys []float64) {
	names := map[string]int{}
	slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.services, b.services) })
	for _, s := range all {
		v, has := s.values[metric]
		if !has || v <= 0 {
			continue
		}
		i, known := names[s.variant]
		if !known {
			i, names[s.variant] = len(list), len(list)
			list = append(list, figure.Line{Name: s.variant})
		}
		y := v / divisor
		list[i].Dots = append(list[i].Dots, figure.XY{X: s.services, Y: y})
		list[i].Points = append(list[i].Points, figure.CurvePoint{X: s.services, Y: y, Low: math.NaN(), High: math.NaN()})
		list[i].Words += fmt.Sprintf(" %.3g at %g", y, s.services)
		steps, ys = append(steps, s.services), append(ys, y)
	}
	slices.SortFunc(list, func(a, b figure.Line) int { return cmp.Compare(a.Name, b.Name) })
	return list, slices.Compact(steps), ys
}
