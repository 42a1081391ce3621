package claims

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// order is that of a report: what the results decide comes first.
func order() []State {
	return []State{Contradicted, Confirmed, Undecided, NotComparable, Implausible, Inconsistent, Consistent, NotMeasured, NotTestable}
}

// rule says how a claim is decided, below every report.
const rule = "A claim is confirmed when all of the 95 % interval lies within what it allows, which is what is printed, its rounding and the metric's margin; " +
	"contradicted when none of it does; undecided otherwise. Each is held against an interval of its own: of twenty claims that are right about one is contradicted by chance. " +
	"Amounts are compared only under the source's own conditions, changes and orders also under others, which are named."

// Text writes for a terminal what became of the claims.
func Text(w io.Writer, c Checked) error {
	b := &bytes.Buffer{}
	b.WriteString(prose.Paragraph("", printable(fmt.Sprintf("%s against %s: %s", prose.Plural(len(c.Outcomes), "claim"), c.Campaign, countText(c.counts())))))
	for _, s := range order() {
		list := c.in(s)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s\n", s)
		switch s {
		case NotMeasured:
			writeNeeds(b, list)
		case NotTestable, Consistent:
			writeNames(b, list)
		case Implausible, Inconsistent:
			writeRefuted(b, list)
		default:
			for _, o := range list {
				writeOutcome(b, o)
			}
		}
	}
	b.WriteString("\n" + prose.Paragraph("", rule))
	return flush(w, b)
}

func (c Checked) counts() map[State]int {
	counts := map[State]int{}
	for _, o := range c.Outcomes {
		counts[o.State]++
	}
	return counts
}

func (c Checked) in(s State) []Outcome {
	var list []Outcome
	for _, o := range c.Outcomes {
		if o.State == s {
			list = append(list, o)
		}
	}
	return list
}

func (o Outcome) claimed() string {
	if o.Amount == "" {
		return o.Statement
	}
	return o.Statement + ": " + o.Amount
}

// aside is what the results say of a claim that its source refutes.
func (o Outcome) aside() string {
	if len(o.Findings) == 0 || len(o.Readings) == 0 || o.Measured == NotComparable {
		return ""
	}
	_, why := combine(o.Readings)
	return fmt.Sprintf("these results by themselves: %s; %s", o.Measured, why)
}

func writeOutcome(b *bytes.Buffer, o Outcome) {
	b.WriteString(prose.Paragraph("  ", printable(fmt.Sprintf("%s (%s): %s", o.Name(), atLines(o.Lines), o.claimed()))))
	b.WriteString(prose.Paragraph("      ", printable(o.Why)))
	if aside := o.aside(); aside != "" {
		b.WriteString(prose.Paragraph("      ", printable(aside)))
	}
	if len(o.Doubts) > 0 {
		b.WriteString(prose.Paragraph("      ", printable("doubt: "+strings.Join(o.Doubts, "; "))))
	}
}

// writeRefuted writes what the results say of claims that refute themselves,
// and the names of the others.
func writeRefuted(b *bytes.Buffer, list []Outcome) {
	b.WriteString(prose.Paragraph("  ", "whatever these results say; `cnibench claims lint` says why"))
	var rest []Outcome
	for _, o := range list {
		if o.aside() == "" {
			rest = append(rest, o)
			continue
		}
		writeOutcome(b, o)
	}
	writeNames(b, rest)
}

// writeNames lists claims of which there is nothing to say, by source.
func writeNames(b *bytes.Buffer, list []Outcome) {
	for _, source := range sourcesOf(list) {
		var ids []string
		for _, o := range list {
			if o.Source == source {
				ids = append(ids, o.ID)
			}
		}
		b.WriteString(prose.Paragraph("  ", printable(source+": "+strings.Join(ids, ", "))))
	}
}

func sourcesOf(list []Outcome) []string {
	var names []string
	for _, o := range list {
		if !slices.Contains(names, o.Source) {
			names = append(names, o.Source)
		}
	}
	return names
}

// writeNeeds lists what is not measured by what would measure it.
func writeNeeds(b *bytes.Buffer, list []Outcome) {
	for _, source := range sourcesOf(list) {
		groups, preset := needsBySource(list, source)
		head := source
		if preset != "" {
			head += ": `cnibench run --preset " + preset + "`, or in a campaign"
		}
		b.WriteString(prose.Paragraph("  ", printable(head)))
		for _, g := range groups {
			for _, line := range g.scenarios {
				fmt.Fprintf(b, "    - %s\n", printable(line))
			}
			if len(g.scenarios) == 0 {
				b.WriteString("    no scenario measures it as the source does\n")
			} else {
				b.WriteString(prose.Paragraph("      ", printable("of "+g.subjects())))
			}
			b.WriteString(prose.Paragraph("      ", printable("for "+strings.Join(g.ids, ", "))))
		}
	}
}

// needed are the claims of a source that the same scenarios measure.
type needed struct{ scenarios, variants, ids []string }

// subjects names the variants; claims that name none are about any.
func (g needed) subjects() string {
	if len(g.variants) == 0 {
		return "any plugin"
	}
	return strings.Join(g.variants, ", ")
}

func needsBySource(list []Outcome, source string) (groups []needed, preset string) {
	for _, o := range list {
		if o.Source != source {
			continue
		}
		var n Needs
		if o.Needs != nil {
			n, preset = *o.Needs, o.Needs.Preset
		}
		i := slices.IndexFunc(groups, func(g needed) bool { return slices.Equal(g.scenarios, n.Scenarios) })
		if i < 0 {
			i, groups = len(groups), append(groups, needed{scenarios: n.Scenarios})
		}
		groups[i].variants = unique(append(groups[i].variants, n.Variants...))
		groups[i].ids = append(groups[i].ids, o.ID)
	}
	return groups, preset
}

// Markdown writes what became of the claims for a pull request.
func Markdown(w io.Writer, c Checked) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "%s against %s: %s.\n\n", prose.Plural(len(c.Outcomes), "claim"), cell(c.Campaign), countText(c.counts()))
	b.WriteString("| claim | line | claimed | state | why |\n|---|---|---|---|---|\n")
	for _, s := range order() {
		for _, o := range c.in(s) {
			why := []string{o.Why}
			if aside := o.aside(); aside != "" {
				why = append(why, aside)
			}
			if len(o.Doubts) > 0 {
				why = append(why, "doubt: "+strings.Join(o.Doubts, "; "))
			}
			if o.Needs != nil {
				why = append(why, o.Needs.String())
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(o.Name()), cell(o.Lines), cell(o.claimed()), s, cell(strings.Join(why, "; ")))
		}
	}
	fmt.Fprintf(b, "\n%s\n", rule)
	return flush(w, b)
}

// JSON writes all of it as data.
func JSON(w io.Writer, c Checked) error { return writeJSON(w, c) }
