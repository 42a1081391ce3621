package figure

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// HeatMap is a table of signed numbers, coloured by what is better.
type HeatMap struct {
	// ID is unique in the page.
	ID                       string
	Title, Description, Note string
	Columns                  []string
	// ColumnLabel says what the columns are.
	ColumnLabel string
	Rows        []HeatRow
}

// HeatRow is a row of cells, one per column. A row without cells is a heading.
type HeatRow struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is one number.
type HeatCell struct {
	// Text is the number with its sign; empty: there is none.
	Text string
	// Good is 1 for better, −1 for worse and 0 for neither. Depth, from 0 to 3,
	// is how strong the colour is.
	Good, Depth int
	// Inside marks a number that cannot be told from none, or is too small to
	// matter: it is hatched.
	Inside bool
	// Open marks a number without an interval: it has an outline only.
	Open bool
	// Firm writes the number in bold.
	Firm bool
	// Title is shown when the cell is pointed at, or the values that the page
	// has under Key.
	Title, Key string
}

const (
	heatRow    = 28 // height of a row, in pixels
	heatHead   = 22 // of the columns' labels
	heatColumn = 36 // least width of a column
)

// HeatDrawing is a drawn heat map: names and cells, which have rows of the same
// height, so that names stay where they are when cells are moved sideways.
type HeatDrawing struct {
	Title, Note string
	ColumnLabel string
	Names       []HeatName
	SVG         template.HTML
}

// HeatName is the name of a row.
type HeatName struct {
	Name    string
	Heading bool
}

// Draw draws the map.
func (h HeatMap) Draw() HeatDrawing {
	d := HeatDrawing{Title: h.Title, Note: h.Note, ColumnLabel: h.ColumnLabel}
	for _, r := range h.Rows {
		d.Names = append(d.Names, HeatName{r.Name, len(r.Cells) == 0})
	}
	c := &Canvas{height: heatHead + heatRow*len(h.Rows)}
	fmt.Fprintf(&c.b, `<svg class="heat-cells" width="100%%" height="%d" style="min-width:%dpx" role="img" aria-labelledby="%[3]s-t %[3]s-d"><title id="%[3]s-t">%[4]s</title><desc id="%[3]s-d">%[5]s</desc>`,
		c.height, heatColumn*len(h.Columns), html.EscapeString(h.ID), html.EscapeString(h.Title), html.EscapeString(h.Description))
	width := 100 / float64(max(len(h.Columns), 1))
	for i, label := range h.Columns {
		c.Text((float64(i)+0.5)*width, 15, label, "")
	}
	for i, r := range h.Rows {
		for j, cell := range r.Cells {
			c.heatCell(cell, float64(j)*width, width, float64(heatHead+heatRow*i))
		}
	}
	c.stretch()
	c.path(h.hatching(width), "hatch")
	c.close()
	for i, r := range h.Rows {
		for j, cell := range r.Cells {
			c.heatText(cell, (float64(j)+0.5)*width, float64(heatHead+heatRow*i))
		}
	}
	d.SVG = c.HTML()
	return d
}

// heatCell draws a cell's ground. Numbers come after hatching, to be readable.
func (c *Canvas) heatCell(cell HeatCell, x, width, y float64) {
	class := "none"
	switch {
	case cell.Text == "":
	case cell.Open:
		class = "open"
	case cell.Inside || cell.Good == 0:
		class = "inside"
	case cell.Good > 0:
		class = fmt.Sprintf("good%d", cell.Depth)
	default:
		class = fmt.Sprintf("bad%d", cell.Depth)
	}
	c.rect(x+0.1, x+width-0.1, y+1, heatRow-2, class)
	c.pointed("rect", cell.Key, cell.Title)
}

func (c *Canvas) heatText(cell HeatCell, x, y float64) {
	class, text := "on", cell.Text
	switch {
	case text == "":
		text = "–"
	case !cell.Inside && !cell.Open && cell.Good != 0 && cell.Depth == 3:
		class = "on deep"
	}
	if cell.Firm {
		class += " firm"
	}
	c.Text(x, y+heatRow/2+4, text, class)
}

// hatching draws strokes inside the cells that need them. The horizontal unit
// is a thousandth of the width.
func (h HeatMap) hatching(width float64) string {
	strokes := int(max(width/100*nominalWidth/10, 3))
	var b strings.Builder
	for i, r := range h.Rows {
		for j, cell := range r.Cells {
			if !cell.Inside || cell.Text == "" {
				continue
			}
			for k := range strokes {
				step := 10 * width / float64(strokes)
				fmt.Fprintf(&b, "M%.0f %dl%.0f-%d", 10*float64(j)*width+float64(k)*step+1, heatHead+heatRow*(i+1)-2, step-2, heatRow-4)
			}
		}
	}
	return b.String()
}
