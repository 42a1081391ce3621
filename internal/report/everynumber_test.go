package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// left names what of the page has no number that is data, by an attribute and
// one word of its value; with an empty word by the attribute alone; with an
// element, such elements inside. A section that explains itself with numbers
// says so by data-explains.
var left = []struct{ attribute, word, element, why string }{
	{"class", "axis", "", "labels of ticks are a scale"},
	{"class", "ends", "", "labels of ticks are a scale"},
	{"class", "xy", "text", "labels of ticks are a scale, and names stand elsewhere, too"},
	{"class", "time", "", "labels of ticks are a scale"},
	{"class", "lead", "", "says how to read what follows"},
	{"id", "conclusions", "", "says what the method allows, in constants of its own"},
	{"data-explains", "", "", "says so itself"},
}

// scales are how the page writes units; beyond those of steps.
var scales = map[string]map[string]float64{
	"bit/s":   {"Tbit/s": 1e12, "Gbit/s": 1e9, "Mbit/s": 1e6, "kbit/s": 1e3, "bit/s": 1},
	"s":       {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9},
	"bytes":   {"TiB": 1 << 40, "GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "bytes": 1},
	"cores":   {"cores": 1, "mCPU": 1e-3},
	"percent": {"%": 1},
}

// TestEveryNumberOfThePageIsInJSON takes every number that a reader of the
// page sees or hears (text, tables, titles and descriptions of figures) and
// wants it among the values of the JSON report, rounded as the page rounds it
// and in a unit that stands near it. Words with digits, such as versions,
// addresses and names, have to be in one of its texts.
func TestEveryNumberOfThePageIsInJSON(t *testing.T) {
	a, env, series := synthetic(t)
	command := map[string]string{"raw/1/host/tcp-pod-single/1": "iperf3 -c 198.18.0.12 -t 12"}
	s := Source{Analysis: a, Environment: env, Series: series, Campaign: []byte("kind: Campaign # of 2026\n"), Commands: command}
	seen, precise, fooled := compareNumbers(t, s)
	t.Logf("%d numbers and words with digits; of %d with decimals, %d would be found if they were wrong by 7 in the last digit", seen, precise, fooled)
	// A search that finds everything would show nothing.
	if seen < 1000 || precise < 300 || 3*fooled > precise {
		t.Errorf("the test looks at %d numbers, %d with decimals, and would miss %d of these", seen, precise, fooled)
	}
	compareNumbers(t, Source{Analysis: adaptiveCampaign(t)})
	none, err := analysis.Analyze(syntheticPlan(syntheticVariants, 10), nil, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	compareNumbers(t, Source{Analysis: none})
	compareNumbers(t, Source{Analysis: a, Costs: syntheticCosts(t)})
	compareNumbers(t, Source{Analysis: a, Claims: syntheticClaims(t)})
	choice := syntheticRankings(t, a)
	compareNumbers(t, Source{Analysis: a, Environment: env, Rankings: choice.Rankings, Decision: choice.Decision})
	compareNumbers(t, withLatencies(t, true))
	compareNumbers(t, withLatencies(t, false))
	compareNumbers(t, sweptSource(t))
	compareNumbers(t, betweenNodes(t, tenNodes()...))
}

// withLatencies is a campaign whose trials have percentiles as metrics, which
// nobody measured, and whole distributions.
func withLatencies(t *testing.T, whole bool) Source {
	t.Helper()
	p, trials := syntheticCampaign(syntheticVariants[:3], 8)
	s := Source{Environment: syntheticEnvironment(p)}
	for i, trial := range trials {
		if trial.Status != result.OK {
			continue
		}
		d := Distribution{Cell: trial.Cell, Variant: trial.Variant, Block: trial.Block, Requests: int64(20_000 + i)}
		for _, q := range []struct {
			name     string
			quantile float64
		}{{"latency-p50", 0.5}, {"latency-p90", 0.9}, {"latency-p99", 0.99}, {"latency-p999", 0.999}} {
			at := (1 + q.quantile*q.quantile) * (40e-6 + 1e-6*float64(i%7)) / (1.1 - q.quantile)
			trials[i].Values = append(trials[i].Values, result.Value{
				Metric: result.Metric{Name: q.name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.1}, Value: at,
			})
			d.Percentiles = append(d.Percentiles, Percentile{q.quantile, at * 1.001})
		}
		if whole {
			s.Distributions = append(s.Distributions, d)
		}
	}
	var err error
	if s.Analysis, err = analysis.Analyze(p, trials, s.Environment); err != nil {
		t.Fatal(err)
	}
	return s
}

// compareNumbers counts what it looks at, numbers with decimals, and those of
// them that it would find if they were wrong.
func compareNumbers(t *testing.T, s Source) (seen, precise, fooled int) {
	t.Helper()
	var page, document bytes.Buffer
	if err := HTML(&page, s); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&document, s); err != nil {
		t.Fatal(err)
	}
	known := readNumbers(t, document.Bytes())
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	visit(root, func(n *html.Node, text string) {
		for _, word := range words(text) {
			number, isNumber := parseNumber(word)
			seen++
			switch {
			case !isNumber && !strings.Contains(known.texts, word):
				t.Errorf("%s: %q of %q is in no text of the JSON report", place(n), word, strings.TrimSpace(text))
			case isNumber && !known.has(number, unitsNear(n, text, known)):
				t.Errorf("%s: %s of %q is no value of the JSON report: add it to Document, or explain in left why it is no data", place(n), word, strings.TrimSpace(text))
			}
			if isNumber && number.decimals > 0 && number.value >= 1 {
				precise++
				number.value += 7 * math.Pow10(-number.decimals)
				if known.has(number, unitsNear(n, text, known)) {
					fooled++
				}
			}
		}
	})
	return seen, precise, fooled
}

// visit calls for every text that is shown or read aloud.
func visit(n *html.Node, call func(*html.Node, string)) {
	if n.Type == html.ElementNode {
		if n.Data == "style" || n.Data == "script" {
			return
		}
		if leftOut(n) {
			return
		}
		for _, a := range n.Attr {
			if a.Key == "aria-label" || a.Key == "title" || a.Key == "alt" {
				call(n, a.Val)
			}
		}
	}
	if n.Type == html.TextNode {
		call(n.Parent, n.Data)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		visit(c, call)
	}
}

// leftOut tells whether a rule of left is about the element.
func leftOut(n *html.Node) bool {
	for _, l := range left {
		at := n
		if l.element != "" {
			if n.Data != l.element {
				continue
			}
			at = n.Parent
		}
		for ; at != nil; at = at.Parent {
			for _, a := range at.Attr {
				if a.Key == l.attribute && (l.word == "" || slices.Contains(strings.Fields(a.Val), l.word)) {
					return true
				}
			}
			if l.element == "" {
				break
			}
		}
	}
	return false
}

var (
	grouped = regexp.MustCompile(`(\d),(\d{3})`) // of thousands, in amounts of money
	between = regexp.MustCompile(`[\s\x{a0},;()\[\]"“”→·]+|–|\.\s|:\s|\.$|:$`)
	sign    = regexp.MustCompile(`^[-−+±≤≥<>~#]+`)
)

// words lists what of a text has a digit.
func words(text string) []string {
	var list []string
	for _, w := range between.Split(grouped.ReplaceAllString(strings.TrimSpace(text), "$1$2"), -1) {
		w = strings.TrimRight(sign.ReplaceAllString(w, ""), ".:'%")
		if strings.ContainsAny(w, "0123456789") {
			list = append(list, w)
		}
	}
	return list
}

// shownNumber is a number as it stands on the page, without its sign: words
// such as "less" may stand for that.
type shownNumber struct {
	value    float64
	decimals int
}

func parseNumber(word string) (shownNumber, bool) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(v, 0) || strings.HasPrefix(word, "0x") {
		return shownNumber{}, false
	}
	_, fraction, _ := strings.Cut(word, ".")
	return shownNumber{v, len(fraction)}, true
}

