package claims

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

var claimKeys = document.Keys{Valid: []string{
	"id", "lines", "kind", "statement", "variant", "variants", "base", "value", "values", "change", "within", "unit", "better", "when", "setup",
	"measure", "formula", "least", "most", "limit", "coincides", "why", "evidence", "conflicts", "impossible",
}}

var (
	idSyntax   = regexp.MustCompile(`^[a-z0-9][-a-z0-9]{0,79}$`)
	lineSyntax = regexp.MustCompile(`^[0-9]+(-[0-9]+)?(, [0-9]+(-[0-9]+)?)*$`)
)

// claim reads one entry: one claim, or with values one for each variant.
func (d *decoder) claim(n *yaml.Node, setup Setup) []Claim {
	before := len(d.Problems)
	f, ok := d.Object(n, "a claim", claimKeys)
	if !ok {
		return nil
	}
	c := Claim{Setup: setup}
	c.Setup.Versions = maps.Clone(setup.Versions)
	d.identity(n, f, &c)
	if v := f["setup"]; v != nil {
		d.setup(v, &c.Setup)
	}
	d.subject(f, &c)
	d.quantity(f, &c)
	if v := f["measure"]; v != nil {
		d.measures(v, &c)
	}
	d.evidence(f, &c)
	values := d.values(f, c)
	if len(d.Problems) > before {
		return values // what is wrong need not be said twice
	}
	if f["values"] == nil {
		d.unique(n, c.ID)
		values = []Claim{c}
	}
	for _, v := range values {
		if message, hint := misfit(v); message != "" {
			d.Report(n, fmt.Sprintf("the claim %s %s", v.ID, message), hint)
			break
		}
	}
	return values
}

func (d *decoder) identity(n *yaml.Node, f document.Fields, c *Claim) {
	if v := d.Required(n, f, "id", "add id: a short name of the claim"); v != nil {
		if d.Text(v, "id", &c.ID) && !idSyntax.MatchString(c.ID) {
			d.Report(v, "id "+document.Describe(v)+" is not a valid name", "use lower-case letters, digits and hyphens")
		}
	}
	if v := d.Required(n, f, "lines", "add lines: where it stands, such as 18 or 18-22"); v != nil {
		d.lineNumbers(v, "lines", &c.Lines)
	}
	if v := d.Required(n, f, "kind", "add kind: one of "+strings.Join(kinds, ", ")); v != nil {
		var kind string
		d.Choice(v, "kind", kinds, &kind)
		c.Kind = Kind(kind)
	}
	if v := d.Required(n, f, "statement", "add statement: what is claimed, in your own words"); v != nil {
		d.NonEmpty(v, "statement", "write what is claimed, in your own words", &c.Statement)
	}
	for key, into := range map[string]*string{"when": &c.When, "limit": &c.Limit, "why": &c.Why, "impossible": &c.Impossible} {
		if v := f[key]; v != nil {
			d.NonEmpty(v, key, "leave it out", into)
		}
	}
}

func (d *decoder) lineNumbers(n *yaml.Node, key string, into *string) {
	if n.Kind != yaml.ScalarNode || !lineSyntax.MatchString(n.Value) {
		d.Report(n, key+" must be numbers of lines, not "+document.Describe(n), "write 18, 18-22 or 18, 303")
		return
	}
	*into = n.Value
}

func (d *decoder) subject(f document.Fields, c *Claim) {
	if v := f["variant"]; v != nil {
		c.Variants = []string{""}
		d.variant(v, "variant", &c.Variants[0])
	}
	if v := f["variants"]; v != nil {
		if list, ok := d.List(v, "variants", "name the variants"); ok {
			c.Variants = make([]string, len(list))
			for i, e := range list {
				d.variant(e, "a variant", &c.Variants[i])
			}
		}
	}
	if v := f["base"]; v != nil {
		d.variant(v, "base", &c.Base)
	}
	if v := f["better"]; v != nil {
		d.Choice(v, "better", []string{"higher", "lower"}, &c.Better)
	}
}

