package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/document"
)

// Entry is one plugin's figures in the file that the published calculator
// reads.
type Entry struct {
	Name       string
	Version    string
	Latency    float64 // 99th percentile in µs
	Throughput float64 // Gbit/s of a node
	CPU        float64 // % of a node
	Memory     float64 // MiB of a node; the calculator calls them MB and divides by 1024
	Nodes      int
}

// Title names the plugin with its version.
func (e Entry) Title() string { return strings.TrimSpace(e.Name + " " + e.Version) }

// entryFields are the seven fields of an entry.
var entryFields = []string{"name", "version", "p99_latency_us", "throughput_gbps", "cpu_percent", "memory_mb", "node_count"}

// ParseEntries reads the calculator's input: a JSON array of objects with seven
// fields each. The error is of type document.Problems: it names every bad entry
// and field with its line.
func ParseEntries(file string, data []byte) ([]Entry, error) {
	r := &entryReader{file: file, data: data}
	entries := r.read()
	if len(r.problems) > 0 {
		return nil, r.problems.InOrder()
	}
	return entries, nil
}

type entryReader struct {
	file     string
	data     []byte
	dec      *json.Decoder
	problems document.Problems
}

func (r *entryReader) report(offset int64, message, hint string) {
	before := r.data[:min(max(0, int(offset)), len(r.data))]
	r.problems = append(r.problems, document.Problem{
		File: r.file, Line: 1 + bytes.Count(before, []byte("\n")), Message: message, Hint: hint,
	})
}

const entriesHint = `write an array of objects: [{"name": "flannel", "version": "0.25.0", "p99_latency_us": 312, "throughput_gbps": 28.4, "cpu_percent": 5.1, "memory_mb": 120, "node_count": 500}]`

func (r *entryReader) read() []Entry {
	var raw json.RawMessage // numbers of any size are looked at where they stand
	if err := json.Unmarshal(r.data, &raw); err != nil {
		offset := int64(len(bytes.TrimRight(r.data, " \t\r\n")))
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && syntax.Offset < offset {
			offset = syntax.Offset
		}
		r.report(offset, "not valid JSON: "+err.Error(), entriesHint)
		return nil
	}
	r.dec = json.NewDecoder(bytes.NewReader(r.data))
	r.dec.UseNumber()
	if r.data[r.begin()] != '[' {
		token, nested := r.value()
		if nested == "" {
			nested = describe(token)
		}
		r.report(0, "the file must hold an array, not "+nested, entriesHint)
		return nil
	}
	r.next() // [
	if !r.dec.More() {
		r.report(0, "the array is empty", entriesHint)
		return nil
	}
	var entries []Entry
	titles := map[string]int{}
	for i := 1; r.dec.More(); i++ {
		start := r.begin()
		e, ok := r.entry(i)
		if !ok {
			continue
		}
		if first, again := titles[e.Title()]; again {
			r.report(start, fmt.Sprintf("entry %d (%s) has the name and version of entry %d", i, e.Title(), first), "give every entry a name or a version of its own")
		}
		titles[e.Title()] = i
		entries = append(entries, e)
	}
	return entries
}

// next reads a token of what is known to be valid.
func (r *entryReader) next() json.Token {
	token, _ := r.dec.Token()
	return token
}

// begin is where the next token starts.
func (r *entryReader) begin() int64 {
	at := r.dec.InputOffset()
	for int(at) < len(r.data) && strings.ContainsRune(" \t\r\n,:", rune(r.data[at])) {
		at++
	}
	return at
}

