package claims

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	latency    = result.Metric{Name: "latency-p99", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10}
	memory     = result.Metric{Name: "cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20}
)

// made is a campaign whose figures nobody measured: by cell, variant and metric
// a middle, around which the blocks lie.
type made struct {
	blocks int
	cells  []plan.Cell
	values map[string]map[string]map[result.Metric]float64
	marked string // a variant whose trials are marked
	env    result.Environment
	// imported results have no real blocks.
	imported bool
}

func cellOf(scenario string, parameters parameter.Values) plan.Cell {
	id := scenario
	for _, value := range parameters {
		id += "." + value // one parameter at most in these tests
	}
	return plan.Cell{ID: id, Scenario: scenario, Parameters: parameters}
}

func (m made) results(t testing.TB, variants ...string) Results {
	t.Helper()
	p := plan.Plan{Schema: plan.SchemaVersion, Name: "hand-made", Hash: "sha256:0", Cells: m.cells, Analysis: plan.Analysis{Base: variants[0]}}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	if m.imported {
		p.Imported = &plan.Imported{}
		m.env.Topology = "imported"
	}
	var trials []result.Trial
	for b := range m.blocks {
		block := plan.Block{Index: b + 1, Order: variants}
		for i, v := range variants {
			for _, c := range m.cells {
				trial := result.Trial{Schema: result.SchemaVersion, Block: b + 1, Position: i + 1, Variant: v, Cell: c.ID, Scenario: c.Scenario, Attempt: 1, Status: result.OK}
				for _, metric := range []result.Metric{throughput, latency, memory} {
					if x, ok := m.values[c.ID][v][metric]; ok {
						near := x * (1 + 0.002*float64(b*7%m.blocks) - 0.001*float64((b+i)%3))
						trial.Values = append(trial.Values, result.Value{Metric: metric, Value: near})
					}
				}
				if v == m.marked {
					trial.Marks = []result.Mark{{Name: "cpu-saturated", Detail: "made up"}}
				}
				if len(trial.Values) > 0 {
					trials = append(trials, trial)
				}
			}
		}
		for _, c := range m.cells {
			block.Cells = append(block.Cells, c.ID)
		}
		p.Blocks = append(p.Blocks, block)
	}
	if m.env.Topology == "" {
		m.env.Topology = "lab"
	}
	a, err := analysis.Analyze(p, trials, m.env)
	if err != nil {
		t.Fatal(err)
	}
	return Results{Analysis: a, Environment: m.env}
}

// single is one cell with throughputs in Gbit/s.
func single(blocks int, gbits map[string]float64) made {
	values := map[string]map[result.Metric]float64{}
	for v, x := range gbits {
		values[v] = map[result.Metric]float64{throughput: x * 1e9, latency: 1e-3 / x, memory: x * 10e6}
	}
	c := cellOf("tcp-pod-single", nil)
	return made{blocks: blocks, cells: []plan.Cell{c}, values: map[string]map[string]map[result.Metric]float64{c.ID: values}}
}

