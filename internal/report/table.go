package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// table is a table of text; the first row is its head. Columns are as wide as
// their widest cell.
type table struct {
	indent string
	right  []bool // columns that align on the right; others on the left
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(b *bytes.Buffer) {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		line := t.indent
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				line += pad + cell + "  "
			} else {
				line += cell + pad + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
