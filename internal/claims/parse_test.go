package claims

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

const head = `apiVersion: cnibench.io/v1alpha1
kind: Claims
metadata: {name: mine}
source: {title: "a talk", date: 2026-05}
claims:
`

// some is what a campaign may name, as far as these tests do.
var some = &campaign.Known{
	Variants: []campaign.VariantInfo{{Name: "host"}, {Name: "flannel-vxlan", Aliases: []string{"flannel"}}, {Name: "cilium-kpr"}},
	Scenarios: []campaign.ScenarioInfo{{
		Name: "tcp-pod-single", Aliases: []string{"dts"}, Metrics: []campaign.MetricInfo{{Name: "throughput"}, {Name: "rtt"}},
		Parameters: []parameter.Parameter{{Name: "placement", Kind: parameter.Choice, Choices: []string{"cross-node", "same-node"}}},
	}},
}

func TestParseProblems(t *testing.T) {
	for _, c := range []struct{ claims, message, hint string }{
		{"", "claims must be a list, not nothing", "one entry"},
		{"  - 3\n", "a claim must be a mapping", "its keys"},
		{"  - {id: a, lines: 1, kind: opinion, statement: x, messure: y}\n", `unknown key "messure"`, `did you mean "measure"?`},
		{"  - {lines: 1, kind: opinion, statement: x}\n", "id is missing", "add id"},
		{"  - {id: A B, lines: 1, kind: opinion, statement: x}\n", "not a valid name", "lower-case"},
		{"  - {id: a, lines: one, kind: opinion, statement: x}\n", "lines must be numbers of lines", "18-22"},
		{"  - {id: a, lines: 1, kind: opinon, statement: x}\n", "kind must be one of", `did you mean "opinion"?`},
		{"  - {id: a, lines: 1, kind: value, statement: x}\n", "the claim a has no number", "add value:"},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 9,6}\n", `unknown key "6"`, "the keys are"},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: nine}\n", `value: "nine" is not a number`, "9.2..9.8"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 38}\n", "has no %", "-38%"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 38%, variant: cilum-kpr}\n", `there is no variant "cilum-kpr"`, `did you mean "cilium-kpr"?`},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 1, variant: host, measure: {scenario: tcp-pod-singel, metric: rtt}}\n", "there is no scenario", `did you mean "tcp-pod-single"?`},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 1, variant: host, measure: {scenario: dts, metric: latency}}\n", `has no metric "latency"`, "throughput, rtt"},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 1, variant: host, measure: {scenario: dts, metric: rtt, parameters: {place: x}}}\n", `has no parameter "place"`, "scenarios show"},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 1, variant: host, measure: {scenario: dts, metric: rtt, parameters: {placement: far}}}\n", "placement:", "cross-node"},
		{"  - {id: a, lines: 1, kind: value, statement: x, value: 1, measure: {scenario: dts, metric: rtt}}\n", "names no variant", "add variant:"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 1%, variant: host, measure: {scenario: dts, metric: rtt}}\n", "of what against what", "against:"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 1%, measure: {scenario: dts, metric: rtt}}\n", "of what against what", "against:"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 1%, base: host, measure: {scenario: dts, metric: rtt, against: {placement: same-node}}}\n", "of what against what", "variant:"},
		{"  - {id: a, lines: 1, kind: ratio, statement: x, change: 1%, variants: [host, cilium-kpr], measure: {scenario: dts, metric: rtt, against: {placement: same-node}}}\n", "of what against what", "variant:"},
		{"  - {id: a, lines: 1, kind: ordering, statement: x, variants: [host, cilium-kpr]}\n", "in which direction", "better: higher"},
		{"  - {id: a, lines: 1, kind: equal, statement: x, variants: [host]}\n", "fewer than two", "variants:"},
		{"  - {id: a, lines: 1, kind: consistency, statement: x, value: 3}\n", "nothing that could be looked at", "conflicts"},
		{"  - {id: a, lines: 1, kind: opinion, statement: x, variant: host, measure: {scenario: dts, metric: rtt}}\n", "nothing to measure by its kind", "another kind"},
		{"  - {id: a, lines: 1, kind: consistency, statement: x, value: 3, formula: 1 +}\n", "formula: the formula ends", "parentheses"},
		{"  - {id: a, lines: 1, kind: consistency, statement: x, formula: 1 + 1}\n", "a formula and no number", "add value:"},
		{"  - {id: a, lines: 1, kind: consistency, statement: x, value: 3, formula: '[other]'}\n", `there is no claim "other" in this file`, "SOURCE/ID"},
		{"  - {id: a, lines: 1, kind: consistency, statement: x, value: 1..3, formula: '[a]'}\n", "has no single number", "one number"},
		{"  - {id: a, lines: 1, kind: opinion, statement: x}\n  - {id: a, lines: 1, kind: opinion, statement: y}\n", `the id "a" is that of the claim on line 6`, "of its own"},
		{"  - {id: a, lines: 1, kind: value, statement: x, values: {}}\n", "values must be a mapping", "VARIANT: NUMBER"},
		{"  - {id: a, lines: 1, kind: opinion, statement: x, setup: {nicRate: fast}}\n", "nicRate must be a rate", "10Gbit/s"},
		{"  - {id: a, lines: 1, kind: opinion, statement: x, setup: {mtu: 3}}\n", "mtu must be a whole number from 68", ""},
		{"  - {id: a, lines: 1, kind: opinion, statement: x, conflicts: [{lines: 3}]}\n", "says is missing", "what stands there"},
	} {
		_, err := Parse("mine.yaml", []byte(head+c.claims), some)
		var problems document.Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v", c.claims, err)
			continue
		}
		p := problems[0]
		if !strings.Contains(p.Message, c.message) || !strings.Contains(p.Hint, c.hint) || p.Line < 5 {
			t.Errorf("%s: %v\nwant %q, %q", c.claims, err, c.message, c.hint)
		}
	}
}

