package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// gallery lays drawings out as a page does, so that they can be looked at.
var gallery = template.Must(template.New("gallery").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Figures of made-up numbers</title>
<style>:root{color-scheme:light dark;--paper:#fff;--ink:#1c2127;--muted:#5a6570;--line:#d5dbe1;--faint:#eceff2}
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e4e8ec;--muted:#9ca6b0;--line:#363d45;--faint:#22272d}}
body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
figure{margin:0 0 2rem}figcaption{font-weight:600}text{font-size:12px;fill:var(--muted);text-anchor:middle}
.grid{stroke:var(--line)}.label{text-align:center;font-size:.8125rem;color:var(--muted)}.scroll{overflow-x:auto}
{{.Style}}</style>
{{range .Drawings}}<figure{{if .Labelled}} class="labelled"{{end}}><figcaption>{{.Title}}</figcaption>
{{with .Keys}}<ul class="keys">{{range .}}<li>{{.Mark}}{{.Name}}{{with .Detail}} <small>{{.}}</small>{{end}}</li>{{end}}</ul>{{end}}
<div{{if gt (len .Panels) 1}} class="panels"{{end}}>{{range .Panels}}<div>{{with .Name}}<h4>{{.}}</h4>{{end}}
{{.SVG}}</div>{{end}}</div></figure>
{{end}}{{range .Maps}}<figure><figcaption>{{.Title}}</figcaption>
<div class="heat"><div class="heat-names">{{range .Names}}<div{{if .Heading}} class="heading"{{end}}>{{.Name}}</div>{{end}}</div>
<div class="scroll">{{.SVG}}</div><div class="label">{{.ColumnLabel}}</div></div></figure>
{{end}}</html>
`))

type galleryPage struct {
	Style    template.CSS
	Drawings []Drawing
	Maps     []HeatDrawing
}

func render(t *testing.T, p galleryPage) string {
	t.Helper()
	p.Style = template.CSS(Style)
	var b bytes.Buffer
	if err := gallery.Execute(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wave is a made-up line with blocks around it.
func wave(name string, level float64, xs []float64) Line {
	l := Line{Name: name}
	for i, x := range xs {
		y := level * math.Pow(float64(i+1), 1.4)
		l.Points = append(l.Points, CurvePoint{X: x, Y: y, Low: y * 0.93, High: y * 1.08, Title: fmt.Sprintf("%s: %.1f", name, y)})
		for b := range 5 {
			l.Dots = append(l.Dots, XY{x, y * (0.92 + 0.04*float64(b))})
		}
	}
	return l
}

func waves(n int, xs []float64) []Line {
	var lines []Line
	for i := range n {
		lines = append(lines, wave(fmt.Sprintf("variant-%d", i+1), 1+0.25*float64(i), xs))
	}
	return lines
}

func curvesOf(id string, lines []Line, xs []float64) Curves {
	var ys []float64
	labels := make([]string, len(xs))
	for i, x := range xs {
		labels[i] = fmt.Sprint(x)
	}
	for _, l := range lines {
		for _, p := range l.Points {
			ys = append(ys, p.Low, p.High)
		}
	}
	return Curves{
		ID: id, Title: "Rate over streams", Description: "made-up numbers", X: NewSteppedAxis(xs, labels, 5), Y: NewWideAxis(ys),
		XLabel: "streams", YLabel: "Gbit/s", Lines: lines,
	}
}

func percentiles(id string) Curves {
	qs := []float64{0.5, 0.9, 0.95, 0.99, 0.999}
	c := Curves{ID: id, Title: "Latency", Description: "made-up numbers", X: NewPercentileAxis(qs), XLabel: "percentile", YLabel: "µs"}
	var all []float64
	for v := range 3 {
		l := Line{Name: fmt.Sprintf("variant-%d", v+1)}
		for b := range 6 {
			var one []XY
			for i, q := range qs {
				one = append(one, XY{q, (40 + 6*float64(v)) * math.Pow(1.7, float64(i)) * (0.95 + 0.02*float64(b))})
			}
			l.Traces = append(l.Traces, one)
		}
		for i, q := range qs {
			y := (40 + 6*float64(v)) * math.Pow(1.7, float64(i))
			l.Points = append(l.Points, CurvePoint{X: q, Y: y, Low: math.NaN(), High: math.NaN()})
			all = append(all, y, 0.9*y, 1.1*y)
		}
		c.Lines = append(c.Lines, l)
	}
	c.Y = NewAxis(all)
	return c
}

func heat(id string) HeatMap {
	h := HeatMap{ID: id, Title: "Change of throughput", Description: "made-up numbers", ColumnLabel: "bytes of a message"}
	for i := range 17 {
		h.Columns = append(h.Columns, fmt.Sprint(1<<i))
	}
	for r, name := range []string{"tcp", "a − host", "b − host", "udp", "a − host"} {
		row := HeatRow{Name: name}
		for i := range h.Columns {
			if name == "tcp" || name == "udp" {
				break
			}
			v := float64((i*7+r*11)%41) - 20
			cell := HeatCell{Text: fmt.Sprintf("%+.0f", v), Good: 1, Depth: int(math.Abs(v)) / 6, Inside: math.Abs(v) < 4, Firm: math.Abs(v) > 9, Title: "x"}
			if v < 0 {
				cell.Good = -1
			}
			cell.Depth = min(cell.Depth, 3)
			switch (i + r) % 16 {
			case 7:
				cell = HeatCell{Title: "not measured"}
			case 9:
				cell.Open = true
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

func scatter(id string, n int) Scatter {
	s := Scatter{ID: id, Title: "Efficiency", Description: "made-up numbers", XLabel: "memory in MiB", YLabel: "mCPU per Gbit/s", Groups: [][]int{{0, 1}}, Levels: []Level{{82, "host"}}}
	xs, ys := []float64{0}, []float64{82}
	for i := range n {
		x, y := 48+float64(i*i%7)*45, 95+float64(i*5%11)*7
		c := Cloud{Name: fmt.Sprintf("variant-%d", i+1), Detail: "made up", Middle: XY{x, y}, Low: XY{x - 9, y - 4}, High: XY{x + 8, y + 5}}
		for b := range 6 {
			c.Dots = append(c.Dots, XY{x - 10 + 4*float64(b), y - 5 + 2*float64(b)})
		}
		s.Clouds = append(s.Clouds, c)
		xs, ys = append(xs, x+10, x-10), append(ys, y-5, y+6)
	}
	s.X, s.Y = NewAxis(xs), NewAxis(ys)
	return s
}

func TestGallery(t *testing.T) {
	sizes := []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	streams := []float64{1, 2, 4, 8}
	got := render(t, galleryPage{
		Drawings: []Drawing{
			percentiles("percentiles").Draw(), curvesOf("streams", waves(4, streams), streams).Draw(),
			curvesOf("sizes", waves(8, sizes), sizes).Draw(), scatter("few", 4).Draw(), scatter("many", 14).Draw(),
		},
		Maps: []HeatDrawing{heat("heat").Draw()},
	})
	const file = "testdata/gallery.html"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-golden +got):\n%s", diff)
	}
}

// wellFormed checks that every picture is XML, with numbers that are numbers,
// ids that are there once and text alternatives that exist.
func wellFormed(t *testing.T, svgs ...template.HTML) {
	t.Helper()
	all := ""
	for _, svg := range svgs {
		all += string(svg)
	}
	ids := map[string]int{}
	var refs []string
	d := xml.NewDecoder(strings.NewReader("<all>" + all + "</all>"))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, all)
		}
		element, is := token.(xml.StartElement)
		if !is {
			continue
		}
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				ids[a.Value]++
			case "aria-labelledby":
				refs = append(refs, strings.Fields(a.Value)...)
			case "href":
				refs = append(refs, strings.TrimPrefix(a.Value, "#"))
			case "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "d":
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	for _, r := range refs {
		if ids[r] != 1 {
			t.Errorf("%q is there %d times", r, ids[r])
		}
	}
	if len(refs) == 0 {
		t.Error("no text alternative")
	}
}

func panelsOf(d Drawing) []template.HTML {
	var list []template.HTML
	for _, p := range d.Panels {
		list = append(list, p.SVG)
	}
	return list
}

// Whatever numbers come, a picture comes out whose every coordinate is one.
func TestDegenerate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	odd := map[string][]float64{
		"nothing": nil, "one point": {5}, "all equal": {7, 7, 7}, "zeros": {0, 0}, "not finite": {nan, inf, -inf},
		"partly missing": {1, nan, 3}, "huge and tiny": {1e-300, 1e300}, "negative": {-3, -1}, "around 0": {-1e-12, 1e-12},
	}
	for name, values := range odd {
		t.Run(name, func(t *testing.T) {
			var xs []float64
			var labels []string
			line := Line{Name: "a"}
			for i, v := range values {
				xs, labels = append(xs, float64(i)), append(labels, fmt.Sprint(i))
				line.Points = append(line.Points, CurvePoint{X: float64(i), Y: v, Low: v, High: v})
				line.Dots = append(line.Dots, XY{float64(i), v})
				line.Traces = append(line.Traces, []XY{{float64(i), v}})
			}
			for _, n := range []int{1, 23} {
				c := Curves{ID: "c", X: NewSteppedAxis(xs, labels, 5), Y: NewWideAxis(values)}
				for range n {
					c.Lines = append(c.Lines, line)
				}
				wellFormed(t, panelsOf(c.Draw())...)
			}
			s := Scatter{ID: "s", X: NewAxis(values), Y: NewWideAxis(values), Groups: [][]int{{0}}, Clouds: []Cloud{{Low: XY{nan, nan}, High: XY{nan, nan}, Middle: XY{nan, nan}}}}
			for _, v := range values {
				s.Clouds = append(s.Clouds, Cloud{Name: "a", Middle: XY{v, v}, Low: XY{v, nan}, High: XY{v, v}, Dots: []XY{{v, v}, {nan, v}}})
			}
			wellFormed(t, panelsOf(s.Draw())...)
			for _, v := range values {
				if q := NewPercentileAxis([]float64{v}).share(0.5); math.IsNaN(q) {
					t.Errorf("a percentile axis of %v has no place for 50 %%", v)
				}
			}
		})
	}
	wellFormed(t, HeatMap{ID: "h"}.Draw().SVG, HeatMap{ID: "i", Rows: []HeatRow{{}, {Cells: []HeatCell{{}}}}}.Draw().SVG)
}

// A missing value interrupts a line and is no part of it.
func TestCurveWithAGap(t *testing.T) {
	l := wave("a", 1, []float64{1, 2, 3, 4})
	l.Points[1].Y = math.NaN()
	c := curvesOf("c", []Line{l}, []float64{1, 2, 3, 4})
	p := plane{c.X, c.Y, "", "", curveHeight, false}
	if got := strings.Count(p.course(l), "M"); got != 2 {
		t.Errorf("%d pieces, want 2: %s", got, p.course(l))
	}
	if got := strings.Count(string(c.Draw().Panels[0].SVG), "mark k0"); got != 3 {
		t.Errorf("%d marks for 3 values", got)
	}
}

// Markup in names, ids and titles stays text.
func TestHostileText(t *testing.T) {
	const evil = `"><script>alert('1')</script>` + "\x00\n" + `{{.}}🐝`
	l := wave(evil, 1, []float64{1, 2})
	l.Points[0].Title = evil
	c := curvesOf(evil, []Line{l}, []float64{1, 2})
	c.Title, c.Description, c.XLabel, c.YLabel = evil, evil, evil, evil
	c.X.Ticks[0].Label, c.Y.Ticks[0].Label = evil, evil
	s := scatter(evil, 1)
	s.Title, s.Description, s.XLabel, s.YLabel, s.Groups = evil, evil, evil, evil, nil
	s.Clouds[0].Name, s.Clouds[0].Title, s.Levels[0].Label = evil, evil, evil
	h := HeatMap{ID: evil, Title: evil, Description: evil, Columns: []string{evil}, Rows: []HeatRow{{evil, []HeatCell{{Text: evil, Title: evil}}}}}
	for name, svg := range map[string]template.HTML{"curves": c.Draw().Panels[0].SVG, "scatter": s.Draw().Panels[0].SVG, "heat map": h.Draw().SVG} {
		if strings.Contains(string(svg), "<script") || strings.Contains(string(svg), `"><s`) {
			t.Errorf("%s: markup from a name", name)
		}
		if strings.Count(string(svg), "&lt;script&gt;") < 4 {
			t.Errorf("%s: the test does not reach the places it is for", name)
		}
	}
}

// Names at the ends of lines do not cover each other while there is room.
func TestSpread(t *testing.T) {
	got := []float64{10, 11, 12, 95, 100}
	spread(got, 10, 0, 100)
	if diff := cmp.Diff([]float64{10, 20, 30, 90, 100}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A name stands to the right of its own middle where nothing else is.
func TestNameStandsBesideItsMiddle(t *testing.T) {
	nan := math.NaN()
	s := Scatter{ID: "s", X: NewAxis([]float64{0, 500}), Y: NewAxis([]float64{0, 150}), Clouds: []Cloud{
		{Name: "first", Middle: XY{50, 120}, Low: XY{49, 100}, High: XY{51, 140}},
		{Name: "second", Middle: XY{400, 60}, Low: XY{nan, nan}, High: XY{nan, nan}},
	}}
	if n := strings.Count(string(s.Draw().Panels[0].SVG), `class="ball-name start"`); n != 2 {
		t.Errorf("%d of 2 names stand to the right", n)
	}
}
