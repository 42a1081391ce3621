package cost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
)

// View is Costs in words and tables, the same for every format that people
// read.
type View struct {
	Title string
	Lead  []string // paragraphs
	// Sections follow each other.
	Sections []Section
}

// Section is a table, a list, or both, with a title.
type Section struct {
	Title string
	Lead  string
	Table *Table
	Items []Item
	// Formula says that it is the sum of one variant, term by term.
	Formula bool
}

// Table has columns of which the first names the row. Words says which of the
// others are no numbers.
type Table struct {
	Head  []string
	Words []bool
	Rows  [][]string
	// variants are those that rows are of; nil where they are not.
	variants []string
}

// Variant is the variant that a row is of; empty: it is of none.
func (t *Table) Variant(row int) string {
	if row >= len(t.variants) {
		return ""
	}
	return t.variants[row]
}

// Item is a sentence about something. Class is a verdict for savings.
type Item struct {
	Name  string
	Text  string
	Class string
}

// missing stands in a table where nothing was measured.
const missing = "not measured"

// View lays the costs out, with every sum term by term where formulas are
// asked for.
func (c Costs) View(formulas bool) View {
	v := View{Title: fmt.Sprintf("costs of %s: a month, in %s", c.Source, c.Prices.Currency), Lead: c.lead()}
	add := func(s Section, ok bool) {
		if ok {
			v.Sections = append(v.Sections, s)
		}
	}
	add(c.inputSection())
	add(c.sumSection(), true)
	add(c.unitSection(), true)
	add(c.savingSection())
	add(c.breakEvenSection())
	if formulas {
		for _, variant := range c.Variants {
			add(c.formulaSection(variant), true)
		}
		add(c.sourceSection(), true)
	}
	if len(c.Notes) > 0 {
		items := []Item{}
		for _, n := range c.Notes {
			items = append(items, Item{Text: n})
		}
		add(Section{Title: "what limits these figures", Items: items}, true)
	}
	return v
}

func (c Costs) lead() []string {
	p := c.Prices
	size := fmt.Sprintf("%s of %s (%s vCPU, %s GiB)", nodes(p.Nodes), p.Shape, short(p.Node().VCPUs), short(p.Node().Memory))
	if c.Figures {
		size = fmt.Sprintf("as many nodes as the file says, of %s (%s vCPU, %s GiB)", p.Shape, short(p.Node().VCPUs), short(p.Node().Memory))
	}
	if r := p.Workload.Requests; r > 0 {
		size += ", " + volume(r)
	}
	lines := []string{size, "prices: " + p.Origin}
	if c.Baseline != "" {
		lines = append(lines, fmt.Sprintf("overheads are counted from %s", c.Baseline))
	}
	return lines
}

func (c Costs) inputSection() (Section, bool) {
	s := Section{Title: "what is priced"}
	for _, in := range c.Inputs {
		text := fmt.Sprintf("%s of %s, %s", in.Metric, in.Cell, in.How)
		if in.Missing != "" {
			text = missing + ": " + in.Missing
		}
		s.Items = append(s.Items, Item{Name: in.Term, Text: text})
	}
	return s, len(s.Items) > 0
}

// sumSection has a row per variant and a column per term.
func (c Costs) sumSection() Section {
	t := &Table{Head: []string{"", "n"}, Words: []bool{true, false}}
	if len(c.Variants) > 0 {
		for _, term := range c.Variants[0].Terms {
			t.Head, t.Words = append(t.Head, term.Name), append(t.Words, false)
		}
	}
	t.Head = append(t.Head, "sum", "95 % interval", "")
	t.Words = append(t.Words, false, false, true)
	for _, v := range c.Variants {
		row := []string{v.label(), "–"}
		if v.Total != nil && v.Total.N > 0 {
			row[1] = fmt.Sprint(v.Total.N)
		}
		for _, term := range v.Terms {
			row = append(row, amountOr(term.Amount, missing))
		}
		t.variants = append(t.variants, v.Name)
		t.Rows = append(t.Rows, append(row, amountOr(v.Total, "–"), c.interval(v.Total, prose.Money), v.remark()))
	}
	return Section{Title: fmt.Sprintf("cost of a month in %s", c.Prices.Currency), Table: t}
}

func (v Variant) label() string {
	switch {
	case v.Baseline:
		return v.Name + " (baseline)"
	case v.Twin:
		return v.Name + " (A/A twin)"
	}
	return v.Name
}

