package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// rendered is a page as a browser reads it.
type rendered struct {
	text string
	root *html.Node
}

func render(t *testing.T, s Source) rendered {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, s); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return rendered{b.String(), root}
}

// all lists the elements of a name, in the order of the page.
func (r rendered) all(name string) []*html.Node {
	var list []*html.Node
	for n := range r.root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			list = append(list, n)
		}
	}
	return list
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func wordsOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// check holds a page to what every page owes its readers.
func (r rendered) check(t *testing.T) {
	t.Helper()
	ids := map[string]int{}
	level := 0
	for n := range r.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			next := int(n.Data[1] - '0')
			if next > level+1 {
				t.Errorf("heading %q is of level %d and follows one of level %d", wordsOf(n), next, level)
			}
			level = next
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %q is there %d times", id, n)
		}
	}
	for _, a := range append(r.all("a"), r.all("use")...) {
		if ref := strings.TrimPrefix(attribute(a, "href"), "#"); ids[ref] == 0 {
			t.Errorf("#%s leads nowhere", ref)
		}
	}
	for _, table := range r.all("table") {
		if table.FirstChild.NextSibling.Data != "caption" {
			t.Error("a table has no caption")
		}
	}
	for _, th := range r.all("th") {
		if attribute(th, "scope") == "" {
			t.Errorf("the head %q has no scope", wordsOf(th))
		}
	}
	r.checkValues(t)
}

// checkValues follows every key to the values it names.
func (r rendered) checkValues(t *testing.T) {
	t.Helper()
	values := r.values(t)
	for n := range r.root.Descendants() {
		key := attribute(n, "data-k")
		if key == "" {
			continue
		}
		var c, m, v int
		if _, err := fmt.Sscanf(key, "%d.%d.%d", &c, &m, &v); err != nil {
			t.Fatal(err)
		}
		if c >= len(values.Cells) || m >= len(values.Cells[c].Metrics) || v >= len(values.Variants) {
			t.Fatalf("the key %s has no values", key)
		}
		if name := attribute(n, "data-v"); name != "" && name != values.Variants[v] {
			t.Errorf("the key %s of %q leads to %q", key, name, values.Variants[v])
		}
	}
}

