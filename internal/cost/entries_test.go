package cost

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/document"
)

func TestEntryProblems(t *testing.T) {
	const good = `{"name": "a", "version": "1", "p99_latency_us": 1, "throughput_gbps": 1, "cpu_percent": -1, "memory_mb": 0, "node_count": 5}`
	change := func(old, with string) string {
		return "[\n" + good + ",\n" + strings.Replace(strings.Replace(good, `"a"`, `"b"`, 1), old, with, 1) + "\n]"
	}
	for _, tt := range []struct{ name, data, want string }{
		{"no JSON", "[\n{\"name\": }]", "f.json:2: not valid JSON: invalid character '}'"},
		{"cut short", "[\n" + good + ",\n", "f.json:2: not valid JSON: unexpected end of JSON input"},
		{"nothing", "", "f.json:1: not valid JSON"},
		{"object", good, "f.json:1: the file must hold an array, not an object"},
		{"empty", "[]", "the array is empty"},
		{"no object", "[\n" + good + ",\n[1, {\"a\": []}],\n7]", "f.json:3: entry 2 must be an object, not an array"},
		{"number for object", "[7]", "f.json:1: entry 1 must be an object, not 7"},
		{"missing", change(`, "cpu_percent": -1`, ""), "f.json:3: entry 2 (b 1) lacks cpu_percent"},
		{"null", change("-1", "null"), "f.json:3: entry 2 (b 1): cpu_percent must be a number of per cent of a node, up to 100, not null"},
		{"text", change("-1", `"8.2%"`), `cpu_percent must be a number of per cent of a node, up to 100, not "8.2%"`},
		{"above a node", change("-1", "101"), "cpu_percent must be a number of per cent of a node, up to 100, not 101"},
		{"no latency", change(`"p99_latency_us": 1`, `"p99_latency_us": 0`), "entry 2 (b 1): p99_latency_us must be a number of µs above 0, not 0"},
		{"no throughput", change(`"throughput_gbps": 1`, `"throughput_gbps": 0`), "throughput_gbps must be a number of Gbit/s above 0, not 0"},
		{"huge", change(`"memory_mb": 0`, `"memory_mb": 1e999`), "memory_mb must be a number of MB, not 1e999"},
		{"half a node", change(`"node_count": 5`, `"node_count": 2.5`), "node_count must be a whole number, not 2.5"},
		{"nested", change("-1", `{"user": 1}`), "cpu_percent must be a number of per cent of a node, up to 100, not an object"},
		{"misspelt", change("memory_mb", "memory_mib"), "f.json:3: entry 2 (b 1) has an unknown field \"memory_mib\"\n    hint: did you mean \"memory_mb\"?"},
		{"twice", change(`"node_count": 5`, `"node_count": 5, "node_count": 6`), "entry 2 (b 1) has node_count twice"},
		{"same name", "[\n" + good + ",\n\n" + good + "]", "f.json:4: entry 2 (a 1) has the name and version of entry 1"},
		{"no name", change(`"b"`, `""`), `entry 2: name must be a string that says something, not ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseEntries("f.json", []byte(tt.data))
			var problems document.Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got\n%v\nwant\n%s", err, tt.want)
			}
			if len(problems) > 1 && tt.name != "no object" {
				t.Errorf("one mistake is %d problems:\n%v", len(problems), err)
			}
			for _, p := range problems {
				if p.Hint == "" {
					t.Errorf("no hint: %v", p)
				}
			}
		})
	}
}

func FuzzParseEntries(f *testing.F) {
	data, err := os.ReadFile("testdata/article.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("[{\"name\": {\"a\": [1]}, \"name\": null}, 3, \"\\ud800\"]\t"))
	f.Add([]byte("\xef\xbb\xbf[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseEntries("fuzz.json", data)
		if err != nil {
			var problems document.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("an error without problems: %v", err)
			}
			for _, p := range problems {
				if p.Line < 1 || p.Line > 1+strings.Count(string(data), "\n") {
					t.Errorf("line %d is not in the file: %v", p.Line, p)
				}
			}
			return
		}
		c, err := Figures("fuzz.json", entries, Default(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Variants {
			if v.Total == nil {
				t.Errorf("%s has no sum: %s", v.Name, v.Missing)
			}
		}
	})
}
