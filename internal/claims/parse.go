package claims

import (
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/document"
)

// mostClaims bounds a file.
const mostClaims = 5000

// Parse reads a file of claims. known is what they may name: variants,
// scenarios, metrics and parameters; nil: names are not looked at. The error is
// document.Problems, each with line and fix.
func Parse(file string, data []byte, known *campaign.Known) (Source, error) {
	d := &decoder{Reader: document.Reader{File: file}, known: known, lines: map[string]int{}}
	root := d.Root(data, "file of claims", "docs/claims.md has an example")
	var s Source
	if root != nil {
		s = d.source(root)
	}
	if len(d.Problems) > 0 {
		return Source{}, d.Problems.InOrder()
	}
	return s, nil
}

// decoder reads one file. lines are those of the claims' ids.
type decoder struct {
	document.Reader
	known *campaign.Known
	lines map[string]int
	// references of formulas and evidence, looked at when all ids are known.
	references []placed
}

type placed struct {
	node *yaml.Node
	id   string
}

func (d *decoder) source(root *yaml.Node) Source {
	var s Source
	f, ok := d.Object(root, "a file of claims", document.Keys{Valid: []string{"apiVersion", "kind", "metadata", "source", "setup", "claims"}})
	if !ok {
		return s
	}
	d.Constant(root, f, "apiVersion", "cnibench.io/v1alpha1")
	d.Constant(root, f, "kind", "Claims")
	if n := d.Required(root, f, "metadata", "add metadata: {name: NAME}"); n != nil {
		if m, ok := d.Object(n, "metadata", document.Keys{Valid: []string{"name"}}); ok {
			if name := d.Required(n, m, "name", "add name: a short name of the source"); name != nil {
				d.Label(name, "name", &s.Name)
			}
		}
	}
	if n := d.Required(root, f, "source", "add source: {title: …, date: …}"); n != nil {
		d.describe(n, &s)
	}
	var setup Setup
	if n := f["setup"]; n != nil {
		d.setup(n, &setup)
	}
	if n := d.Required(root, f, "claims", "add claims: with one entry for each"); n != nil {
		if list, ok := d.List(n, "claims", "write one entry for each claim, each beginning with a hyphen"); ok {
			s.Claims = d.claims(list, setup)
		}
	}
	d.resolve(s)
	return s
}

func (d *decoder) describe(n *yaml.Node, s *Source) {
	f, ok := d.Object(n, "source", document.Keys{Valid: []string{"title", "author", "date", "url", "preset"}})
	if !ok {
		return
	}
	if title := d.Required(n, f, "title", "add title: what readers find it by"); title != nil {
		d.NonEmpty(title, "title", "write what readers find it by", &s.Title)
	}
	for key, into := range map[string]*string{"author": &s.Author, "url": &s.URL, "preset": &s.Preset} {
		if v := f[key]; v != nil {
			d.NonEmpty(v, key, "leave it out", into)
		}
	}
	if v := f["date"]; v != nil {
		d.date(v, &s.Date)
	}
}

var dateSyntax = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2}){0,2}$`)

func (d *decoder) date(n *yaml.Node, into *string) {
	if n.Kind != yaml.ScalarNode || !dateSyntax.MatchString(n.Value) {
		d.Report(n, "date must be a year, a month or a day, not "+document.Describe(n), "write 2024, 2024-01 or 2024-01-31, or leave it out")
		return
	}
	*into = n.Value
}

func (d *decoder) setup(n *yaml.Node, s *Setup) {
	f, ok := d.Object(n, "setup", document.Keys{Valid: []string{
		"hardware", "cpu", "instance", "nicRate", "mtu", "placement", "encapsulation", "directions", "n", "versions",
	}})
	if !ok {
		return
	}
	for key, into := range map[string]*string{"hardware": &s.Hardware, "cpu": &s.CPU, "instance": &s.Instance} {
		if v := f[key]; v != nil {
			d.NonEmpty(v, key, "leave it out where the source does not say it", into)
		}
	}
	if v := f["nicRate"]; v != nil {
		d.rate(v, &s.NICRate)
	}
	for _, key := range []struct {
		name      string
		low, high int
		into      *int
	}{
		{"mtu", 68, 65535, &s.MTU}, {"encapsulation", 0, 1000, &s.Encapsulation}, {"directions", 1, 2, &s.Directions}, {"n", 1, 1e9, &s.N},
	} {
		if v := f[key.name]; v != nil {
			d.orUnknown(v, key.into, func() { d.Integer(v, key.name, key.low, key.high, key.into) })
		}
	}
	if v := f["placement"]; v != nil {
		d.Choice(v, "placement", []string{"cross-node", "same-node", "unknown"}, &s.Placement)
		if s.Placement == "unknown" {
			s.Placement = ""
		}
	}
	if v := f["versions"]; v != nil {
		s.Versions = d.versions(v)
	}
}

// orUnknown takes back what the file's own setup says, for a claim of which the
// source does not say it.
func (d *decoder) orUnknown(n *yaml.Node, into *int, read func()) {
	if n.Kind == yaml.ScalarNode && n.Value == "unknown" {
		*into = 0
		return
	}
	read()
}

var rateSyntax = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([kMG]?bit/s)$`)

func (d *decoder) rate(n *yaml.Node, into *float64) {
	if n.Kind == yaml.ScalarNode && n.Value == "unknown" {
		*into = 0
		return
	}
	if m := rateSyntax.FindStringSubmatch(n.Value); n.Kind == yaml.ScalarNode && m != nil {
		if x, err := strconv.ParseFloat(m[1], 64); err == nil && x > 0 && x < 1e9 {
			*into = x * NewUnit(m[2]).Factor
			return
		}
	}
	d.Report(n, "nicRate must be a rate, not "+document.Describe(n), "write a rate such as nicRate: 10Gbit/s")
}

func (d *decoder) versions(n *yaml.Node) map[string]string {
	if n.Kind != yaml.MappingNode {
		d.Report(n, "versions must be a mapping, not "+document.Describe(n), `write versions: {cilium: "1.17"}`)
		return nil
	}
	versions := map[string]string{}
	for _, p := range d.Pairs(n) {
		var version string
		if d.Text(p.Value, "the version of "+p.Key.Value, &version) {
			versions[p.Key.Value] = version
		}
	}
	return versions
}

func (d *decoder) claims(list []*yaml.Node, setup Setup) []Claim {
	var all []Claim
	for i, n := range list {
		if i == mostClaims {
			d.Report(n, "there are too many claims", "write several files of at most "+strconv.Itoa(mostClaims)+" claims")
			return all
		}
		all = append(all, d.claim(n, setup)...)
	}
	return all
}

// resolve looks for the claims that formulas and evidence refer to. Those of
// other sources are looked for when all files are read.
func (d *decoder) resolve(s Source) {
	var ids []string
	for _, c := range s.Claims {
		ids = append(ids, c.ID)
	}
	for _, r := range d.references {
		i := slices.IndexFunc(s.Claims, func(c Claim) bool { return c.ID == r.id })
		switch {
		case otherSource(r.id):
		case i < 0:
			d.Report(r.node, "there is no claim "+strconv.Quote(r.id)+" in this file", document.DidYouMean(r.id, ids, "refer to a claim of this file by its id, to one of another by SOURCE/ID; of values by ID.VARIANT"))
		case s.Claims[i].Number == nil || !s.Claims[i].Number.Single():
			d.Report(r.node, "the claim "+strconv.Quote(r.id)+" has no single number", "refer to a claim with one number")
		}
	}
}
