//go:build e2e

package export_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/docs"
	"github.com/cnibench/cnibench/internal/export"
	"github.com/cnibench/cnibench/internal/prose"
)

// The programs that people have read what export writes, and give back the
// numbers of the report. `make test-readers` installs them.

const root = "../.."

// python is one that has DuckDB.
func python(t testing.TB) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join(root, "bin/readers/bin/python3"))
	if err == nil {
		_, err = os.Stat(name)
	}
	if err != nil {
		t.Fatalf("%v: `make test-readers` installs it", err)
	}
	return name
}

// benchstat is the path of the pinned program.
func benchstat(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("go", "tool", "-modfile="+filepath.Join("hack", "benchstat", "go.mod"), "-n", "benchstat")
	cmd.Dir = root
	return strings.TrimSpace(string(output(t, cmd)))
}

func output(t testing.TB, cmd *exec.Cmd) []byte {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, said.String())
	}
	if said.Len() > 0 {
		t.Logf("%s says:\n%s", filepath.Base(cmd.Path), said.String())
	}
	return out
}

// measured is a campaign of nine blocks with trials that failed, were repeated
// and are missing, and a file of it in a format.
func measured(t *testing.T, write writer, name string) (s export.Source, file string) {
	t.Helper()
	s = withMemory(t, 9)
	file = filepath.Join(t.TempDir(), name)
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := write(context.Background(), f, s, export.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return s, file
}

// arms visits what the report says of every variant and metric.
func arms(s export.Source, visit func(analysis.Cell, analysis.Metric, analysis.Arm)) {
	for _, c := range s.Analysis.Cells {
		for _, m := range c.Metrics {
			for _, arm := range m.Arms {
				visit(c, m, arm)
			}
		}
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// benchstat computes medians of its own.
func TestReadersBenchstat(t *testing.T) {
	s, file := measured(t, export.Benchfmt, "results.bench")
	out := output(t, exec.Command(benchstat(t), "-format", "csv", "-col", "/variant", file))
	medians := benchstatMedians(t, out)
	arms(s, func(c analysis.Cell, m analysis.Metric, arm analysis.Arm) {
		unit := map[string]string{"throughput": "throughput-bit/s", "memory": "memory-partial-B"}[m.Name]
		key := fmt.Sprintf("%s %s", unit, arm.Variant)
		got, there := medians[key]
		if !there || !near(got, arm.Summary.Median, 1e-12) {
			t.Errorf("the median of %s is %v for benchstat (%v), %v in the report", key, got, there, arm.Summary.Median)
		}
		delete(medians, key)
	})
	if len(medians) > 0 {
		t.Errorf("benchstat has also %v\n%s", medians, out)
	}
	for _, want := range []string{"cpu: Synthetic CPU @ 2.0 GHz", "kernel: 6.18.5", "streams: 2", "scenario: tcp-pod-multi"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("benchstat does not know %q:\n%s", want, out)
		}
	}
}

// benchstatMedians reads its tables: a row with the variants, one with units,
// one per benchmark.
func benchstatMedians(t *testing.T, out []byte) map[string]float64 {
	t.Helper()
	r := csv.NewReader(strings.NewReader(string(out)))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	medians := map[string]float64{}
	var variants, units []string
	for _, row := range rows {
		switch {
		case len(row) > 1 && row[0] == "" && row[1] == "host":
			variants = row
		case len(row) > 2 && row[0] == "" && row[2] == "CI":
			units = row
		case len(row) > 2 && strings.HasPrefix(row[0], "Tcp-pod-multi.streams=2"):
			for i := 1; i < len(row) && i < len(variants); i++ {
				if variants[i] == "" || row[i] == "" {
					continue
				}
				x, err := strconv.ParseFloat(row[i], 64)
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				medians[units[i]+" "+variants[i]] = x
			}
		}
	}
	return medians
}

// DuckDB reads the columns with their types, computes the report's numbers,
// and finds the same rows in CSV.
func TestReadersDuckDB(t *testing.T) {
	s, table := measured(t, export.Parquet, "results.parquet")
	_, text := measured(t, export.CSV, "results.csv")
	const script = `
import duckdb, json, sys
table, text = sys.argv[1:]
q = lambda sql: duckdb.execute(sql).fetchall()
print(json.dumps({
  "types": dict((r[0], r[1]) for r in q(f"DESCRIBE FROM '{table}'")),
  "arms": q(f"""SELECT cell, metric, variant, count(value), median(value), avg(value), coalesce(stddev_samp(value), -1), min(value), max(value)
    FROM '{table}' WHERE metric IS NOT NULL GROUP BY ALL"""),
  "lost": q(f"SELECT block, variant, status, reason FROM '{table}' WHERE value IS NULL ORDER BY ALL"),
  "streams": q(f"SELECT DISTINCT parameters->>'streams' FROM '{table}'"),
  "seconds": q(f"SELECT DISTINCT epoch(window_end - window_start) FROM '{table}' WHERE value IS NOT NULL"),
  "metadata": dict((k.decode(), v.decode()) for k, v in q(f"SELECT key, value FROM parquet_kv_metadata('{table}')")),
  "codecs": q(f"SELECT DISTINCT compression FROM parquet_metadata('{table}')"),
  "differ": q(f"""SELECT count(*) FROM (SELECT block, variant, status, metric, value, unit, margin, started, raw FROM '{table}'
    EXCEPT ALL SELECT block, variant, status, metric, value, unit, margin, started, raw FROM read_csv('{text}', types={{'started': 'TIMESTAMPTZ', 'metric': 'VARCHAR'}}))"""),
  "rows": q(f"SELECT count(*) FROM '{text}'") + q(f"SELECT count(*) FROM '{table}'"),
}))`
	var got struct {
		Types    map[string]string
		Arms     [][]any
		Lost     [][]any
		Streams  [][]any
		Seconds  [][]any
		Metadata map[string]string
		Codecs   [][]any
		Differ   [][]int
		Rows     [][]int
	}
	out := output(t, exec.Command(python(t), "-c", script, table, text))
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compared := 0
	arms(s, func(c analysis.Cell, m analysis.Metric, arm analysis.Arm) {
		for _, row := range got.Arms {
			if row[0] != c.ID || row[1] != m.Name || row[2] != arm.Variant {
				continue
			}
			compared++
			u := arm.Summary
			for i, want := range []float64{float64(u.N), u.Median, u.Mean, *u.SD, u.Min, u.Max} {
				if x, ok := row[3+i].(float64); !ok || !near(x, want, 1e-9) {
					t.Errorf("%s %s: DuckDB has %v, the report %v", m.Name, arm.Variant, row, u)
				}
			}
		}
	})
	if compared != 4 || len(got.Arms) != 4 {
		t.Errorf("%d of 4 arms were compared with %v", compared, got.Arms)
	}
	wantLost := [][]any{{1.0, "host", "ok", "the probe was ended, by SIGKILL"}, {2.0, "ours", "failed", "the server \"pod\" did not start:\nno image"}, {9.0, "ours", "missing", "never attempted"}}
	if diff := cmp.Diff(wantLost, got.Lost); diff != "" {
		t.Errorf("without a value (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"block": "INTEGER", "attempt": "INTEGER", "value": "DOUBLE", "margin": "DOUBLE", "outlier": "BOOLEAN", "reason": "VARCHAR",
		"parameters": "JSON", "started": "TIMESTAMP WITH TIME ZONE", "run": "TIMESTAMP WITH TIME ZONE",
	} {
		if got.Types[name] != want {
			t.Errorf("%s is a %s, want %s", name, got.Types[name], want)
		}
	}
	if got.Metadata["cnibench.schema"] != export.TableSchema || fmt.Sprint(got.Codecs) != "[[ZSTD]]" || fmt.Sprint(got.Streams) != "[[2]]" || fmt.Sprint(got.Seconds) != "[[2]]" {
		t.Errorf("metadata %v, codecs %v, streams %v, seconds %v", got.Metadata, got.Codecs, got.Streams, got.Seconds)
	}
	if got.Differ[0][0] != 0 || got.Rows[0][0] != got.Rows[1][0] || got.Rows[0][0] == 0 {
		t.Errorf("%d rows differ between CSV and Parquet, of %v", got.Differ[0][0], got.Rows)
	}
}

// promtool makes blocks of the samples and lists them.
func TestReadersPromtool(t *testing.T) {
	s, file := measured(t, export.OpenMetrics, "results.om")
	blocks := filepath.Join(t.TempDir(), "blocks")
	if said := output(t, exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", file, blocks)); strings.Contains(string(said), "error") {
		t.Fatalf("promtool says:\n%s", said)
	}
	// promtool reads a directory of blocks only beside a log of what is not in any.
	if err := os.Mkdir(filepath.Join(blocks, "wal"), 0o755); err != nil {
		t.Fatal(err)
	}
	dump := output(t, exec.Command("promtool", "tsdb", "dump", blocks))
	compared := 0
	arms(s, func(c analysis.Cell, m analysis.Metric, arm analysis.Arm) {
		for name, want := range map[string]float64{
			"cnibench_summary_median": arm.Summary.Median, "cnibench_summary_mean": arm.Summary.Mean, "cnibench_summary_samples": float64(arm.Summary.N),
			"cnibench_summary_max": arm.Summary.Max,
		} {
			compared++
			wantDumped(t, string(dump), want, name, "cell", c.ID, "metric", m.Name, "variant", arm.Variant)
		}
		for _, sample := range arm.Samples {
			compared++
			wantDumped(t, string(dump), sample.Value, "cnibench_trial_value", "block", strconv.Itoa(sample.Block), "metric", m.Name, "variant", arm.Variant)
		}
	})
	k := s.Analysis.Cells[0].Metrics[0].Comparisons[0]
	wantDumped(t, string(dump), k.Effect.Estimate, "cnibench_comparison_effect", "metric", "throughput", "a", k.A, "b", k.B)
	if compared < 40 {
		t.Errorf("only %d numbers were compared", compared)
	}
}

// wantDumped looks for the one series with the labels in what promtool lists.
func wantDumped(t *testing.T, dump string, want float64, name string, labels ...string) {
	t.Helper()
	found := 0
	for line := range strings.Lines(dump) {
		if !strings.Contains(line, fmt.Sprintf(`__name__=%q`, name)) {
			continue
		}
		match := true
		for i := 0; i < len(labels); i += 2 {
			match = match && regexp.MustCompile(`[{ ,]`+labels[i]+`=`+regexp.QuoteMeta(strconv.Quote(labels[i+1]))).MatchString(line)
		}
		if !match {
			continue
		}
		found++
		fields := strings.Fields(line[strings.LastIndex(line, "}")+1:])
		if x, err := strconv.ParseFloat(fields[0], 64); err != nil || x != want {
			t.Errorf("%s%v is %s for promtool, %v in the report", name, labels, fields[0], want)
		}
	}
	if found != 1 {
		t.Errorf("promtool has %d series %s%v", found, name, labels)
	}
}

// Names that are markup, quotes, separators, line breaks and long come back as
// they are, and no reader complains.
func TestReadersHostileNames(t *testing.T) {
	evil := "=<b>\"a\",'b';c\t%20 /&amp;\r\nd=1\n💥" + strings.Repeat("ä", 200) + "-8"
	s := withMemory(t, 9)
	s.Analysis.Plan.Variants[1].Name = evil
	for i := range s.Analysis.Plan.Blocks {
		s.Analysis.Plan.Blocks[i].Order = []string{"host", evil}
	}
	for i := range s.Trials {
		if s.Trials[i].Variant == "ours" {
			s.Trials[i].Variant, s.Trials[i].Raw = evil, "raw/x"
		}
	}
	var err error
	if s.Analysis, err = analysis.Analyze(s.Analysis.Plan, s.Trials, s.Environment); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{}
	for name, write := range map[string]writer{"parquet": export.Parquet, "csv": export.CSV, "bench": export.Benchfmt, "xml": export.JUnit, "om": export.OpenMetrics} {
		out, _ := exportedAs(t, write, s, export.Options{})
		files[name] = filepath.Join(dir, "hostile."+name)
		writeFile(t, files[name], out)
	}
	const script = `
import duckdb, json, sys, xml.etree.ElementTree as tree
parquet, csv, junit = sys.argv[1:]
of = lambda file: [r[0] for r in duckdb.execute(f"SELECT variant FROM '{file}' WHERE status = 'missing'").fetchall()]
print(json.dumps({"parquet": of(parquet), "csv": of(csv), "junit": [c.get("classname") for c in tree.parse(junit).iter("testcase")]}))`
	var got struct{ Parquet, CSV, JUnit []string }
	out := output(t, exec.Command(python(t), "-c", script, files["parquet"], files["csv"], files["xml"]))
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff([]string{evil}, got.Parquet); diff != "" {
		t.Errorf("Parquet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"'" + evil}, got.CSV); diff != "" { // with the apostrophe against formulas
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	if want := prose.Printable(`made "up".` + strings.ReplaceAll(evil, ".", "_")); len(got.JUnit) != 3 || got.JUnit[1] != want {
		t.Errorf("JUnit has %q, want %q", got.JUnit, want)
	}
	var said strings.Builder
	cmd := exec.Command(benchstat(t), "-format", "csv", "-col", "/variant", files["bench"])
	cmd.Stderr = &said
	if out, err := cmd.Output(); err != nil || said.Len() > 0 || !strings.Contains(string(out), "%2D8") {
		t.Errorf("benchstat: %v\n%s%s", err, said.String(), out)
	}
	blocks := filepath.Join(dir, "blocks")
	output(t, exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", files["om"], blocks))
}

// TestReadersPage types what docs/export.md tells a reader to type, and wants
// what it says comes out.
func TestReadersPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/export.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks, _ := docs.Parse(string(page))
	dir, bin := t.TempDir(), t.TempDir()
	if err := docs.WriteFiles(dir, blocks); err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"benchstat": benchstat(t), "cnibench": filepath.Join(root, "bin/cnibench"), "python3": python(t)}
	for name, program := range programs {
		// No link: Python finds its packages by the path that it was started with.
		absolute, err := filepath.Abs(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexec '"+absolute+"' \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for i, b := range blocks {
		if !b.NeedsReaders() && !b.Runs() {
			continue
		}
		argv := b.Shell()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out := string(output(t, cmd))
		if i+1 < len(blocks) && blocks[i+1].Language == "text" {
			ran++
			if diff := cmp.Diff(blocks[i+1].Text, out); diff != "" {
				t.Errorf("docs/export.md:%d (-page +said):\n%s", b.Line, diff)
			}
		}
	}
	if ran < 3 {
		t.Errorf("the page shows what comes out of %d examples", ran)
	}
}
