package profile

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Parse reads a profile. The name of the file serves only to name it in
// problems. The error is always of type document.Problems and lists all of
// them.
func Parse(file string, data []byte) (Profile, error) {
	d := &decoder{document.Reader{File: file}}
	p := d.profile(d.Root(data, "profile", "`cnibench rank --show standard` prints one to start from"))
	if len(d.Problems) > 0 {
		return Profile{}, d.Problems.InOrder()
	}
	return p, nil
}

// decoder reads the nodes of one file.
type decoder struct{ document.Reader }

// Limits of a file: above them it is a slip of the keyboard.
const (
	maxWeights  = 200
	maxPatterns = 50
)

var (
	rootKeys    = document.Keys{Valid: []string{"apiVersion", "kind", "metadata", "title", "description", "sources", "needs", "least", "weights", "campaign"}}
	metaKeys    = document.Keys{Valid: []string{"name"}}
	needsKeys   = document.Keys{Valid: []string{"requires", "wants", "kernel"}}
	measureKeys = document.Keys{Valid: []string{"what", "weight", "source", "of", "lacking", "margin"}}
	patternKeys = document.Keys{Valid: []string{"scenario", "metric", "where"}}
)

const weightsHint = "write weights: [{what: …, weight: 1, of: {scenario: tcp-rr, metric: latency-p99}}]"

func (d *decoder) profile(root *yaml.Node) Profile {
	p := Profile{Least: DefaultLeast}
	if root == nil {
		return p
	}
	f, ok := d.Object(root, "a profile", rootKeys)
	if !ok {
		return p
	}
	d.Constant(root, f, "apiVersion", APIVersion)
	d.Constant(root, f, "kind", Kind)
	if n := d.Required(root, f, "metadata", "add metadata: {name: NAME}"); n != nil {
		d.metadata(n, &p.Name)
	}
	if n := d.Required(root, f, "title", "add title: and what the need is, in some words"); n != nil {
		d.NonEmpty(n, "title", "write what the need is, in some words", &p.Title)
	}
	if n := f["description"]; n != nil {
		d.NonEmpty(n, "description", "write some sentences, or leave it out", &p.Description)
		p.Description = strings.Join(strings.Fields(p.Description), " ")
	}
	if n := f["sources"]; n != nil {
		p.Sources = d.texts(n, "sources")
	}
	if n := f["needs"]; n != nil {
		p.Needs = d.needs(n)
	}
	if n := f["least"]; n != nil {
		d.Percentage(n, "least", &p.Least)
	}
	if n := d.Required(root, f, "weights", weightsHint); n != nil {
		p.Weights = d.weights(n)
	}
	if n := f["campaign"]; n != nil {
		p.Campaign = d.campaign(n)
	}
	return p
}

func (d *decoder) metadata(n *yaml.Node, name *string) {
	f, ok := d.Object(n, "metadata", metaKeys)
	if !ok {
		return
	}
	if v := d.Required(n, f, "name", "add name: NAME"); v != nil {
		d.Label(v, "name", name)
	}
}

// texts reads a list of different texts.
func (d *decoder) texts(n *yaml.Node, key string) []string {
	elements, ok := d.List(n, key, "write a list, such as "+key+": [\"…\"]")
	if !ok {
		return nil
	}
	var all []string
	for _, e := range elements {
		var text string
		if d.NonEmpty(e, key, "write some words, or remove it", &text) {
			all = append(all, text)
		}
	}
	return all
}