// variant reads the name or alias of an entry of the catalog, as the name.
func (d *decoder) variant(n *yaml.Node, key string, into *string) {
	var name string
	if !d.Text(n, key, &name) {
		return
	}
	*into = name
	if d.known == nil {
		return
	}
	if v, ok := d.known.Variant(name); ok {
		*into = v.Name
		return
	}
	var names []string
	for _, v := range d.known.Variants {
		names = append(names, v.Name)
	}
	d.Report(n, fmt.Sprintf("there is no variant %q", name), document.DidYouMean(name, names, "`cnibench variants list` shows them"))
}

// quantity reads the number and what bounds it.
func (d *decoder) quantity(f document.Fields, c *Claim) {
	if v := f["unit"]; v != nil {
		var name string
		if d.NonEmpty(v, "unit", "leave it out for a plain number", &name) {
			c.Unit = NewUnit(name)
		}
	} else {
		c.Unit = Unit{Factor: 1}
	}
	if v := f["value"]; v != nil {
		d.number(v, "value", false, &c.Number)
	}
	if v := f["change"]; v != nil {
		d.number(v, "change", true, &c.Number)
		c.Unit = Unit{Factor: 1}
	}
	if v := f["within"]; v != nil {
		d.Percentage(v, "within", &c.Within)
	}
	for key, into := range map[string]*Expression{"formula": &c.Formula, "least": &c.Least, "most": &c.Most, "coincides": &c.Coincides} {
		if v := f[key]; v != nil {
			d.expression(v, key, into)
		}
	}
}

func (d *decoder) number(n *yaml.Node, key string, percentages bool, into **Number) {
	hint := "write a number such as 9.6, 9.2..9.8, >=450 or ~13"
	if percentages {
		hint = "write a percentage such as -38%, 10%..15% or >=40%"
	}
	if n.Kind != yaml.ScalarNode {
		d.Report(n, key+" must be a number, not "+document.Describe(n), hint)
		return
	}
	number, err := ParseNumber(n.Value, percentages)
	if err != nil {
		d.Report(n, key+": "+err.Error(), hint)
		return
	}
	*into = &number
}

func (d *decoder) expression(n *yaml.Node, key string, into *Expression) {
	if n.Kind != yaml.ScalarNode || document.IsNull(n) {
		d.Report(n, key+" must be a formula, not "+document.Describe(n), "write numbers, + - * / ^, parentheses, abs, max, min, sqrt and [ID] of claims")
		return
	}
	e, err := ParseExpression(n.Value)
	if err != nil {
		d.Report(n, key+": "+err.Error(), "write numbers, + - * / ^, parentheses, abs, max, min, sqrt and [ID] of claims")
		return
	}
	for _, id := range e.References() {
		d.references = append(d.references, placed{n, id})
	}
	*into = e
}

func otherSource(id string) bool { return strings.Contains(id, "/") }

func (d *decoder) evidence(f document.Fields, c *Claim) {
	if v := f["evidence"]; v != nil {
		if list, ok := d.List(v, "evidence", "name the claims that it must follow from"); ok {
			for _, e := range list {
				var id string
				if d.Text(e, "evidence", &id) {
					c.Evidence = append(c.Evidence, id)
					d.references = append(d.references, placed{e, id})
				}
			}
		}
	}
	if v := f["conflicts"]; v != nil {
		if list, ok := d.List(v, "conflicts", "write {lines: …, says: …} for each place"); ok {
			for _, e := range list {
				c.Conflicts = append(c.Conflicts, d.conflict(e))
			}
		}
	}
}