// outcome checks a file with one claim, of which head is the rest.
func outcome(t *testing.T, r Results, claim string) Outcome {
	t.Helper()
	s, err := Parse("mine.yaml", []byte(head+"  - {id: a, lines: 1, statement: x, "+claim+"}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check([]Source{s}, r)
	if err != nil {
		t.Fatal(err)
	}
	return c.Outcomes[0]
}

const measureSingle = "measure: {scenario: tcp-pod-single, metric: throughput}"

func TestCheck(t *testing.T) {
	r := single(8, map[string]float64{"host": 20, "fast": 15, "slow": 10, "slower": 9.9}).results(t, "host", "fast", "slow", "slower")
	few := single(3, map[string]float64{"host": 20, "fast": 15, "slow": 10}).results(t, "host", "fast", "slow")
	for _, c := range []struct {
		results Results
		claim   string
		state   State
		why     string
	}{
		// Changes, both ways round, against the base and between others
		{r, "kind: ratio, variant: slow, base: host, change: -50%, " + measureSingle, Confirmed, "the claim allows −51.9 % to −48.0 %"},
		{r, "kind: ratio, variant: host, base: slow, change: +100%, " + measureSingle, Confirmed, ""},
		{r, "kind: ratio, variant: slow, base: fast, change: -33%, " + measureSingle, Confirmed, ""},
		{r, "kind: ratio, variant: fast, base: slow, change: +50%, " + measureSingle, Confirmed, ""},
		{r, "kind: ratio, variant: slow, base: host, change: -38%, " + measureSingle, Contradicted, "−50.0 %"},
		{r, "kind: ratio, variant: slow, base: host, change: -60%..-45%, " + measureSingle, Confirmed, ""},
		{r, "kind: ratio, variant: slow, base: host, change: '<=-40%', " + measureSingle, Confirmed, "less than −40.0 %"},
		{r, "kind: ratio, variant: host, base: slow, change: '>=150%', " + measureSingle, Contradicted, "more than +150.0 %"},
		{few, "kind: ratio, variant: slow, base: host, change: -50%, " + measureSingle, Undecided, "too few values for an interval"},
		// of a metric that is compared by differences
		{r, "kind: ratio, variant: slow, base: host, change: -50%, measure: {scenario: tcp-pod-single, metric: cni-memory}", Confirmed, ""},
		{r, "kind: ratio, variant: slow, base: host, change: -20%, measure: {scenario: tcp-pod-single, metric: cni-memory}", Contradicted, ""},
		// Orders: all pairs, in the metric's direction
		{r, "kind: ordering, better: higher, variants: [host, fast, slow], " + measureSingle, Confirmed, ""},
		{r, "kind: ordering, better: higher, variants: [host, slow, fast], " + measureSingle, Contradicted, "1 of 3 readings"},
		{r, "kind: ordering, better: lower, variants: [host, fast, slow], measure: {scenario: tcp-pod-single, metric: latency-p99}", Confirmed, ""},
		{r, "kind: ordering, better: higher, variants: [slow, slower], " + measureSingle, Contradicted, "the claim allows more than +3.0 %"},
		{r, "kind: ordering, better: higher, variants: [host, fast, absent], " + measureSingle, Undecided, "absent is not in these results"},
		{few, "kind: ordering, better: higher, variants: [host, fast], " + measureSingle, Undecided, ""},
		// Likeness
		{r, "kind: equal, variants: [slow, slower], " + measureSingle, Confirmed, ""},
		{r, "kind: equal, variants: [fast, slow], within: 10%, " + measureSingle, Contradicted, ""},
		{r, "kind: equal, variants: [fast, slow], within: 60%, " + measureSingle, Confirmed, ""},
		// Amounts need conditions
		{r, "kind: value, variant: slow, value: 10, unit: Gbit/s, " + measureSingle, NotComparable, "does not say on what hardware"},
		{r, "kind: value, variant: slow, value: 10, unit: Gbit/s, setup: {hardware: a server}, " + measureSingle, NotComparable, "from a lab"},
		{r, "kind: value, variant: slow, value: 10.0, unit: Gbit/s, setup: {hardware: any}, " + measureSingle, Confirmed, ""},
		{r, "kind: value, variant: slow, value: 12, unit: Gbit/s, setup: {hardware: any}, " + measureSingle, Contradicted, ""},
		{r, "kind: threshold, variant: slow, value: '>=9', unit: Gbit/s, setup: {hardware: any}, " + measureSingle, Confirmed, ""},
		{r, "kind: threshold, variant: slow, value: '>=11', unit: Gbit/s, setup: {hardware: any}, " + measureSingle, Contradicted, ""},
		{r, "kind: threshold, variant: slow, value: '>=9', unit: Gbit/s, setup: {hardware: any, nicRate: 10Gbit/s}, " + measureSingle, NotComparable, "these results do not say their rate of the network cards"},
		{r, "kind: value, variant: slow, value: 10, unit: cores, setup: {hardware: any}, " + measureSingle, NotComparable, "the claim is in cores"},
		{r, "kind: value, variant: slow, value: 10, unit: Gbit/s, when: at night, setup: {hardware: any}, " + measureSingle, NotComparable, "at night"},
		{r, "kind: value, variant: slow, value: 10, unit: Gbit/s, setup: {hardware: any}, measure: {scenario: tcp-pod-single, metric: throughput, perNode: true}", NotComparable, "one node"},
		// What is not there
		{r, "kind: value, variant: absent, value: 10, unit: Gbit/s, " + measureSingle, NotMeasured, "absent is not in these results"},
		{r, "kind: value, variant: slow, value: 10, unit: s, measure: {scenario: http, metric: latency-p99}", NotMeasured, "no cell is http"},
		{r, "kind: value, variant: slow, value: 10, unit: s, measure: {scenario: tcp-pod-single, metric: jitter}", NotMeasured, "no values of jitter"},
		{r, "kind: ratio, variant: slow, base: host, change: 5%, measure: {scenario: tcp-pod-single, metric: throughput, parameters: {placement: same-node}}", NotMeasured, "placement=same-node"},
		{r, "kind: value, value: 10, unit: dollars", NotMeasured, "no scenario measures it"},
		// What needs no results
		{r, "kind: consistency, value: 4, formula: 2 + 2", Consistent, ""},
		{r, "kind: consistency, value: 5, formula: 2 + 2", Inconsistent, "= 4"},
		{r, "kind: opinion", NotTestable, "an opinion"},
		{r, "kind: forecast", NotTestable, "a forecast"},
		{r, "kind: unprinted", NotTestable, "not in the text"},
	} {
		o := outcome(t, c.results, c.claim)
		if o.State != c.state || !strings.Contains(o.Why, c.why) {
			t.Errorf("%s: %s: %s\nwant %s: %s", c.claim, o.State, o.Why, c.state, c.why)
		}
	}
}

func TestCheckAcrossCells(t *testing.T) {
	none, hundred := cellOf("policy-scaling", parameter.Values{"policies": "0"}), cellOf("policy-scaling", parameter.Values{"policies": "100"})
	m := made{blocks: 8, cells: []plan.Cell{none, hundred}, values: map[string]map[string]map[result.Metric]float64{
		none.ID:    {"host": {throughput: 20e9}, "slow": {throughput: 10e9}},
		hundred.ID: {"host": {throughput: 20e9}, "slow": {throughput: 4e9}},
	}}
	across := "measure: {scenario: policy-scaling, metric: throughput, parameters: {policies: 100}, against: {policies: 0}}"
	r := m.results(t, "host", "slow")
	for claim, want := range map[string]State{
		"kind: ratio, variant: slow, change: -60%, " + across:    Confirmed,
		"kind: ratio, variant: slow, change: -9%, " + across:     Contradicted,
		"kind: ratio, variant: host, change: -5%..5%, " + across: Confirmed,
	} {
		if o := outcome(t, r, claim); o.State != want || o.Readings[0].Against != none.ID {
			t.Errorf("%s: %+v", claim, o)
		}
	}
	// Of every plugin where the claim names none; the host is none.
	every := outcome(t, r, "kind: ratio, change: '<=0%', "+across)
	if every.State != Confirmed || len(every.Readings) != 1 || every.Readings[0].Variant != "slow" {
		t.Errorf("%+v", every)
	}
	if o := outcome(t, m.results(t, "host"), "kind: ratio, change: '<=0%', "+across); o.State != NotMeasured || !strings.Contains(o.Why, "no plugin") ||
		!strings.HasPrefix(o.Needs.String(), "variants: any plugin, ") {
		t.Errorf("%+v, %v", o, o.Needs)
	}
	lacking := outcome(t, r, "kind: ratio, variant: slow, change: -60%, measure: {scenario: policy-scaling, metric: throughput, parameters: {policies: 100}, against: {policies: 50}}")
	if lacking.State != NotMeasured || !strings.Contains(lacking.Needs.String(), "{name: policy-scaling, policies: [50, 100]}") {
		t.Errorf("%+v, %v", lacking, lacking.Needs)
	}
}

// A gap between two variants is held against the same gap in another cell.
func TestCheckGap(t *testing.T) {
	few, many := cellOf("service-scaling", parameter.Values{"services": "1"}), cellOf("service-scaling", parameter.Values{"services": "10000"})
	m := made{blocks: 8, cells: []plan.Cell{few, many}, values: map[string]map[string]map[result.Metric]float64{
		few.ID:  {"host": {throughput: 10e9}, "fast": {throughput: 12e9}},
		many.ID: {"host": {throughput: 5e9}, "fast": {throughput: 9e9}},
	}}
	claim := "kind: ratio, variant: fast, base: host, measure: {scenario: service-scaling, metric: throughput, parameters: {services: 10000}, against: {services: 1}}, change: "
	r := m.results(t, "host", "fast")
	for change, want := range map[string]State{"'>=0%'": Confirmed, "+50%": Confirmed, "'<=0%'": Contradicted, "+80%": Contradicted} {
		o := outcome(t, r, claim+change)
		if o.State != want || len(o.Readings) != 1 || o.Readings[0].N != 8 || math.Abs(o.Readings[0].Estimate-0.5) > 0.01 {
			t.Errorf("%s: %+v", change, o)
		}
	}
	if o := outcome(t, r, claim+"+50%"); !strings.Contains(o.Why, "fast against host, and that against service-scaling.1") {
		t.Error(o.Why)
	}
	if o := outcome(t, m.results(t, "host"), claim+"+50%"); o.State != NotMeasured || !strings.Contains(o.Why, "fast is not in these results") {
		t.Errorf("%+v", o)
	}
	m.imported = true
	if o := outcome(t, m.results(t, "host", "fast"), claim+"+50%"); o.State != NotMeasured || !strings.Contains(o.Why, "within blocks") {
		t.Errorf("%+v", o)
	}
	m.imported = false
	for _, c := range m.cells {
		m.values[c.ID]["host"][memory], m.values[c.ID]["fast"][memory] = 0, 10e6
	}
	if o := outcome(t, m.results(t, "host", "fast"), strings.Replace(claim, "throughput", "cni-memory", 1)+"+50%"); o.State != NotMeasured || !strings.Contains(o.Why, "not above 0") {
		t.Errorf("%+v", o)
	}
}

// TestCheckSaysConditions has results from a cluster that is, and is not, what
// the source had.
func TestCheckSaysConditions(t *testing.T) {
	m := single(8, map[string]float64{"host": 20, "cilium-kpr": 10})
	m.env = result.Environment{Topology: "cluster", Variants: map[string]result.Variant{"cilium-kpr": {
		Name: "cilium-kpr", Version: "v1.17.5", LoadNodes: []string{"a", "b"},
		Nodes: []result.Node{
			{Name: "a", MTU: 9000, Facts: result.Facts{Values: map[string]string{"uplink.speed": "40000 Mbit/s", "cpu.model": "AMD EPYC 7262 8-Core"}}},
			{Name: "b", MTU: 9000, Facts: result.Facts{Values: map[string]string{"uplink.speed": "40000 Mbit/s"}}},
		},
	}}}
	r := m.results(t, "host", "cilium-kpr")
	for setup, want := range map[string]string{
		"hardware: servers, cpu: EPYC 7262, nicRate: 40Gbit/s, mtu: 9000, versions: {cilium: '1.17'}": "",
		"hardware: servers, cpu: EPYC 7262, nicRate: 10Gbit/s":                                        "network cards of 10 Gbit/s, these results 40 Gbit/s",
		"hardware: servers, cpu: EPYC 7262, mtu: 1500":                                                "an MTU of 1500, these results one of 9000",
		"hardware: servers, cpu: Xeon":                                                                "the source has Xeon, these results AMD EPYC",
		"hardware: servers, instance: m6i.4xlarge":                                                    "these results do not say their type of instance",
		"hardware: servers": "nothing says that these results are from servers",
		"hardware: servers, cpu: EPYC 7262, versions: {cilium: '1.1'}": "cilium-kpr 1.1, these results v1.17.5",
	} {
		o := outcome(t, r, "kind: value, variant: cilium-kpr, value: 10.0, unit: Gbit/s, setup: {"+setup+"}, "+measureSingle)
		state := NotComparable
		if want == "" {
			state = Confirmed
		}
		if o.State != state || !strings.Contains(o.Why, want) {
			t.Errorf("%s: %s: %s", setup, o.State, o.Why)
		}
		o = outcome(t, r, "kind: ratio, variant: cilium-kpr, base: host, change: -50%, setup: {"+setup+"}, "+measureSingle)
		if o.State != Confirmed || !strings.Contains(strings.Join(o.Doubts, "; "), want) {
			t.Errorf("ratio, %s: %s: %q", setup, o.State, o.Doubts)
		}
	}
}

func TestCheckNamesMarks(t *testing.T) {
	m := single(8, map[string]float64{"host": 20, "slow": 10})
	m.marked = "slow"
	o := outcome(t, m.results(t, "host", "slow"), "kind: ordering, better: higher, variants: [host, slow], setup: {hardware: any}, "+measureSingle)
	if o.State != Confirmed || strings.Join(o.Doubts, "; ") != "tcp-pod-single slow: 8 of 8 trials cpu-saturated" {
		t.Errorf("%s %q", o.State, o.Doubts)
	}
}

// TestCheckTakesEveryVariantOfAnEntry has two versions of one plugin: what one
// of them contradicts is not so.
func TestCheckTakesEveryVariantOfAnEntry(t *testing.T) {
	r := single(8, map[string]float64{"host": 20, "old": 15, "new": 10}).results(t, "host", "old", "new")
	r.Analysis.Variants[1].Entry, r.Analysis.Variants[2].Entry = "cilium-kpr", "cilium-kpr"
	r.Analysis.Variants[2].Values = "sha256:1"
	claim := "kind: ratio, variant: cilium-kpr, base: host, setup: {hardware: any}, " + measureSingle + ", change: "
	o := outcome(t, r, claim+"-25%")
	if o.State != Contradicted || len(o.Readings) != 2 || o.Readings[0].State != Confirmed || !strings.Contains(o.Why, "1 of 2 readings") {
		t.Errorf("%+v", o)
	}
	if strings.Join(o.Doubts, "; ") != "new has values of your own" {
		t.Errorf("%q", o.Doubts)
	}
	if o := outcome(t, r, claim+"-52%..-22%"); o.State != Confirmed || len(o.Readings) != 2 {
		t.Errorf("%+v", o)
	}
}

// TestCheckImported compares independent samples, under the names of others.
func TestCheckImported(t *testing.T) {
	m := single(6, map[string]float64{"baremetal": 20, "flannel": 10})
	m.imported = true
	r := m.results(t, "baremetal", "flannel")
	r.Known = some
	for claim, want := range map[string]State{
		"kind: ratio, variant: flannel-vxlan, base: host, change: -50%, " + measureSingle:                                                      Confirmed,
		"kind: ratio, variant: flannel-vxlan, base: host, change: -20%, measure: {scenario: tcp-pod-single, metric: cni-memory}":               Contradicted,
		"kind: ordering, better: higher, variants: [host, flannel-vxlan], " + measureSingle:                                                    Confirmed,
		"kind: value, variant: flannel-vxlan, value: 10.0, unit: Gbit/s, setup: {hardware: any, mtu: 1500}, " + measureSingle:                  NotComparable,
		"kind: ratio, variant: flannel-vxlan, base: host, change: -50%, " + strings.Replace(measureSingle, "}", ", parameters: {size: 1}}", 1): Confirmed,
	} {
		o := outcome(t, r, claim)
		if o.State != want {
			t.Errorf("%s: %s: %s", claim, o.State, o.Why)
		}
		if strings.Contains(claim, "parameters") && !strings.Contains(strings.Join(o.Doubts, "; "), "do not say the parameter size") {
			t.Errorf("%q", o.Doubts)
		}
	}
}

// Every published claim gets a state against any results, without an infinite
// number, and the same bytes again.
func TestCheckPublished(t *testing.T) {
	r := single(8, map[string]float64{"host": 20, "flannel-vxlan": 15, "cilium-kpr": 18}).results(t, "host", "flannel-vxlan", "cilium-kpr")
	c, err := Check(publishedSources(t), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Outcomes {
		if o.State == "" || o.Why == "" {
			t.Errorf("%s: %q, %q", o.Name(), o.State, o.Why)
		}
		for _, reading := range o.Readings {
			if math.IsNaN(reading.Estimate) || math.IsInf(reading.Estimate, 0) {
				t.Errorf("%s: %+v", o.Name(), reading)
			}
		}
	}
	var first, second, data, markdown bytes.Buffer
	again, err := Check(publishedSources(t), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{Text(&first, c), Text(&second, again), JSON(&data, c), Markdown(&markdown, c)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same results give another text")
	}
	if !json.Valid(data.Bytes()) {
		t.Error("not JSON")
	}
	golden(t, "check.txt", first.Bytes())
	golden(t, "check.md", markdown.Bytes())
}

func TestWritersAreSafe(t *testing.T) {
	s, err := Parse("mine.yaml", []byte(head+`  - {id: a, lines: 1, kind: consistency, statement: "<script>|\u001b[31m`+strings.Repeat("x", 300)+`", conflicts: [{lines: 2, says: "a\nb `+"`"+`c"}]}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check([]Source{s}, single(8, map[string]float64{"host": 20}).results(t, "host"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := Lint([]Source{s})
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown bytes.Buffer
	for _, err := range []error{Text(&text, c), LintText(&text, l), List(&text, []Source{s}), Show(&text, Named{s, s.Claims[0]}, l), Markdown(&markdown, c), LintMarkdown(&markdown, l)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsRune(text.String()+markdown.String(), 0x1b) {
		t.Error("an escape sequence reaches the terminal")
	}
	if strings.Contains(markdown.String(), "<script>") || strings.Contains(markdown.String(), "<script>|") {
		t.Errorf("Markdown has HTML: %s", markdown.String())
	}
}
