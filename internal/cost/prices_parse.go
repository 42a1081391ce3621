package cost

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Names that every file of prices begins with.
const (
	APIVersion = "cnibench.io/v1alpha1"
	Kind       = "Prices"
)

// Bounds keep products of what is read far from the largest number.
const (
	maxPrice = 1e12
	maxNodes = 1_000_000
)

// ParsePrices reads a file of prices. The name of the file serves only to name
// it in problems. The error is of type document.Problems and lists all.
func ParsePrices(file string, data []byte) (Prices, error) {
	d := &decoder{document.Reader{File: file}}
	p := Prices{Origin: "the prices of " + file}
	if root := d.Root(data, "prices", "examples/prices.yaml is one to start from"); root != nil {
		d.prices(root, &p)
	}
	if len(d.Problems) > 0 {
		return Prices{}, d.Problems.InOrder()
	}
	return p, nil
}

type decoder struct{ document.Reader }

var (
	priceKeys      = document.Keys{Valid: []string{"apiVersion", "kind", "currency", "cluster", "shapes", "cpu", "memory", "operations", "penalty", "energy", "workload"}}
	clusterKeys    = document.Keys{Valid: []string{"nodes", "shape"}}
	shapeKeys      = document.Keys{Valid: []string{"price", "vCPUs", "memoryGiB", "source"}}
	rateKeys       = document.Keys{Valid: []string{"price", "source"}}
	operationsKeys = document.Keys{Valid: []string{"share", "source"}}
	penaltyKeys    = document.Keys{Valid: []string{"threshold", "price", "per", "source"}}
	energyKeys     = document.Keys{Valid: []string{"price", "gCO2", "wattsPerVCPU", "source"}}
	workloadKeys   = document.Keys{Valid: []string{"gbitPerSecond", "requestsPerMonth", "source"}}
)

func (d *decoder) prices(root *yaml.Node, p *Prices) {
	f, ok := d.Object(root, "prices", priceKeys)
	if !ok {
		return
	}
	d.Constant(root, f, "apiVersion", APIVersion)
	d.Constant(root, f, "kind", Kind)
	if n := d.Required(root, f, "currency", "add currency: EUR, or whatever the prices are in"); n != nil {
		d.currency(n, &p.Currency)
	}
	if n := d.Required(root, f, "shapes", "add shapes: {NAME: {price: …, vCPUs: …, memoryGiB: …, source: …}}"); n != nil {
		d.shapes(n, &p.Shapes)
	}
	if n := d.Required(root, f, "cluster", "add cluster: {nodes: …, shape: NAME}"); n != nil {
		d.cluster(n, p)
	}
	d.rate(f["cpu"], "cpu", "per vCPU and month", &p.CPU)
	d.rate(f["memory"], "memory", "per GiB and month", &p.Memory)
	if n := f["operations"]; n != nil {
		d.operations(n, p)
	}
	if n := f["penalty"]; n != nil {
		d.penalty(n, p)
	}
	if n := f["energy"]; n != nil {
		d.energy(n, p)
	}
	if n := f["workload"]; n != nil {
		d.workload(n, &p.Workload)
	}
}

var currencySyntax = regexp.MustCompile(`^[\pL\p{Sc}]{1,8}$`)

func (d *decoder) currency(n *yaml.Node, into *string) {
	const hint = "write a code or a sign, such as EUR or €"
	if d.NonEmpty(n, "currency", hint, into) && !currencySyntax.MatchString(*into) {
		d.Report(n, "currency must be a code or a sign of at most eight letters, not "+document.Describe(n), hint)
	}
}

func (d *decoder) shapes(n *yaml.Node, into *[]Shape) {
	const hint = "write shapes: {NAME: {price: …, vCPUs: …, memoryGiB: …, source: …}}"
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.Report(n, "shapes must be a mapping of names to nodes, not "+document.Describe(n), hint)
		return
	}
	for _, p := range d.Pairs(n) {
		s := Shape{Name: p.Key.Value}
		what := fmt.Sprintf("the shape %q", s.Name)
		f, ok := d.Object(p.Value, what, shapeKeys)
		if !ok {
			continue
		}
		d.price(p.Value, f, "a month", &s.Price)
		if v := d.Required(p.Value, f, "vCPUs", "add vCPUs: of one such node"); v != nil {
			d.Amount(v, "vCPUs", "vCPUs of one node", &s.VCPUs)
		}
		if v := d.Required(p.Value, f, "memoryGiB", "add memoryGiB: of one such node"); v != nil {
			d.Amount(v, "memoryGiB", "GiB of one node", &s.Memory)
		}
		d.source(p.Value, f, &s.Source)
		*into = append(*into, s)
	}
}

