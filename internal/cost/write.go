package cost

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/prose"
)

// Text writes the costs for a terminal.
func Text(w io.Writer, c Costs, formulas bool) error {
	var b bytes.Buffer
	v := c.View(formulas)
	b.WriteString(prose.Paragraph("", prose.Printable(v.Title)))
	for _, line := range v.Lead {
		b.WriteString(prose.Paragraph("", prose.Printable(line)))
	}
	for _, s := range v.Sections {
		b.WriteString("\n" + prose.Paragraph("", prose.Printable(s.Title)))
		if s.Lead != "" {
			b.WriteString(prose.Paragraph("  ", s.Lead))
		}
		if s.Table != nil {
			s.Table.text(&b)
		}
		for _, item := range s.Items {
			text := item.Text
			if item.Name != "" {
				text = item.Name + ": " + text
			}
			b.WriteString(prose.Paragraph("  ", prose.Printable(text)))
		}
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

// text writes columns as wide as their widest cell.
func (t *Table) text(b *bytes.Buffer) {
	rows := [][]string{}
	if strings.Join(t.Head, "") != "" {
		rows = append(rows, t.Head)
	}
	rows = append(rows, t.Rows...)
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(prose.Printable(cell)))
		}
	}
	for _, row := range rows {
		line := "  "
		for i, cell := range row {
			cell = prose.Printable(cell)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Words[i] {
				line += cell + pad + "  "
			} else {
				line += pad + cell + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Markdown writes the costs for a pull request or a page.
func Markdown(w io.Writer, c Costs, formulas bool) error {
	var b bytes.Buffer
	v := c.View(formulas)
	fmt.Fprintf(&b, "# %s\n\n", markdown(v.Title))
	for _, line := range v.Lead {
		fmt.Fprintf(&b, "- %s\n", markdown(line))
	}
	for _, s := range v.Sections {
		fmt.Fprintf(&b, "\n## %s\n\n", markdown(s.Title))
		if s.Lead != "" {
			fmt.Fprintf(&b, "%s\n\n", s.Lead)
		}
		if s.Table != nil {
			s.Table.markdown(&b)
		}
		if s.Table != nil && len(s.Items) > 0 {
			b.WriteString("\n")
		}
		for _, item := range s.Items {
			if item.Name != "" {
				fmt.Fprintf(&b, "- **%s**: %s\n", markdown(item.Name), markdown(item.Text))
			} else {
				fmt.Fprintf(&b, "- %s\n", markdown(item.Text))
			}
		}
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

func (t *Table) markdown(b *bytes.Buffer) {
	row := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + markdown(cell) + " ")
		}
		b.WriteString("|\n")
	}
	row(t.Head)
	for _, words := range t.Words {
		b.WriteString(map[bool]string{true: "|---", false: "|--:"}[words])
	}
	b.WriteString("|\n")
	for _, cells := range t.Rows {
		row(cells)
	}
}

func markdown(s string) string { return prose.Markdown(prose.Printable(s)) }

// JSON writes the costs, indented, with a newline at the end.
func JSON(w io.Writer, c Costs) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// CSV writes a row for each estimate: the terms, the sum and what it comes to
// of each variant, its quantities, and the savings.
func CSV(w io.Writer, c Costs) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"variant", "item", "value", "low", "high", "n", "unit", "against", "verdict", "missing"}}
	month := c.Prices.Currency + "/month"
	for _, v := range c.Variants {
		add := func(item, unit string, e *Estimate, missing string) {
			rows = append(rows, append(append([]string{v.Name, item}, estimateCells(e)...), unit, "", "", missing))
		}
		for _, t := range v.Terms {
			if t.Quantity != nil {
				add("quantity of "+t.Name, t.Quantity.Unit, t.Quantity.Estimate, "")
			}
			add(t.Name, month, t.Amount, t.Missing)
		}
		without := v.Missing
		if len(v.Without) > 0 {
			without = "without " + list(v.Without)
		}
		add("sum", month, v.Total, without)
		add("overhead", "share of nodes", v.Overhead.Estimate, v.Overhead.Missing)
		add("per-gbit", month+"/(Gbit/s)", v.PerGbit.Estimate, v.PerGbit.Missing)
		add("per-million-requests", c.Prices.Currency, v.PerMillion.Estimate, v.PerMillion.Missing)
		if v.Carbon != nil {
			add("carbon", "kg CO₂/month", v.Carbon.Estimate, v.Carbon.Missing)
		}
	}
	for _, s := range c.Savings {
		rows = append(rows, append(append([]string{s.Variant, "saving"}, estimateCells(s.Estimate)...), month, s.Against, string(s.Verdict), s.Reason))
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

// estimateCells are value, low, high and n; empty where there is none.
func estimateCells(e *Estimate) []string {
	if e == nil {
		return []string{"", "", "", ""}
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	cells := []string{number(e.Value), "", "", strconv.Itoa(e.N)}
	if e.Interval != nil {
		cells[1], cells[2] = number(e.Interval.Low), number(e.Interval.High)
	}
	return cells
}