// remark says what a sum leaves out, with the reasons.
func (v Variant) remark() string {
	if v.Total == nil {
		return "no sum: " + v.Missing
	}
	if len(v.Without) == 0 {
		return ""
	}
	return "without " + list(v.Without)
}

func amountOr(e *Estimate, otherwise string) string {
	if e == nil {
		return otherwise
	}
	return prose.Money(e.Value)
}

// interval writes the interval of an estimate, or why there is none.
func (c Costs) interval(e *Estimate, number func(float64) string) string {
	switch {
	case e == nil || e.N == 0:
		return "–"
	case e.Interval != nil:
		return number(e.Interval.Low) + " to " + number(e.Interval.High)
	case c.Figures:
		return "one figure"
	case c.Unpaired:
		return "runs, no blocks"
	}
	return "too few blocks"
}

// unitSection has the sum per what it buys.
func (c Costs) unitSection() Section {
	cur := c.Prices.Currency
	t := &Table{Head: []string{"", "CNI overhead, share of nodes", cur + " per Gbit/s", cur + " per million requests"}, Words: []bool{true, false, false, false}}
	carbon := false
	for _, v := range c.Variants {
		carbon = carbon || v.Carbon != nil
	}
	if carbon {
		t.Head, t.Words = append(t.Head, "kg of CO₂"), append(t.Words, false)
	}
	reasons, starred := map[string]bool{}, false
	s := Section{Title: "what it comes to", Table: t}
	cell := func(v Variant, f Figure, number func(float64) string) string {
		if f.Estimate == nil {
			if text := f.Missing; text != "" && !reasons[text] {
				reasons[text] = true
				s.Items = append(s.Items, Item{Text: "–: " + text})
			}
			return "–"
		}
		text := number(f.Estimate.Value)
		if iv := f.Estimate.Interval; iv != nil {
			text += " (" + number(iv.Low) + " to " + number(iv.High) + ")"
		}
		if len(v.Without) > 0 {
			text, starred = text+" *", true
		}
		return text
	}
	for _, v := range c.Variants {
		whole := v
		whole.Without = nil
		row := []string{v.label(), cell(whole, v.Overhead, percentage), cell(v, v.PerGbit, prose.Money), cell(v, v.PerMillion, prose.Money)}
		if carbon {
			f := Figure{Missing: missing}
			if v.Carbon != nil {
				f = *v.Carbon
			}
			row = append(row, cell(whole, f, prose.Money))
		}
		t.Rows, t.variants = append(t.Rows, row), append(t.variants, v.Name)
	}
	if starred {
		s.Items = append(s.Items, Item{Text: "*: of a sum that is not whole"})
	}
	return s
}

func percentage(x float64) string { return prose.Fixed(100*x, 3) + " %" }

func (c Costs) savingSection() (Section, bool) {
	if c.Against == "" {
		return Section{}, false
	}
	s := Section{Title: "savings against " + c.Against}
	for _, saving := range c.Savings {
		s.Items = append(s.Items, Item{Name: saving.Variant, Text: saving.words(c.Prices.Currency), Class: string(saving.Verdict)})
	}
	if tested := slices.ContainsFunc(c.Savings, func(s Saving) bool { return s.P != nil }); tested {
		s.Lead = fmt.Sprintf("A positive amount is a saving; it has to be more than what the margins of the priced metrics come to. Differences within blocks; intervals are not adjusted, verdicts are by Holm over %s, one-sided at 0.025.", prose.Plural(len(c.Savings), "comparison"))
	}
	return s, len(s.Items) > 0
}