// knownNumbers are the values of the JSON report, without their signs.
type knownNumbers struct {
	of        map[string][]float64 // by unit; "" outside of every metric
	all       []float64
	fractions []float64 // what may be written in per cent
	texts     string
}

// absolute are the names of values that have their metric's unit and are never
// a fraction.
var absolute = []string{"value", "a", "b", "difference", "median", "mean", "sd", "min", "max"}

func readNumbers(t *testing.T, document []byte) knownNumbers {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	k := knownNumbers{of: map[string][]float64{}}
	var texts strings.Builder
	k.collect(v, "", "", &texts)
	k.texts = texts.String()
	slices.Sort(k.all)
	slices.Sort(k.fractions)
	for _, list := range k.of {
		slices.Sort(list)
	}
	return k
}

func (k *knownNumbers) collect(v any, name, unit string, texts *strings.Builder) {
	add := func(x float64, unit string) {
		k.of[unit] = append(k.of[unit], math.Abs(x))
		k.all = append(k.all, math.Abs(x))
		if unit == "" || !slices.Contains(absolute, name) {
			k.fractions = append(k.fractions, math.Abs(x))
		}
		if name == "alpha" { // written as the confidence that it leaves
			k.fractions = append(k.fractions, 1-x)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if own, ok := v["unit"].(string); ok {
			unit = own
		}
		for name, value := range v {
			texts.WriteString(name + "\n")
			k.collect(value, name, unit, texts)
		}
	case []any:
		for _, value := range v {
			k.collect(value, name, unit, texts)
		}
	case float64:
		add(v, unit)
	case string:
		texts.WriteString(v + "\n")
		for _, w := range words(v) {
			if n, ok := parseNumber(w); ok {
				add(n.value, "")
			}
		}
	}
}

// has tells whether a value is written as the number in one of the units, or,
// if it is whole, is a count.
func (k knownNumbers) has(n shownNumber, units []string) bool {
	if n.decimals == 0 && among(k.all, n, 1) || among(k.of[""], n, 1) {
		return true
	}
	for _, shown := range units {
		if shown == "%" && among(k.fractions, n, 0.01) {
			return true
		}
		if among(k.of[shown], n, 1) {
			return true
		}
		for unit, names := range scales {
			if factor, ok := names[shown]; ok && (among(k.of[unit], n, factor) || among(k.of[""], n, factor)) {
				return true
			}
		}
	}
	return false
}

// among looks for a value that is written as n when it is divided by factor.
func among(sorted []float64, n shownNumber, factor float64) bool {
	half := 0.5*math.Pow10(-n.decimals) + 1e-9*math.Max(1, n.value)
	i, _ := slices.BinarySearch(sorted, (n.value-half)*factor)
	return i < len(sorted) && sorted[i] <= (n.value+half)*factor
}

// unitsNear lists the units in the smallest element around a number that has
// any. A per cent sign may belong to its neighbour in a row, whose units are in
// a head: then these count, too.
func unitsNear(n *html.Node, text string, k knownNumbers) []string {
	var found []string
	for {
		for unit := range k.of {
			if unit != "" && hasWord(text, unit) {
				found = append(found, unit)
			}
		}
		for _, names := range scales {
			for name := range names {
				if hasWord(text, name) && !slices.Contains(found, name) {
					found = append(found, name)
				}
			}
		}
		if n == nil || slices.ContainsFunc(found, func(unit string) bool { return unit != "%" }) {
			return found
		}
		text, n = shownText(n), n.Parent
	}
}

func hasWord(text, word string) bool {
	for rest := text; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(word):]
		if (before == "" || !strings.ContainsAny(before[len(before)-1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-/")) &&
			(after == "" || !strings.ContainsAny(after[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-/")) {
			return true
		}
		rest = rest[i+len(word):]
	}
}

func shownText(n *html.Node) string {
	var b strings.Builder
	visit(n, func(_ *html.Node, text string) { b.WriteString(text + " ") })
	return b.String()
}

// place says where on the page something stands.
func place(n *html.Node) string {
	var parts []string
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		part := n.Data
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				part += "#" + a.Val
			case "class":
				part += "." + strings.ReplaceAll(a.Val, " ", ".")
			}
		}
		parts = append([]string{part}, parts...)
	}
	return strings.Join(parts, " ")
}

// What the document has besides the analysis adds up.
func TestDocumentAddsUp(t *testing.T) {
	a, env, series := synthetic(t)
	d, err := NewDocument(Source{Analysis: a, Environment: env, Series: series})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Tally; got != (Tally{Worse: 3, Inconclusive: 1}) {
		t.Errorf("tally %+v", got)
	}
	if d.Size != (Size{3, 2, 8}) || d.Rules != (Rules{0.95, 0.025, 6}) || d.Environment == nil || d.Environment.Machine.Cores != 2 {
		t.Errorf("%+v, %+v, environment %v", d.Size, d.Rules, d.Environment)
	}
	if len(d.Parts) != 2 || d.Parts[0].Group != result.CPUByMode || len(d.Parts[0].Variants) != 3 {
		t.Fatalf("parts %+v", d.Parts)
	}
	for _, v := range d.Parts[0].Variants {
		sum, share := 0.0, 0.0
		for _, p := range v.Parts {
			sum, share = sum+p.Median, share+p.Share
		}
		if len(v.Parts) != 3 || math.Abs(sum-v.Sum) > 1e-12 || math.Abs(share-1) > 1e-12 {
			t.Errorf("%s: %+v", v.Variant, v)
		}
	}
	attempts := 0
	for _, l := range d.Losses {
		attempts += l.Attempts
	}
	if attempts != len(a.Dropped)+len(a.Missing) {
		t.Errorf("%d attempts are lost, want %d", attempts, len(a.Dropped)+len(a.Missing))
	}
	if got := fmt.Sprint(d.Series); got != "[{tcp-pod-single host 8} {tcp-pod-single flannel-vxlan 8} {tcp-pod-single cilium-kpr 7} {tcp-pod-multi.streams=8 host 8} {tcp-pod-multi.streams=8 flannel-vxlan 8} {tcp-pod-multi.streams=8 cilium-kpr 7}]" {
		t.Errorf("series %s", got)
	}
	if len(d.Groups) != 2 || d.Groups[0].Metric != "throughput" || len(d.Groups[0].Members) != 3 {
		t.Errorf("groups %+v", d.Groups)
	}
	if none, err := NewDocument(Source{Analysis: a}); err != nil || none.Environment != nil || len(none.Series) != 0 {
		t.Errorf("an environment or series that nobody has: %+v", none.Environment)
	}
}