func (r rendered) values(t *testing.T) pageValues {
	t.Helper()
	var v pageValues
	for _, script := range r.all("script") {
		if attribute(script, "id") == "values" {
			if err := json.Unmarshal([]byte(script.FirstChild.Data), &v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

// fields lists what the matrix says, row by row.
func (r rendered) fields() []string {
	var list []string
	for _, td := range r.all("td") {
		if attribute(td, "role") == "cell" {
			list = append(list, wordsOf(td))
		}
	}
	return list
}

func TestPageOfTheSyntheticCampaign(t *testing.T) {
	a, env, series := synthetic(t)
	raw := result.RawPath(result.Key{Block: 1, Variant: "host", Cell: "tcp-pod-single"}, 1)
	page := render(t, Source{Analysis: a, Environment: env, Series: series, Campaign: []byte("kind: Campaign # <&>\n"), Commands: map[string]string{raw: "iperf3 -c 198.18.0.12"}})
	page.check(t)
	want := []string{
		"base: 22.59 Gbit/s 21.99 – 23.15", "worse: −20.1 % −22.8 to −18.6 %", "worse: −11.7 % −14.4 to −8.7 %",
		"base: 23.01 Gbit/s 22.15 – 23.21", "worse: −23.3 % −24.7 to −22.5 %", "inconclusive: −5.5 % −9.1 to −2.4 %",
	}
	got := page.fields()
	if !slices.Equal(got, want) {
		t.Errorf("the matrix says %q", got)
	}
	values := page.values(t)
	if cell := values.Cells[0]; values.Commands[cell.Commands[0][1]] != "iperf3 -c 198.18.0.12" {
		t.Errorf("the first trial's command is %v of %q", cell.Commands[0], values.Commands)
	}
	if again := values.Cells[0].Attempts[slices.Index(values.Variants, "flannel-vxlan")]; !slices.Equal(again, []int{6, 2}) {
		t.Errorf("attempts of flannel-vxlan: %v, want block 6 at its second", again)
	}
	for _, m := range a.Cells[0].Metrics {
		if m.Folded() {
			continue
		}
		i := slices.IndexFunc(values.Cells[0].Metrics, func(v metricValues) bool { return v.Name == m.Name })
		for v, arm := range m.Arms {
			var want []float64
			var blocks []int
			for _, s := range arm.Samples {
				want, blocks = append(want, s.Value), append(blocks, s.Block)
			}
			got := values.Cells[0].Metrics[i]
			if !slices.Equal(got.Values[v], want) {
				t.Errorf("%s of %s: %v, want %v", m.Name, arm.Variant, got.Values[v], want)
			}
			if said, ok := got.Blocks[v]; ok && !slices.Equal(said, blocks) || !ok && len(blocks) > 0 && blocks[len(blocks)-1] != len(blocks) {
				t.Errorf("%s of %s are of blocks %v, want %v", m.Name, arm.Variant, said, blocks)
			}
		}
	}
}

// everything are pages that have, between them, all that a page can show.
func everything(t *testing.T) map[string]Source {
	t.Helper()
	a, env, series := synthetic(t)
	factsOfTwo(env)
	r := syntheticRankings(t, a)
	return map[string]Source{
		"synthetic": {
			Analysis: a, Environment: env, Series: series, Campaign: []byte("apiVersion: cnibench.io/v1alpha1\nkind: Campaign\n"),
			Rankings: r.Rankings, Decision: r.Decision, Costs: syntheticCosts(t), Claims: syntheticClaims(t),
		},
		"latencies": withLatencies(t, true), "swept": sweptSource(t), "nodes": betweenNodes(t, tenNodes()...),
	}
}

func TestPageOfEverything(t *testing.T) {
	for name, source := range everything(t) {
		t.Run(name, func(t *testing.T) { render(t, source).check(t) })
	}
}

// campaignOf measures so many variants in so many blocks as planned, and
// changes each trial before it is journaled.
func campaignOf(t *testing.T, variants, blocks int, change func(*result.Trial)) Source {
	t.Helper()
	p := syntheticPlan(syntheticVariants[:variants], blocks)
	return analysed(t, p, change)
}

func analysed(t *testing.T, p plan.Plan, change func(*result.Trial)) Source {
	t.Helper()
	_, all := syntheticCampaign(syntheticVariants[:len(p.Variants)], len(p.Blocks))
	var trials []result.Trial
	for _, trial := range all {
		trial.Values = slices.Clone(trial.Values) // attempts share them
		if change(&trial); trial.Block > 0 {
			trials = append(trials, trial)
		}
	}
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Analysis: a, Environment: env}
}

func fail(trial *result.Trial, status result.Status, reason string) {
	trial.Status, trial.Reason, trial.Values, trial.Marks, trial.Missing = status, reason, nil, nil, nil
}

// Whatever a campaign is like, its page has a matrix that says what is known,
// and never a verdict on what is not.
func TestPageOfOddCampaigns(t *testing.T) {
	nothing := func(*result.Trial) {}
	tests := []struct {
		name             string
		variants, blocks int
		change           func(*result.Trial)
		field            string // that the matrix must have
		never            string // what no field may begin with
		says             string // in the page
	}{
		{"one variant", 1, 8, nothing, "base: 22", "worse", "There is one variant only"},
		{"one block", 3, 1, nothing, "inconclusive: ", "worse", "no interval"},
		{"all trials failed", 3, 8, func(r *result.Trial) { fail(r, result.Failed, `exit status 1: <b>"no route"</b>`) }, "failed: failed", "inconclusive", "No trial of this cell has a result"},
		{"the base failed", 3, 8, func(r *result.Trial) {
			if r.Variant == "host" {
				fail(r, result.Failed, "server pod was not ready")
			}
		}, "unmeasured: not comparable", "worse", "cannot be compared with host"},
		{"a variant cannot do it", 3, 8, nothingOf("flannel-vxlan"), "unsupported: unsupported", "missing", `title="there is no IPv6 here"`},
		{"half of it is measured", 3, 8, func(r *result.Trial) {
			if r.Block > 4 {
				r.Block = 0
			}
		}, "inconclusive: ", "worse", "missing"},
		{"one value", 3, 8, func(r *result.Trial) {
			if r.Block > 1 || r.Variant == "flannel-vxlan" {
				fail(r, result.Failed, "killed")
			}
		}, "failed: failed", "worse", "1 of 8 trials"},
		{"tiny and huge", 3, 8, func(r *result.Trial) {
			for i := range r.Values {
				switch r.Values[i].Name {
				case "throughput":
					r.Values[i].Value *= 1e9
				case "rtt":
					r.Values[i].Value *= 1e-9
				}
			}
		}, "base: 2", "failed", "Ebit/s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := render(t, campaignOf(t, test.variants, test.blocks, test.change))
			page.check(t)
			fields := page.fields()
			if len(fields) != 2*test.variants {
				t.Fatalf("%d fields of 2 cells and %d variants: %q", len(fields), test.variants, fields)
			}
			if !slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, test.field) }) {
				t.Errorf("no field says %q: %q", test.field, fields)
			}
			if slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, test.never) }) {
				t.Errorf("a field says %q: %q", test.never, fields)
			}
			if !strings.Contains(page.text, test.says) {
				t.Errorf("the page does not say %q", test.says)
			}
		})
	}
}

// A page stands whatever things are called: names are shown whole, and what
// cannot stand in an address is called by its number there.
func TestPageOfOddNames(t *testing.T) {
	for _, name := range []string{
		`<script>alert("1")</script>`, "🚀 rocket 🐧", "two\nlines", strings.Repeat("x", 200), `a"b'c&d</style>`, "per cent %41 #hash?", "{{.}}", "~1",
	} {
		t.Run(strconv.Quote(name), func(t *testing.T) {
			s := campaignOf(t, 3, 8, func(*result.Trial) {})
			a := &s.Analysis
			a.Plan.Name = name
			rename := func(field *string) {
				if *field == "flannel-vxlan" {
					*field = name
				}
			}
			rename(&a.Plan.Variants[2].Name)
			a.Cells[0].ID = name
			for i := range a.Cells {
				for j := range a.Cells[i].Metrics {
					m := &a.Cells[i].Metrics[j]
					rename(&m.Arms[2].Variant)
					for k := range m.Comparisons {
						rename(&m.Comparisons[k].A)
						rename(&m.Comparisons[k].B)
					}
				}
			}
			page := render(t, s)
			page.check(t)
			if values := page.values(t); values.Variants[2] != name || values.Cells[0].ID != name {
				t.Errorf("the values call it %q and %q", values.Variants[2], values.Cells[0].ID)
			}
			if h1 := page.all("h1")[0].FirstChild.Data; h1 != name {
				t.Errorf("the title is %q", h1)
			}
		})
	}
}

// nothingOf makes a variant fail in every trial.
func nothingOf(variant string) func(*result.Trial) {
	return func(r *result.Trial) {
		if r.Variant == variant {
			fail(r, result.Unsupported, "there is no IPv6 here")
		}
	}
}