func (d *decoder) cluster(n *yaml.Node, p *Prices) {
	f, ok := d.Object(n, "cluster", clusterKeys)
	if !ok {
		return
	}
	if v := d.Required(n, f, "nodes", "add nodes: how many the cluster has"); v != nil {
		p.Nodes = 1
		d.Integer(v, "nodes", 1, maxNodes, &p.Nodes)
	}
	var names []string
	for _, s := range p.Shapes {
		names = append(names, s.Name)
	}
	if v := d.Required(n, f, "shape", "add shape: the name of one of the shapes"); v != nil && len(names) > 0 {
		d.Choice(v, "shape", names, &p.Shape)
	}
}

func (d *decoder) rate(n *yaml.Node, key, unit string, into **Rate) {
	if n == nil {
		return
	}
	f, ok := d.Object(n, key, rateKeys)
	if !ok {
		return
	}
	var r Rate
	d.price(n, f, unit, &r.Price)
	d.source(n, f, &r.Source)
	*into = &r
}

func (d *decoder) operations(n *yaml.Node, p *Prices) {
	f, ok := d.Object(n, "operations", operationsKeys)
	if !ok {
		return
	}
	var o Operations
	if v := d.Required(n, f, "share", "add share: of the price of the nodes, such as 10%"); v != nil {
		d.Percentage(v, "share", &o.Share)
	}
	d.source(n, f, &o.Source)
	p.Operations = &o
}

func (d *decoder) penalty(n *yaml.Node, p *Prices) {
	f, ok := d.Object(n, "penalty", penaltyKeys)
	if !ok {
		return
	}
	var s Penalty
	if v := d.Required(n, f, "threshold", "add threshold: the p99 that is promised, such as 200µs"); v != nil {
		d.threshold(v, &s.Threshold)
	}
	d.price(n, f, "per millisecond above the threshold", &s.Price)
	per := ""
	if v := d.Required(n, f, "per", "add per: cluster-month, node-month or million-requests"); v != nil {
		d.Choice(v, "per", []string{string(ClusterMonth), string(NodeMonth), string(MillionRequests)}, &per)
	}
	s.Per = Per(per)
	d.source(n, f, &s.Source)
	p.Penalty = &s
}

func (d *decoder) threshold(n *yaml.Node, into *float64) {
	t, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || t < 0 || t > time.Hour {
		d.Report(n, "threshold must be a time up to an hour, not "+document.Describe(n), "write a number and its unit, such as 200µs, 0.2ms or 1s")
		return
	}
	*into = t.Seconds()
}

func (d *decoder) energy(n *yaml.Node, p *Prices) {
	f, ok := d.Object(n, "energy", energyKeys)
	if !ok {
		return
	}
	var e Energy
	d.price(n, f, "per kWh", &e.Price)
	if v := f["gCO2"]; v != nil {
		d.number(v, "gCO2", "grams per kWh", &e.GramsCO2)
	}
	if v := f["wattsPerVCPU"]; v != nil {
		d.number(v, "wattsPerVCPU", "watts", &e.WattsPerVCPU)
	}
	d.source(n, f, &e.Source)
	p.Energy = &e
}

func (d *decoder) workload(n *yaml.Node, into *Workload) {
	f, ok := d.Object(n, "workload", workloadKeys)
	if !ok {
		return
	}
	if v := f["gbitPerSecond"]; v != nil {
		d.number(v, "gbitPerSecond", "Gbit/s of each node", &into.Gbit)
	}
	if v := f["requestsPerMonth"]; v != nil {
		d.number(v, "requestsPerMonth", "requests to the whole cluster", &into.Requests)
	}
	d.source(n, f, &into.Source)
}

func (d *decoder) price(n *yaml.Node, f document.Fields, unit string, into *float64) {
	if v := d.Required(n, f, "price", "add price: a number, "+unit); v != nil {
		d.number(v, "price", "an amount of money "+unit, into)
	}
}

func (d *decoder) source(n *yaml.Node, f document.Fields, into *string) {
	const hint = "say where the figures come from, such as source: \"our contract of May 2026\""
	if v := d.Required(n, f, "source", hint); v != nil {
		d.NonEmpty(v, "source", hint, into)
	}
}

var numberSyntax = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number reads a number from 0 up: nothing may have a negative price.
func (d *decoder) number(n *yaml.Node, key, unit string, into *float64) {
	tag := n.ShortTag()
	if n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") && numberSyntax.MatchString(n.Value) {
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil && x <= maxPrice {
			*into = x
			return
		}
	}
	d.Report(n, fmt.Sprintf("%s must be a number from 0 to %g, %s, not %s", key, maxPrice, unit, document.Describe(n)), "write the number alone, such as 1250.50, without a currency, a unit or commas")
}
