package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// RankingsSchema names the layout of Rankings written as JSON.
const RankingsSchema = "cnibench.io/rankings/v1"

// Rankings is what to choose of a campaign for which need.
type Rankings struct {
	Schema   string            `json:"schema"`
	Rankings []profile.Ranking `json:"rankings"`
	Decision profile.Decision  `json:"decision"`
	// Brief leaves out, in text and Markdown, what the profiles lack by which
	// nothing is ranked.
	Brief bool `json:"-"`
}

// RankingsJSON writes them for programs.
func RankingsJSON(w io.Writer, r Rankings) error {
	r.Schema = RankingsSchema
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// RankingText writes one ranking for a terminal.
func RankingText(w io.Writer, r profile.Ranking) error {
	b := &bytes.Buffer{}
	v := newRankingView(r, 0)
	writeWrapped(b, "", v.Name+": "+v.Title)
	if r.Profile.Description != "" {
		writeWrapped(b, "", r.Profile.Description)
	}
	fmt.Fprintf(b, "campaign %s, plan %s\n\n", r.Campaign, r.Plan)
	for _, line := range r.Conclusion {
		writeWrapped(b, "  ", line)
	}
	if len(v.Rows) > 0 {
		b.WriteByte('\n')
		textTable(b, v.RankHead, v.Rows, 0, 1, 2)
	}
	b.WriteByte('\n')
	textTable(b, v.WeightHead, v.Weights, 0, 2)
	if len(v.Needs) > 0 {
		b.WriteByte('\n')
		textTable(b, v.NeedHead, v.Needs, 0, 1, 2, 3)
	}
	b.WriteByte('\n')
	for _, line := range rankingNotes(r) {
		writeWrapped(b, "", line)
	}
	return flush(b, w, "text")
}

// RankingMarkdown writes one ranking for a pull request.
func RankingMarkdown(w io.Writer, r profile.Ranking) error {
	b := &bytes.Buffer{}
	v := newRankingView(r, 0)
	fmt.Fprintf(b, "# %s: %s\n\n", md(v.Name), md(v.Title))
	if r.Profile.Description != "" {
		fmt.Fprintf(b, "%s\n\n", md(r.Profile.Description))
	}
	for _, line := range r.Conclusion {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
	for _, t := range []struct {
		head []string
		rows [][]string
	}{{v.RankHead, v.Rows}, {v.WeightHead, v.Weights}, {v.NeedHead, v.Needs}} {
		if len(t.rows) > 0 {
			b.WriteByte('\n')
			markdownTable(b, append([][]string{t.head}, t.rows...))
		}
	}
	fmt.Fprintln(b)
	for _, line := range rankingNotes(r) {
		fmt.Fprintf(b, "- %s\n", md(line))
	}
	return flush(b, w, "Markdown")
}

// ChoiceText writes, in one line a profile, what to choose for which need, and
// the decision matrix.
func ChoiceText(w io.Writer, r Rankings) error {
	b := &bytes.Buffer{}
	c := newChoice(r.Rankings)
	fmt.Fprintln(b, "What to choose")
	for _, v := range c.Ranked {
		writeWrapped(b, "  ", fmt.Sprintf("%s: %s", v.Name, v.Headline))
	}
	if len(c.Ranked) == 0 && !r.Brief {
		writeWrapped(b, "  ", c.Nothing)
	}
	switch {
	case len(c.Lacking) > 0 && r.Brief:
		writeWrapped(b, "  ", c.lacking())
	case len(c.Lacking) > 0:
		fmt.Fprintln(b, "\nProfiles that too little was measured for")
		for _, l := range c.Lacking {
			writeWrapped(b, "  ", l.Name+": "+l.Text)
		}
	}
	if d := newDecisionView(r.Decision); len(d.Rows) > 0 {
		fmt.Fprintln(b, "\nDecision matrix")
		for _, row := range d.Rows {
			fmt.Fprintf(b, "  %s\n", row.Title)
			t := table{indent: "    ", right: []bool{false, false}}
			for i, cell := range row.Cells {
				t.add(d.Columns[i].Name, cell.Text)
			}
			t.write(b)
		}
		for _, line := range d.Notes {
			writeWrapped(b, "  ", line)
		}
	}
	return flush(b, w, "text")
}

// ChoiceMarkdown is ChoiceText for a pull request.
func ChoiceMarkdown(w io.Writer, r Rankings) error {
	b := &bytes.Buffer{}
	c := newChoice(r.Rankings)
	fmt.Fprint(b, "## What to choose\n\n")
	for _, v := range c.Ranked {
		fmt.Fprintf(b, "- **%s**: %s\n", md(v.Name), md(v.Headline))
	}
	if len(c.Ranked) == 0 && !r.Brief {
		fmt.Fprintf(b, "%s\n", md(c.Nothing))
	}
	switch {
	case len(c.Lacking) > 0 && r.Brief:
		fmt.Fprintf(b, "\n%s\n", md(c.lacking()))
	case len(c.Lacking) > 0:
		fmt.Fprint(b, "\nProfiles that too little was measured for:\n\n")
		for _, l := range c.Lacking {
			fmt.Fprintf(b, "- **%s**: %s\n", md(l.Name), md(l.Text))
		}
	}
	if d := newDecisionView(r.Decision); len(d.Rows) > 0 {
		fmt.Fprint(b, "\n## Decision matrix\n\n")
		head := []string{"variant"}
		for _, column := range d.Columns {
			head = append(head, column.Name)
		}
		rows := [][]string{head}
		for _, row := range d.Rows {
			cells := []string{row.Title}
			for _, cell := range row.Cells {
				cells = append(cells, cell.Text)
			}
			rows = append(rows, cells)
		}
		markdownTable(b, rows)
		fmt.Fprintln(b)
		for _, line := range d.Notes {
			fmt.Fprintf(b, "- %s\n", md(line))
		}
	}
	return flush(b, w, "Markdown")
}

func flush(b *bytes.Buffer, w io.Writer, format string) error {
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing %s: %w", format, err)
	}
	return nil
}

// textTable writes a table with a head; the columns of words align on the left,
// the others on the right.
func textTable(b *bytes.Buffer, head []string, rows [][]string, words ...int) {
	t := table{indent: "  ", right: make([]bool, len(head))}
	for i := range t.right {
		t.right[i] = true
	}
	for _, i := range words {
		t.right[i] = false
	}
	t.add(head...)
	for _, row := range rows {
		t.add(row...)
	}
	t.write(b)
}

// choice is what to choose for which need.
type choice struct {
	Ranked  []rankingView
	Lacking []lackingProfile
	Nothing string // why nothing is ranked
}

// lackingProfile is one by which nothing is ranked.
type lackingProfile struct{ Name, Title, Text string }

func newChoice(rankings []profile.Ranking) choice {
	c := choice{Nothing: "Nothing is ranked by need: no profile was asked for."}
	if len(rankings) > 0 {
		c.Nothing = fmt.Sprintf("Too little was measured for each of the %d profiles.", len(rankings))
	}
	for i, r := range rankings {
		if r.Refused == "" {
			c.Ranked = append(c.Ranked, newRankingView(r, i))
			continue
		}
		c.Lacking = append(c.Lacking, lackingProfile{r.Profile.Name, r.Profile.Title, lackingText(r)})
	}
	return c
}

// lacking counts them, for those who did not ask.
func (c choice) lacking() string {
	return fmt.Sprintf("Too little was measured for %s: `cnibench rank` says what.", prose.Plural(len(c.Lacking), "need"))
}

// lackingText says why a profile ranks nothing, and what would change that.
func lackingText(r profile.Ranking) string {
	var missing []string
	for _, w := range r.Weights {
		if w.Missing != "" {
			missing = append(missing, fmt.Sprintf("%s (%s)", w.What, shareText(w.Share)))
		}
	}
	text := r.Refused
	if len(missing) > 0 {
		text += "; not measured: " + strings.Join(missing, ", ")
	}
	return text
}

// rankingView shows one ranking.
type rankingView struct {
	ID, Name, Title, Description string
	Headline                     string
	Winner                       bool     // one of several leads alone
	Lines                        []string // the conclusion after the headline
	Sources                      string
	RankHead, WeightHead         []string
	NeedHead                     []string
	Rows, Weights, Needs         [][]string
	Notes                        []string
}

func newRankingView(r profile.Ranking, index int) rankingView {
	v := rankingView{
		ID: fmt.Sprintf("choice%d", index), Name: r.Profile.Name, Title: r.Profile.Title, Description: r.Profile.Description,
		Sources: strings.Join(r.Profile.Sources, "; "), Notes: rankingNotes(r),
		RankHead:   []string{"", "variant", "group", "behind the first", "95 % interval", "first of resamples", "blocks"},
		WeightHead: []string{"what counts", "weight", "measured as"},
		NeedHead:   []string{"variant", "need", "", "what is known"},
	}
	if len(r.Conclusion) > 0 {
		v.Headline, v.Lines = r.Conclusion[0], r.Conclusion[1:]
	}
	var shown []profile.Standing // with a column of changes
	for i, s := range r.Standings {
		if s.Rank == 0 {
			continue
		}
		v.Rows = append(v.Rows, rankRow(s))
		if i > 0 {
			v.WeightHead = append(v.WeightHead, s.Variant)
			shown = append(shown, s)
		}
	}
	v.Winner = len(r.Leading) == 1 && len(v.Rows) > 1
	for i, w := range r.Weights {
		row := []string{w.What, shareText(w.Share), weightCells(w)}
		for _, s := range shown {
			row = append(row, partText(w, i, s.Parts))
		}
		v.Weights = append(v.Weights, row)
	}
	for _, s := range r.Standings {
		for _, n := range s.Needs {
			kind := "wanted"
			if n.Required {
				kind = "required"
			}
			v.Needs = append(v.Needs, []string{s.Variant, n.Name, kind + ", " + string(n.State), factText(n.Fact)})
		}
	}
	return v
}

func rankRow(s profile.Standing) []string {
	row := []string{fmt.Sprint(s.Rank), s.Variant, s.Letters, "–", "", "", fmt.Sprint(s.Blocks)}
	if s.Behind != nil {
		row[3] = prose.Fixed(s.Behind.Estimate, 1)
		row[4] = "too few blocks"
		if s.Behind.Low != nil && s.Behind.High != nil {
			row[4] = prose.Fixed(*s.Behind.Low, 1) + " – " + prose.Fixed(*s.Behind.High, 1)
		}
	}
	row[5] = "too few blocks"
	if s.Wins != nil {
		row[5] = shareText(*s.Wins)
	}
	return row
}

// weightCells says which cells stand for a weight.
func weightCells(w profile.Weight) string {
	switch {
	case w.Missing != "":
		return "not counted"
	case len(w.Cells) > 3:
		return fmt.Sprintf("%s and %d more", strings.Join(w.Cells[:2], ", "), len(w.Cells)-2)
	}
	return strings.Join(w.Cells, ", ")
}

// partText is the change of one weight's metric against the first.
func partText(w profile.Weight, index int, parts []profile.Part) string {
	for _, p := range parts {
		if p.Weight != index {
			continue
		}
		if w.Scale == string(result.Ratio) {
			return prose.Signed(100*p.Change, percentDecimals(100*max(p.Change, -p.Change)/2)) + " %"
		}
		m := newMeasure(w.Unit, []float64{p.Change, w.Margin})
		return prose.Signed(p.Change/m.divisor, min(m.decimals, 2)) + " " + m.unit
	}
	return "–"
}

// factText is a fact with source and date.
func factText(f profile.Fact) string {
	text := f.Value
	if f.Source != "" {
		text += " (" + f.Source
		if f.Date != "" {
			text += ", " + f.Date
		}
		text += ")"
	}
	return text
}

// rankingNotes explain the numbers.
func rankingNotes(r profile.Ranking) []string {
	if r.Refused != "" {
		return nil
	}
	notes := []string{
		"A margin is the smallest difference that matters: that of each metric, or the profile's. Scores are weighted means of them, made within blocks. Changes are against the first.",
		fmt.Sprintf("Variants that share a letter cannot be told apart. With a confidence of %s the best is among those that lead. The intervals are not adjusted for the number of pairs.", fixedPercent(1-r.Alpha)),
	}
	if r.Resamples > 0 {
		notes = append(notes, fmt.Sprintf("First of resamples: how often a variant has the highest score when the blocks are drawn anew, with replacement, %d times. It shows how steady the order is and decides nothing.", r.Resamples))
	}
	return notes
}

func fixedPercent(share float64) string { return prose.Fixed(100*share, 1) + " %" }

// shareText is a share in whole per cent, unless it is nearly all or nothing.
func shareText(share float64) string {
	x := 100 * share
	if x > 0 && x < 1 || x > 99 && x < 100 {
		return prose.Fixed(x, 1) + " %"
	}
	return prose.Fixed(x, 0) + " %"
}