func (d *decoder) conflict(n *yaml.Node) Conflict {
	var c Conflict
	f, ok := d.Object(n, "a conflict", document.Keys{Valid: []string{"lines", "says"}})
	if !ok {
		return c
	}
	if v := d.Required(n, f, "lines", "add lines: where it stands"); v != nil {
		d.lineNumbers(v, "lines", &c.Lines)
	}
	if v := d.Required(n, f, "says", "add says: what stands there"); v != nil {
		d.NonEmpty(v, "says", "write what stands there", &c.Says)
	}
	return c
}

// values makes a claim of each entry of values, a row of a table.
func (d *decoder) values(f document.Fields, c Claim) []Claim {
	n := f["values"]
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.Report(n, "values must be a mapping, not "+document.Describe(n), "write VARIANT: NUMBER for each")
		return nil
	}
	var list []Claim
	for _, p := range d.Pairs(n) {
		one := c
		one.Variants, one.Number = []string{""}, nil
		d.variant(p.Key, "a key of values", &one.Variants[0])
		d.number(p.Value, p.Key.Value, false, &one.Number)
		one.ID = c.ID + "." + p.Key.Value
		one.Setup.Versions = maps.Clone(c.Setup.Versions)
		d.unique(p.Key, one.ID)
		list = append(list, one)
	}
	return list
}

func (d *decoder) unique(n *yaml.Node, id string) {
	if line, taken := d.lines[id]; taken {
		d.Report(n, fmt.Sprintf("the id %q is that of the claim on line %d", id, line), "give each claim an id of its own")
		return
	}
	d.lines[id] = n.Line
}

// measures reads one mapping or a list of them.
func (d *decoder) measures(n *yaml.Node, c *Claim) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		var ok bool
		if list, ok = d.List(n, "measure", "write {scenario: …, metric: …}"); !ok {
			return
		}
	}
	for _, e := range list {
		c.Measures = append(c.Measures, d.measure(e))
	}
}

func (d *decoder) measure(n *yaml.Node) Measure {
	f, ok := d.Object(n, "measure", document.Keys{Valid: []string{"scenario", "metric", "parameters", "against", "perNode"}})
	if !ok {
		return Measure{}
	}
	var m Measure
	if v := d.Required(n, f, "scenario", "add scenario: one of `cnibench scenarios list`"); v != nil {
		d.NonEmpty(v, "scenario", "name a scenario", &m.Scenario)
	}
	if v := d.Required(n, f, "metric", "add metric: one that the scenario has"); v != nil {
		d.NonEmpty(v, "metric", "name a metric of the scenario", &m.Metric)
	}
	d.names(f, &m)
	if v := f["parameters"]; v != nil {
		m.Parameters = d.parameters(v, "parameters", m.Scenario)
	}
	if v := f["against"]; v != nil {
		m.Against = d.parameters(v, "against", m.Scenario)
	}
	if v := f["perNode"]; v != nil {
		d.Boolean(v, "perNode", &m.PerNode)
	}
	return m
}

// names looks whether there are a scenario and a metric of those names.
func (d *decoder) names(f document.Fields, m *Measure) {
	if d.known == nil || m.Scenario == "" {
		return
	}
	s, ok := d.known.Scenario(m.Scenario)
	if !ok {
		var names []string
		for _, s := range d.known.Scenarios {
			names = append(names, s.Name)
		}
		d.Report(f["scenario"], fmt.Sprintf("there is no scenario %q", m.Scenario), document.DidYouMean(m.Scenario, names, "`cnibench scenarios list` shows them"))
		return
	}
	m.Scenario = s.Name
	var names []string
	for _, metric := range s.Metrics {
		names = append(names, metric.Name)
	}
	if m.Metric != "" && !slices.Contains(names, m.Metric) {
		d.Report(f["metric"], fmt.Sprintf("%s has no metric %q", s.Name, m.Metric), document.DidYouMean(m.Metric, names, "it has "+strings.Join(names, ", ")))
	}
}