func TestParseHead(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "holds no file of claims",
		"kind: Claims\n":      "apiVersion is missing",
		"a: [\n":              "not valid YAML",
		head + "---\nmore: 1": "second document",
		strings.Replace(head, "2026-05", "May", 1) + "  - {id: a, lines: 1, kind: opinion, statement: x}\n": "date must be",
		strings.Replace(head, "mine", "My File", 1):                                                         "not a valid name",
	} {
		if _, err := Parse("mine.yaml", []byte(text), some); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseTakesNames(t *testing.T) {
	s, err := Parse("mine.yaml", []byte(head+`  - id: row
    lines: 7
    kind: value
    statement: throughput
    unit: Gbit/s
    setup: {mtu: unknown, placement: cross-node}
    values: {flannel: 8.3, host: ~9}
    measure: {scenario: dts, metric: throughput, parameters: {placement: cross-node}}
`), some)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Claims) != 2 || s.Claims[0].ID != "row.flannel" || s.Claims[0].Variants[0] != "flannel-vxlan" || s.Claims[0].Measures[0].Scenario != "tcp-pod-single" {
		t.Errorf("%+v", s.Claims)
	}
	if s.Date != "2026-05" || s.Claims[1].Number.Half != 1 || s.Claims[1].Unit.Base != "bit/s" {
		t.Errorf("%+v", s)
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("../../examples/claims/mine.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(head + "  - {id: a, lines: 1, kind: consistency, statement: x, value: 3, formula: '[a] + 1'}\n"))
	f.Add([]byte(head + "  - &a {id: a, lines: 1, kind: ordering, better: lower, statement: x, evidence: [a, a], setup: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz.yaml", data, some)
		if err != nil {
			return
		}
		l, err := Lint([]Source{s})
		if err != nil {
			return // a reference to another source
		}
		for _, finding := range l.Findings {
			if finding.Detail == "" || finding.Claim == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}
