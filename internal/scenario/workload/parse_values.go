package workload

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/result"
)

// sourceKeys are the keys of everything that is found in the output.
var sourceKeys = []string{"from", "jsonPath", "pattern"}

var (
	valueKeys = document.Keys{Valid: append([]string{"name", "unit", "better", "scale", "margin", "factor", "help"}, sourceKeys...)}
	factKeys  = document.Keys{Valid: append([]string{"name"}, sourceKeys...)}
	pointKeys = document.Keys{Valid: sourceKeys}
	spanKeys  = document.Keys{Valid: []string{"start", "end"}}
)

func (d *decoder) values(n *yaml.Node, into *[]Value) {
	elements, _ := d.List(n, "values", "write values: [{name: latency-p99, jsonPath: \"{.p99}\", unit: s, better: lower, …}]")
	for _, e := range elements {
		v, ok := d.metric(e)
		if !ok {
			continue
		}
		if slices.ContainsFunc(*into, func(w Value) bool { return w.Metric.Name == v.Metric.Name }) {
			d.Report(e, "there is a value "+v.Metric.Name+" already", "give it another name")
			continue
		}
		*into = append(*into, v)
	}
}

func (d *decoder) metric(n *yaml.Node) (Value, bool) {
	v := Value{Factor: 1}
	before := len(d.Problems)
	fields, ok := d.Object(n, "a value", valueKeys)
	if !ok {
		return v, false
	}
	if name := d.Required(n, fields, "name", "add name: NAME, such as latency-p99"); name != nil {
		d.Label(name, "name", &v.Metric.Name)
	}
	if slices.Contains(taken, v.Metric.Name) {
		d.Report(fields["name"], "every scenario measures "+v.Metric.Name+" itself", "use another name")
	}
	if unit := d.Required(n, fields, "unit", "add unit: s, bit/s, bytes, 1/s or another, without a prefix"); unit != nil {
		d.NonEmpty(unit, "unit", "write s, bit/s, bytes, 1/s or another", &v.Metric.Unit)
	}
	if better := d.Required(n, fields, "better", "add better: higher, or better: lower"); better != nil {
		d.Choice(better, "better", []string{string(result.Higher), string(result.Lower)}, (*string)(&v.Metric.Better))
	}
	scale := string(result.Ratio)
	if s := fields["scale"]; s != nil {
		d.Choice(s, "scale", []string{string(result.Ratio), string(result.Difference)}, &scale)
	}
	v.Metric.Scale = result.Scale(scale)
	if margin := d.Required(n, fields, "margin", "add margin: the smallest difference that matters, such as 5%"); margin != nil {
		if v.Metric.Scale == result.Ratio {
			d.Percentage(margin, "margin", &v.Metric.Margin)
		} else {
			d.Amount(margin, "margin", v.Metric.Unit, &v.Metric.Margin)
		}
	}
	d.optional(fields["help"], "help", &v.Metric.Help)
	if f := fields["factor"]; f != nil {
		d.factor(f, &v.Factor)
	}
	d.source(n, fields, &v.Source)
	return v, len(d.Problems) == before
}

// taken are the metrics that cnibench adds to every scenario.
var taken = []string{"cpu", "cni-cpu", "cni-memory", "memory"}

func (d *decoder) factor(n *yaml.Node, into *float64) {
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(f > 0 && f < 1e18) {
		d.Report(n, "factor must be a number above 0, not "+document.Describe(n), "write what the output's figure is multiplied by, such as 0.001")
		return
	}
	*into = f
}

func (d *decoder) facts(n *yaml.Node, into *[]Fact) {
	if n == nil {
		return
	}
	elements, _ := d.List(n, "facts", "write facts: [{name: NAME, pattern: …}], or remove it")
	for _, e := range elements {
		fields, ok := d.Object(e, "a fact", factKeys)
		if !ok {
			continue
		}
		var f Fact
		if name := d.Required(e, fields, "name", "add name: NAME"); name != nil {
			d.NonEmpty(name, "name", "write what the fact is", &f.Name)
		}
		d.source(e, fields, &f.Source)
		*into = append(*into, f)
	}
}

func (d *decoder) window(n *yaml.Node, w *Workload) {
	if n == nil {
		return
	}
	fields, ok := d.Object(n, "window", spanKeys)
	if !ok {
		return
	}
	w.Window = &Window{}
	for key, into := range map[string]*Source{"start": &w.Window.Start, "end": &w.Window.End} {
		point := d.Required(n, fields, key, "add "+key+`: {jsonPath: "{.`+key+`}"}, in Unix seconds or as RFC 3339 has it`)
		if point == nil {
			continue
		}
		if of, ok := d.Object(point, key, pointKeys); ok {
			d.source(point, of, into)
		}
	}
}

// source reads where something is found.
func (d *decoder) source(n *yaml.Node, fields document.Fields, into *Source) {
	into.From = Stdout
	if from := fields["from"]; from != nil {
		d.from(from, &into.From)
	}
	byPath, byPattern := fields["jsonPath"], fields["pattern"]
	if (byPath == nil) == (byPattern == nil) {
		d.Report(n, "nothing says where it is found, or two things do", `write jsonPath: "{.a.b}", or pattern: a regular expression with one group`)
		return
	}
	expression := byPath
	if byPath != nil {
		d.NonEmpty(byPath, "jsonPath", `write it as kubectl takes it: "{.a.b}"`, &into.JSONPath)
	} else {
		expression = byPattern
		d.NonEmpty(byPattern, "pattern", "write a regular expression with one group, such as 'p99=([0-9.]+)'", &into.Pattern)
	}
	if into.JSONPath != "" && !strings.Contains(into.JSONPath, "{") {
		d.Report(byPath, "jsonPath "+document.Describe(byPath)+" has no braces, so it is a text", `write "{`+into.JSONPath+`}"`)
		return
	}
	if into.JSONPath == "" && into.Pattern == "" {
		return
	}
	if err := into.validate(); err != nil {
		d.Report(expression, err.Error(), "test it on what the client prints")
	}
}

func (d *decoder) from(n *yaml.Node, into *string) {
	var from string
	if !d.Text(n, "from", &from) {
		return
	}
	if from != Stdout && from != Stderr && (!path.IsAbs(from) || path.Clean(from) != from) {
		d.Report(n, "from must be stdout, stderr or the path of a file, not "+document.Describe(n), "write "+Stdout+", "+Stderr+", or a path such as "+Dir+"/summary.json")
		return
	}
	*into = from
}