// parameters reads values of parameters in their canonical texts.
func (d *decoder) parameters(n *yaml.Node, key, scenario string) parameter.Values {
	if n.Kind != yaml.MappingNode {
		d.Report(n, key+" must be a mapping, not "+document.Describe(n), "write "+key+": {placement: cross-node}")
		return nil
	}
	values := parameter.Values{}
	for _, p := range d.Pairs(n) {
		if p.Value.Kind != yaml.ScalarNode || document.IsNull(p.Value) {
			d.Report(p.Value, p.Key.Value+" must be one value, not "+document.Describe(p.Value), "write one claim for each value")
			continue
		}
		values[p.Key.Value] = d.canonical(p, scenario)
	}
	return values
}

func (d *decoder) canonical(p document.Pair, scenario string) string {
	if d.known == nil {
		return p.Value.Value
	}
	s, ok := d.known.Scenario(scenario)
	if !ok {
		return p.Value.Value // which is reported
	}
	i := slices.IndexFunc(s.Parameters, func(q parameter.Parameter) bool { return q.Name == p.Key.Value })
	if i < 0 {
		d.Report(p.Key, fmt.Sprintf("%s has no parameter %q", s.Name, p.Key.Value), "`cnibench scenarios show "+s.Name+"` lists them")
		return ""
	}
	of := s.Parameters[i]
	text, err := of.Parse(p.Value.Value)
	if err != nil {
		d.Report(p.Value, p.Key.Value+": "+err.Error(), document.DidYouMean(p.Value.Value, of.Choices, of.HintFor(p.Value.Value)))
	}
	return text
}

// misfit says what a claim of its kind lacks or must not have.
func misfit(c Claim) (message, hint string) {
	switch c.Kind {
	case Value, Threshold:
		return misfitValue(c)
	case Ratio:
		return misfitRatio(c)
	case Ordering, Equal:
		if len(c.Variants) < 2 && len(c.Evidence) < 2 {
			return "orders fewer than two variants", "add variants:, the best first"
		}
		if c.Kind == Ordering && c.Better == "" {
			return "does not say in which direction", "add better: higher or better: lower"
		}
	case Consistency:
		if c.Formula.IsZero() && c.Least.IsZero() && c.Most.IsZero() && c.Coincides.IsZero() && len(c.Conflicts) == 0 && c.Impossible == "" {
			return "says nothing that could be looked at", "add value: and formula:, conflicts: or impossible:"
		}
	case Unprinted, Forecast, Opinion:
		if len(c.Measures) > 0 {
			return "has nothing to measure by its kind", "leave measure: out, or choose another kind"
		}
	}
	return formulaMisfit(c)
}

func misfitValue(c Claim) (message, hint string) {
	if c.Number == nil {
		return "has no number", "add value: and unit:"
	}
	if len(c.Measures) > 0 && len(c.Variants) != 1 {
		return "is measured and names no variant", "add variant: an entry of the catalog"
	}
	for _, m := range c.Measures {
		if m.Against != nil {
			return "is an amount and has against:", "leave against: out, or make it a ratio"
		}
	}
	return formulaMisfit(c)
}

func misfitRatio(c Claim) (message, hint string) {
	if c.Number == nil {
		return "has no number", "add change: a percentage such as -38%"
	}
	for _, m := range c.Measures {
		between := len(c.Variants) == 1 && c.Base != ""
		across := m.Against != nil && len(c.Variants) <= 1 && (c.Base == "" || between)
		if !between && !across {
			return "is measured and does not say of what against what", "add variant: and base:, or, for two sets of parameters, measure: {against: …}"
		}
	}
	return formulaMisfit(c)
}

func formulaMisfit(c Claim) (message, hint string) {
	bare := c.Formula.IsZero() && c.Least.IsZero() && c.Most.IsZero() && c.Coincides.IsZero()
	if c.Number == nil && !bare {
		return "has a formula and no number", "add value: or change:, what is printed"
	}
	return "", ""
}