// words says what is known of a saving.
func (s Saving) words(currency string) string {
	if s.Estimate == nil {
		return string(s.Verdict) + ": " + s.Reason
	}
	x, iv := s.Estimate.Value, s.Estimate.Interval
	if s.Verdict == Untested {
		by := fmt.Sprintf("would save %s %s", prose.Money(x), currency)
		if x < 0 {
			by = fmt.Sprintf("would cost %s %s more", prose.Money(-x), currency)
		}
		return fmt.Sprintf("%s: %s; %s", s.Verdict, by, s.Reason)
	}
	if s.Verdict == CostsMore {
		x = -x
		if iv != nil {
			iv = &analysis.Interval{Low: -iv.High, High: -iv.Low, Confidence: iv.Confidence}
		}
	}
	number := prose.SignedMoney
	if s.Verdict == Saves || s.Verdict == CostsMore {
		number = prose.Money
	}
	text := fmt.Sprintf("%s %s %s", s.Verdict, number(x), currency)
	if s.Verdict == NotShown || s.Verdict == Equivalent {
		text = fmt.Sprintf("%s: %s %s", s.Verdict, number(x), currency)
	}
	if iv != nil {
		text += fmt.Sprintf(", 95 %% interval %s to %s", number(iv.Low), number(iv.High))
	}
	text += fmt.Sprintf(", margin %s, %s", prose.Money(s.Margin), prose.Plural(s.Estimate.N, "block"))
	if s.Reason != "" {
		text += "; " + s.Reason
	}
	return text
}

func (c Costs) breakEvenSection() (Section, bool) {
	s := Section{Title: "break-even"}
	for _, b := range c.BreakEvens {
		s.Items = append(s.Items, Item{Name: fmt.Sprintf("%s and %s by %s", b.Variant, b.Against, b.By), Text: b.Answer})
	}
	if len(s.Items) > 0 && !c.Figures {
		s.Lead = "Cheaper means shown to be, by more than the margin, one-sided at 0.025 at that size alone, not adjusted."
	}
	return s, len(s.Items) > 0
}

// formulaSection is the sum of one variant, term by term with units.
func (c Costs) formulaSection(v Variant) Section {
	cur := c.Prices.Currency + "/month"
	t := &Table{Head: []string{"term", "", cur, "95 % interval"}, Words: []bool{true, true, false, false}}
	for _, term := range v.Terms {
		expression := term.Expression
		if term.Missing != "" {
			expression = missing + ": " + term.Missing
		}
		t.Rows = append(t.Rows, []string{term.Name, expression, amountOr(term.Amount, "–"), c.interval(term.Amount, prose.Money)})
	}
	name := "sum"
	if len(v.Without) > 0 {
		name = "sum without " + list(v.Without)
	}
	t.Rows = append(t.Rows, []string{name, "", amountOr(v.Total, "–"), c.interval(v.Total, prose.Money)})
	s := Section{Title: "the sum of " + v.Name, Table: t, Formula: true}
	if v.Total != nil && v.Total.N > 1 {
		s.Lead = fmt.Sprintf("Each amount is estimated over its blocks, the sum over %s: within a block they add up exactly, their estimates need not.", prose.Plural(v.Total.N, "block"))
	}
	return s
}

// sourceSection says where the prices are from.
func (c Costs) sourceSection() Section {
	p := c.Prices
	s := Section{Title: "sources of the prices"}
	add := func(name, text, source string) {
		s.Items = append(s.Items, Item{Name: name, Text: text + ": " + source})
	}
	shape := p.Node()
	add(NodesTerm, fmt.Sprintf("%s of %s vCPU and %s GiB", p.per(shape.Price, shape.Name), short(shape.VCPUs), short(shape.Memory)), shape.Source)
	if r := p.CPU; r != nil {
		add(CPUTerm, p.per(r.Price, "vCPU"), r.Source)
	}
	if r := p.Memory; r != nil {
		add(MemoryTerm, p.per(r.Price, "GiB"), r.Source)
	}
	if s := p.Penalty; s != nil {
		add(PenaltyTerm, fmt.Sprintf("%s %s for each ms of p99 above %s ms, per %s", priceText(s.Price), p.Currency, short(s.Threshold*1e3), s.Per), s.Source)
	}
	if o := p.Operations; o != nil {
		add(OperationsTerm, short(100*o.Share)+" % of the nodes", o.Source)
	}
	if e := p.Energy; e != nil {
		add(EnergyTerm, fmt.Sprintf("%s %s/kWh, %s g of CO₂/kWh, %s W/vCPU", priceText(e.Price), p.Currency, short(e.GramsCO2), short(e.WattsPerVCPU)), e.Source)
	}
	if w := p.Workload; w.Source != "" {
		var parts []string
		if w.Gbit > 0 {
			parts = append(parts, short(w.Gbit)+" Gbit/s from every node")
		}
		if w.Requests > 0 {
			parts = append(parts, volume(w.Requests))
		}
		add("workload", strings.Join(parts, ", "), w.Source)
	}
	return s
}