// value reads a whole value; those of several tokens are skipped and described.
func (r *entryReader) value() (token json.Token, nested string) {
	token = r.next()
	delim, ok := token.(json.Delim)
	if !ok {
		return token, ""
	}
	nested = map[json.Delim]string{'{': "an object", '[': "an array"}[delim]
	for depth := 1; depth > 0; {
		switch r.next() {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil, nested
}

// entry reads one element of the array.
func (r *entryReader) entry(i int) (Entry, bool) {
	var e Entry
	start := r.begin()
	if r.data[start] != '{' {
		token, nested := r.value()
		if nested == "" {
			nested = describe(token)
		}
		r.report(start, fmt.Sprintf("entry %d must be an object, not %s", i, nested), entriesHint)
		return e, false
	}
	r.next() // {
	before := len(r.problems)
	seen := map[string]bool{}
	for r.dec.More() {
		at := r.begin()
		key, _ := r.next().(string)
		if seen[key] {
			r.report(at, fmt.Sprintf("entry %d%s has %s twice", i, named(e), key), "remove one of the two")
		}
		seen[key] = true
		r.field(&e, i, key, at, seen)
	}
	r.next() // }
	for _, f := range entryFields {
		if !seen[f] {
			r.report(start, fmt.Sprintf("entry %d%s lacks %s", i, named(e), f), "an entry has "+strings.Join(entryFields, ", "))
		}
	}
	return e, len(r.problems) == before
}

// named is the name of an entry in parentheses, where it is known.
func named(e Entry) string {
	if e.Name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", e.Title())
}

// field reads the value of one key.
func (r *entryReader) field(e *Entry, i int, key string, keyAt int64, seen map[string]bool) {
	at := r.begin()
	token, nested := r.value()
	if nested == "" {
		nested = describe(token)
	}
	bad := func(want, hint string) {
		r.report(at, fmt.Sprintf("entry %d%s: %s must be %s, not %s", i, named(*e), key, want, nested), hint)
	}
	number := func(into *float64, low, high float64, open bool, want, hint string) {
		x, ok := asNumber(token)
		if !ok || x < low || x > high || open && x == low {
			bad(want, hint)
			return
		}
		*into = x
	}
	switch key {
	case "name":
		if !asText(token, &e.Name) || e.Name == "" {
			bad("a string that says something", "write the plugin's name")
		}
	case "version":
		if !asText(token, &e.Version) {
			bad("a string", "put it in quotes")
		}
	case "p99_latency_us":
		number(&e.Latency, 0, 3.6e9, true, "a number of µs above 0", "leave the entry out if its latency was not measured")
	case "throughput_gbps":
		number(&e.Throughput, 0, 1e6, true, "a number of Gbit/s above 0", "leave the entry out if nothing was carried")
	case "cpu_percent":
		number(&e.CPU, -100, 100, false, "a number of per cent of a node, up to 100", "write the number without quotes; 100 is all of a node's vCPUs")
	case "memory_mb":
		number(&e.Memory, -1e9, 1e9, false, "a number of MB", "write the number alone, without a unit")
	case "node_count":
		var n float64
		number(&n, 1, maxNodes, false, fmt.Sprintf("a whole number from 1 to %d", maxNodes), "write how many nodes the cluster has")
		if n != float64(int(n)) {
			bad("a whole number", "write how many nodes the cluster has")
		}
		e.Nodes = int(n)
	default:
		if meant, ok := document.Nearest(key, entryFields); ok {
			seen[meant] = true // not reported as missing too
		}
		r.report(keyAt, fmt.Sprintf("entry %d%s has an unknown field %q", i, named(*e), key),
			document.DidYouMean(key, entryFields, "the fields are "+strings.Join(entryFields, ", ")))
	}
}

func asNumber(token json.Token) (float64, bool) {
	n, ok := token.(json.Number)
	if !ok {
		return 0, false
	}
	x, err := n.Float64()
	return x, err == nil
}

func asText(token json.Token, into *string) bool {
	s, ok := token.(string)
	*into = strings.TrimSpace(s)
	return ok
}

// describe names a JSON value for a message.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		if runes := []rune(v); len(runes) > 40 {
			v = string(runes[:40]) + "…"
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(value)
}

// seedBaseline is the plugin that the calculator counts savings from.
const seedBaseline = "flannel"

// Figures prices the figures of a file as they are. Against names one of its
// entries; empty: the first called flannel, as the calculator has it, or else
// the first.
func Figures(source string, entries []Entry, p Prices, against string) (Costs, error) {
	c := Costs{Schema: SchemaVersion, Source: source, Figures: true, Prices: p, Savings: []Saving{}, BreakEvens: []BreakEven{}}
	e := estimator{loose: true}
	var usages []usage
	var titles []string
	for _, entry := range entries {
		usages, titles = append(usages, entry.usage()), append(titles, entry.Name, entry.Title())
	}
	c.Variants = evaluate(p, usages, e)
	c.Notes = notesOfFigures(p, entries)
	i := max(0, slices.IndexFunc(entries, func(e Entry) bool { return e.Name == seedBaseline }))
	if against != "" {
		if i = slices.IndexFunc(entries, func(e Entry) bool { return e.Name == against || e.Title() == against }); i < 0 {
			return c, &OptionError{fmt.Sprintf("the file has no entry %q", against), "--against: " + document.DidYouMean(against, titles, "name one of the entries, with its version if there are several")}
		}
	}
	if len(entries) < 2 {
		return c, nil
	}
	return c, c.compare(c.Variants[i], e)
}

func notesOfFigures(p Prices, entries []Entry) []string {
	notes := []string{"figures of a file, taken as they are: without blocks there is no interval, and no saving is tested"}
	if p.Energy != nil && p.Energy.WattsPerVCPU == 0 {
		notes = append(notes, "the file has no energy: wattsPerVCPU in the prices estimates it from the CPU")
	}
	if slices.ContainsFunc(entries, func(e Entry) bool { return e.Nodes != entries[0].Nodes }) {
		notes = append(notes, "the entries are of clusters of several sizes, which are not compared")
	}
	return notes
}

// usage turns figures into what is priced: a single block.
func (e Entry) usage() usage {
	of := func(unit string, x float64) quantity { return quantity{unit: unit, values: series{{1, x}}} }
	return usage{
		name: e.Title(), nodes: e.Nodes,
		cpu: of(percentOfNode, e.CPU), memory: of(gibPerNode, e.Memory/1024),
		latency: of(seconds, e.Latency/1e6), capacity: of("bit/s", e.Throughput*1e9),
		energy: quantity{unit: joulesPerGbit, missing: "the file has no energy"},
	}
}