// kernelSyntax is a version of Linux as far as it matters.
var kernelSyntax = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3}){1,2}$`)

func (d *decoder) needs(n *yaml.Node) Needs {
	var needs Needs
	f, ok := d.Object(n, "needs", needsKeys)
	if !ok {
		return needs
	}
	if v := f["requires"]; v != nil {
		needs.Requires = d.features(v, "requires", nil)
	}
	if v := f["wants"]; v != nil {
		needs.Wants = d.features(v, "wants", needs.Requires)
	}
	if v := f["kernel"]; v != nil {
		if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" || !kernelSyntax.MatchString(v.Value) {
			// 5.10 without quotes is the number 5.1.
			d.Report(v, "kernel must be a version in quotes, not "+document.Describe(v), `write the oldest kernel of your nodes, such as kernel: "5.10"`)
		} else {
			needs.Kernel = v.Value
		}
	}
	return needs
}

func (d *decoder) features(n *yaml.Node, key string, taken []string) []string {
	elements, ok := d.List(n, key, "the features are "+strings.Join(Features, ", "))
	if !ok {
		return nil
	}
	var all []string
	for _, e := range elements {
		var name string
		if !d.Choice(e, key, Features, &name) {
			continue
		}
		if slices.Contains(all, name) || slices.Contains(taken, name) {
			d.Report(e, fmt.Sprintf("%s is named twice", name), "remove one of the two")
			continue
		}
		all = append(all, name)
	}
	return all
}

func (d *decoder) weights(n *yaml.Node) []Measure {
	elements, ok := d.List(n, "weights", weightsHint)
	if !ok {
		return nil
	}
	if len(elements) > maxWeights {
		d.Report(n, fmt.Sprintf("weights has more than %d entries", maxWeights), "join some of them")
		return nil
	}
	var all []Measure
	first := map[string]int{} // line of a pattern
	for _, e := range elements {
		m := d.measure(e)
		for _, p := range m.Of {
			if line, repeated := first[p.String()]; repeated {
				d.Report(e, fmt.Sprintf("%s counts on line %d already", p, line), "remove one of the two, or add up their weights")
			}
			first[p.String()] = e.Line
		}
		all = append(all, m)
	}
	return all
}

func (d *decoder) measure(n *yaml.Node) Measure {
	var m Measure
	f, ok := d.Object(n, "a weight", measureKeys)
	if !ok {
		return m
	}
	if v := d.Required(n, f, "what", "add what: and what counts, in some words"); v != nil {
		d.NonEmpty(v, "what", "write what counts, in some words", &m.What)
	}
	if v := d.Required(n, f, "weight", "add weight: 1; only its ratio to the others' matters"); v != nil {
		if d.Amount(v, "weight", "parts of the whole", &m.Weight) && (m.Weight > 1e6 || m.Weight < 1e-6) {
			d.Report(v, "weight must be from 0.000001 to 1000000, not "+document.Describe(v), "only its ratio to the others' matters")
		}
	}
	if v := f["source"]; v != nil {
		d.NonEmpty(v, "source", "write where it is from, or leave it out", &m.Source)
	}
	if v := f["margin"]; v != nil {
		m.Margin = d.margin(v)
	}
	if v := f["lacking"]; v != nil {
		d.NonEmpty(v, "lacking", "write why nothing measures it", &m.Lacking)
	}
	of, there := f["of"]
	switch {
	case of != nil && m.Lacking != "":
		d.Report(of, "of and lacking exclude each other", "remove lacking, if it can be measured")
	case of != nil:
		m.Of = d.patterns(of)
	case !there && f["lacking"] == nil:
		d.Report(n, "of is missing", "add of: {scenario: tcp-rr, metric: latency-p99}; `cnibench scenarios list` shows what there is")
	}
	return m
}

// margin reads 3%, an amount in the metric's unit, or bytes such as 64MiB.
func (d *decoder) margin(n *yaml.Node) *Margin {
	m := Margin{Fraction: strings.HasSuffix(n.Value, "%")}
	if bytes, kind, ok := parameter.Quantity(n.Value); ok && kind == parameter.Bytes && bytes > 0 {
		m.Value = bytes
	} else if m.Fraction {
		if !d.Percentage(n, "margin", &m.Value) {
			return nil
		}
	} else if !d.Amount(n, "margin", "the metric's unit, or a percentage", &m.Value) {
		return nil
	}
	if m.Value < 1e-12 || m.Value > 1e18 {
		d.Report(n, "margin is out of all proportion: "+document.Describe(n), "write the smallest difference that matters, such as 3%")
		return nil
	}
	return &m
}

// patterns reads one pattern or a list of them.
func (d *decoder) patterns(n *yaml.Node) []Pattern {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		var ok bool
		if elements, ok = d.List(n, "of", "write {scenario: …, metric: …}"); !ok {
			return nil
		}
	}
	if len(elements) > maxPatterns {
		d.Report(n, fmt.Sprintf("of has more than %d entries", maxPatterns), "the first that was measured counts: name fewer")
		return nil
	}
	var all []Pattern
	for _, e := range elements {
		if p, ok := d.pattern(e); ok {
			all = append(all, p)
		}
	}
	return all
}

func (d *decoder) pattern(n *yaml.Node) (Pattern, bool) {
	var p Pattern
	before := len(d.Problems)
	f, ok := d.Object(n, "of", patternKeys)
	if !ok {
		return p, false
	}
	if v := d.Required(n, f, "scenario", "add scenario: NAME; `cnibench scenarios list` shows them"); v != nil {
		d.NonEmpty(v, "scenario", "write the name of a scenario", &p.Scenario)
	}
	if v := d.Required(n, f, "metric", "add metric: NAME; `cnibench scenarios show NAME` lists a scenario's"); v != nil {
		d.NonEmpty(v, "metric", "write the name of a metric", &p.Metric)
	}
	if v := f["where"]; v != nil {
		p.Where = d.where(v)
	}
	return p, len(d.Problems) == before
}

// where reads {PARAMETER: VALUE, PARAMETER: [VALUE, …], PARAMETER: ">= VALUE"}.
func (d *decoder) where(n *yaml.Node) []Condition {
	if n.Kind != yaml.MappingNode {
		d.Report(n, "where must be a mapping, not "+document.Describe(n), `write parameters, such as where: {placement: cross-node, policies: ">= 100"}`)
		return nil
	}
	var all []Condition
	for _, pair := range d.Pairs(n) {
		if c, ok := d.condition(pair.Key, pair.Value); ok {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Condition) int { return strings.Compare(a.Parameter, b.Parameter) })
	return all
}

func (d *decoder) condition(key, n *yaml.Node) (Condition, bool) {
	c := Condition{Parameter: key.Value, Operator: "="}
	if strings.TrimSpace(c.Parameter) == "" {
		d.Report(key, "where has a key without a name", "write the name of a parameter")
		return c, false
	}
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		var ok bool
		if elements, ok = d.List(n, c.Parameter, "write a value, or several"); !ok {
			return c, false
		}
	}
	for _, e := range elements {
		if e.Kind != yaml.ScalarNode || strings.TrimSpace(e.Value) == "" {
			d.Report(e, c.Parameter+" must be a value, not "+document.Describe(e), "write a value, several as a list, or a bound such as \">= 100\"")
			return c, false
		}
		c.Values = append(c.Values, strings.TrimSpace(e.Value))
	}
	if len(c.Values) != 1 {
		return c, true
	}
	for _, operator := range []string{"<=", ">=", "<", ">"} { // the longer ones first
		bound, found := strings.CutPrefix(c.Values[0], operator)
		if !found {
			continue
		}
		c.Operator, c.Values[0] = operator, strings.TrimSpace(bound)
		if _, _, ok := parameter.Quantity(c.Values[0]); !ok {
			d.Report(n, fmt.Sprintf("%s has no bound after %s: %s", c.Parameter, operator, document.Describe(n)), `write a quantity, such as ">= 100" or "<= 1KiB"`)
			return c, false
		}
		break
	}
	return c, true
}

// campaign keeps what a campaign says under spec; who runs it reads it.
func (d *decoder) campaign(n *yaml.Node) []byte {
	if n.Kind != yaml.MappingNode {
		d.Report(n, "campaign must be a mapping, not "+document.Describe(n), "write what a campaign file has under spec: variants, scenarios, blocks")
		return nil
	}
	for _, pair := range d.Pairs(n) {
		if pair.Key.Value == "scenarios" {
			var b bytes.Buffer
			e := yaml.NewEncoder(&b)
			e.SetIndent(2)
			if err := e.Encode(n); err != nil || e.Close() != nil {
				d.Report(n, "campaign cannot be written again as YAML", "use neither anchors nor aliases in it")
				return nil
			}
			return b.Bytes()
		}
	}
	d.Report(n, "campaign has no scenarios", "add scenarios: with those that measure the weights, or remove campaign")
	return nil
}
