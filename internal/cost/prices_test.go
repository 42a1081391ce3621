package cost

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/document"
)

func TestDefaultPrices(t *testing.T) {
	p := Default()
	if s := p.Node(); p.Nodes != 500 || s.Name != "m6i.4xlarge" || s.Price != 400 || s.VCPUs != 16 || s.Memory != 64 {
		t.Errorf("the default cluster is %d of %+v", p.Nodes, s)
	}
	if p.CPU.Price != 30 || p.Memory.Price != 10 || p.Operations.Share != 0.1 || *p.Penalty != (Penalty{200e-6, 100, ClusterMonth, p.Penalty.Source}) {
		t.Errorf("the default prices are %+v %+v %+v %+v", p.CPU, p.Memory, p.Operations, p.Penalty)
	}
	for name, source := range map[string]string{
		"shape": p.Node().Source, "cpu": p.CPU.Source, "memory": p.Memory.Source, "operations": p.Operations.Source, "penalty": p.Penalty.Source, "workload": p.Workload.Source,
	} {
		if source == "" {
			t.Errorf("%s has no source", name)
		}
	}
}

func TestExamplePrices(t *testing.T) {
	data, err := os.ReadFile("../../examples/prices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePrices("examples/prices.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if p.Energy == nil || p.Penalty.Per != MillionRequests || len(p.Shapes) < 2 {
		t.Errorf("the example does not show everything: %+v", p)
	}
}

// least is a file with nothing optional in it.
const least = `apiVersion: cnibench.io/v1alpha1
kind: Prices
currency: EUR
cluster: {nodes: 3, shape: small}
shapes:
  small: {price: 0, vCPUs: 2, memoryGiB: 4, source: made up}
`

func TestLeastPrices(t *testing.T) {
	p, err := ParsePrices("least.yaml", []byte(least))
	if err != nil {
		t.Fatal(err)
	}
	want := Prices{
		Currency: "EUR", Nodes: 3, Shape: "small", Shapes: []Shape{{"small", 0, 2, 4, "made up"}}, Origin: "the prices of least.yaml",
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPriceProblems(t *testing.T) {
	with := func(more string) string { return least + more }
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "f.yaml:1: the file holds no prices"},
		{"no mapping", "- 1", "prices must be a mapping, not a list"},
		{"key", with("penality: {}"), `f.yaml:7:1: unknown key "penality" in prices` + "\n    hint: did you mean \"penalty\"?"},
		{"shape", strings.Replace(least, "shape: small", "shape: smal", 1), `f.yaml:4:28: shape must be one of small, not "smal"` + "\n    hint: did you mean \"small\"?"},
		{"nodes", strings.Replace(least, "nodes: 3", "nodes: 0", 1), "f.yaml:4:18: nodes must be a whole number from 1 to 1000000, not 0"},
		{"negative", strings.Replace(least, "price: 0", "price: -1", 1), "f.yaml:6:18: price must be a number from 0 to 1e+12, an amount of money a month, not -1"},
		{"currency in it", strings.Replace(least, "price: 0", "price: 4 EUR", 1), `price must be a number from 0 to 1e+12, an amount of money a month, not "4 EUR"`},
		{"not a number", strings.Replace(least, "price: 0", "price: .nan", 1), "price must be a number"},
		{"source", strings.Replace(least, ", source: made up", "", 1), "f.yaml:6:10: source is missing\n    hint: say where the figures come from"},
		{"currency", strings.Replace(least, "EUR", `"<b>"`, 1), "currency must be a code or a sign"},
		{"threshold", with("penalty: {threshold: 200, price: 1, per: node-month, source: x}"), "f.yaml:7:22: threshold must be a time up to an hour, not 200"},
		{"per", with("penalty: {threshold: 1ms, price: 1, per: month, source: x}"), "per must be one of cluster-month, node-month, million-requests, not \"month\""},
		{"share", with("operations: {share: 0.1, source: x}"), "share must be a percentage above 0% and below 100%, not 0.1"},
		{"nothing", with("cpu:\n"), "cpu must be a mapping, not nothing"},
		{"kind", strings.Replace(least, "kind: Prices", "kind: Campaign", 1), "f.yaml:2:7: kind must be Prices"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParsePrices("f.yaml", []byte(tt.data))
			var problems document.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
			for _, p := range problems {
				if p.Hint == "" || p.Line < 1 {
					t.Errorf("no line or no hint: %v", p)
				}
			}
		})
	}
}

func TestShapes(t *testing.T) {
	var wrong *OptionError
	if _, err := Default().WithShape("m6i.4xlage"); !errors.As(err, &wrong) || wrong.Hint() != `did you mean "m6i.4xlarge"?` {
		t.Errorf("got %v", err)
	}
	p := Default()
	p.Shapes = append(p.Shapes, Shape{Name: "other", Price: 7, VCPUs: 1, Memory: 1})
	p, err := p.WithShape("other")
	if err != nil || p.Node().Price != 7 {
		t.Errorf("got %+v, %v", p.Node(), err)
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add(defaultPrices)
	f.Add([]byte(least))
	f.Add([]byte("shapes: {a: &a {price: 1e999}, b: *a, ? [x] : 1}\ncluster: {shape: b}"))
	f.Add([]byte("penalty: {threshold: -1s}\nenergy: {price: 1e12, gCO2: 1, wattsPerVCPU: 0x10}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePrices("fuzz.yaml", data)
		if err != nil {
			var problems document.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("an error without problems: %v", err)
			}
			return
		}
		// What is accepted can be reckoned with.
		c := articleCosts(t, p)
		for _, v := range c.Variants {
			if v.Total == nil {
				t.Errorf("%s has no sum: %s", v.Name, v.Missing)
			}
		}
	})
}
