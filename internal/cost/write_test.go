package cost

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var writers = map[string]func(io.Writer, Costs) error{
	"txt":  func(w io.Writer, c Costs) error { return Text(w, c, true) },
	"md":   func(w io.Writer, c Costs) error { return Markdown(w, c, true) },
	"json": JSON, "csv": CSV,
}

func written(t testing.TB, write func(io.Writer, Costs) error, c Costs) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// examples have everything in them that writers write.
func examples(t testing.TB) map[string]Costs {
	t.Helper()
	p := Default()
	p.Energy = &Energy{Price: 0.2, GramsCO2: 300, WattsPerVCPU: 4, Source: "made up"}
	p.Workload.Requests = 3e9
	return map[string]Costs{
		"article": articleCosts(t, Default()),
		"campaign": normal(8, "tcp-pod-single", "tcp-rr").without("rich", 1, "memory").without("alike", 8, "cpu").
			costs(t, p, Options{}),
	}
}

func TestGolden(t *testing.T) {
	for name, c := range examples(t) {
		for format, write := range writers {
			file, got := filepath.Join("testdata", name+"."+format), written(t, write, c)
			if name == "article" && format == "json" {
				file = filepath.Join("testdata", "article-costs.json")
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got; -update accepts):\n%s", file, diff)
			}
		}
	}
}

// The same input gives the same bytes.
func TestWritingIsDeterministic(t *testing.T) {
	first, second := examples(t), examples(t)
	for name := range first {
		for format, write := range writers {
			if written(t, write, first[name]) != written(t, write, second[name]) {
				t.Errorf("%s.%s is not the same twice", name, format)
			}
		}
	}
}

const hostile = "<script>alert(1)</script>|`*[x](y)\x1b[31m\u202e\n\r😀"

// Names of others stay text.
func TestHostileNames(t *testing.T) {
	entries := []Entry{
		{Name: hostile, Version: "1", Latency: 1, Throughput: 1, Nodes: 1},
		{Name: strings.Repeat("long", 50), Version: "", Latency: 1, Throughput: 1, CPU: 3, Nodes: 1},
	}
	c, err := Figures(hostile, entries, Default(), "")
	if err != nil {
		t.Fatal(err)
	}
	for format, write := range writers {
		text := written(t, write, c)
		if format == "csv" {
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(rows) < 2 {
				t.Errorf("%d rows, %v", len(rows), err)
			}
			continue
		}
		for _, bad := range []string{"\x1b", "\u202e", "\r"} {
			if strings.Contains(text, bad) && (format != "json" || bad != "\u202e") {
				t.Errorf("%s has %q", format, bad)
			}
		}
		if format == "md" && (strings.Contains(text, "<script") || strings.Contains(text, "[x](y)")) {
			t.Errorf("Markdown has markup of a name:\n%s", text)
		}
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"1,250.4": priceText(1250.4), "0.00035": priceText(0.00035), "1e+15": priceText(1e15),
		"0.0312346": short(0.03123456), "500": short(500), "0": short(0), "3000000": short(3e6), "0.1": short(0.1), "1e-09": short(1e-9), "−5": short(-5),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
