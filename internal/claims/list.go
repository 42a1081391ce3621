package claims

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cnibench/cnibench/internal/prose"
)

// List writes one line for each claim.
func List(w io.Writer, sources []Source) error {
	b := &bytes.Buffer{}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CLAIM\tLINE\tKIND\tCLAIMED\tMEASURED BY")
	for _, s := range sources {
		for _, c := range s.Claims {
			var scenarios []string
			for _, m := range c.Measures {
				scenarios = append(scenarios, m.Scenario+"/"+m.Metric)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", printable(s.NameOf(c)), printable(c.Lines), c.Kind, orDash(printable(c.amount())), orDash(printable(strings.Join(unique(scenarios), ", "))))
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing claims: %w", err)
	}
	return flush(w, b)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Find returns the claims of that id: SOURCE/ID, an ID, or one of values
// without its variant, which are several.
func Find(sources []Source, id string) []Named {
	var list []Named
	for _, s := range sources {
		for _, c := range s.Claims {
			name := s.NameOf(c)
			if id == name || id == c.ID || strings.HasPrefix(name, id+".") || strings.HasPrefix(c.ID, id+".") {
				list = append(list, Named{s, c})
			}
		}
	}
	return list
}

// Named is a claim with its source.
type Named struct {
	Source Source
	Claim  Claim
}

// Show writes everything about a claim, with what lint finds of it.
func Show(w io.Writer, n Named, l Linted) error {
	b := &bytes.Buffer{}
	c := n.Claim
	line := func(key, text string) {
		if text != "" {
			b.WriteString(prose.Paragraph("", printable(fmt.Sprintf("%-13s %s", key+":", text))))
		}
	}
	line("claim", n.Source.NameOf(c))
	line("source", strings.Join(filled(n.Source.Title, n.Source.Author, n.Source.Date, n.Source.URL), ", "))
	line("line", c.Lines)
	line("kind", string(c.Kind))
	line("says", c.Statement)
	line("number", c.amount())
	line("variants", c.subjects())
	line("against", c.Base)
	line("when", c.When)
	for _, text := range c.Setup.describe() {
		line("measured on", text)
	}
	for _, m := range c.Measures {
		line("measured by", describe(m.Scenario, m.Parameters)+", "+m.Metric)
		if m.Against != nil {
			line("against", describe(m.Scenario, m.Against))
		}
	}
	line("formula", c.Formula.String())
	line("evidence", strings.Join(c.Evidence, ", "))
	for _, f := range l.Of(n.Source.Name, c.ID) {
		line(string(f.State), f.Detail)
	}
	return flush(w, b)
}

// subjects names the variants that the claim is about.
func (c Claim) subjects() string {
	if len(c.Variants) == 0 && slices.ContainsFunc(c.Measures, func(m Measure) bool { return m.Against != nil }) {
		return "every plugin"
	}
	return strings.Join(c.Variants, ", ")
}

func filled(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

// describe lists what the source says of its conditions.
func (s Setup) describe() []string {
	var list []string
	add := func(text string, said bool) {
		if said {
			list = append(list, text)
		}
	}
	add(s.Hardware, s.Hardware != "")
	add("network cards of "+inUnit(s.NICRate, "bit/s"), s.NICRate > 0)
	add(fmt.Sprintf("MTU %d", s.MTU), s.MTU > 0)
	add(s.Placement, s.Placement != "")
	add(prose.Plural(s.N, "repetition"), s.N > 0)
	for _, plugin := range slices.Sorted(maps.Keys(s.Versions)) {
		add(plugin+" "+s.Versions[plugin], true)
	}
	return list
}
