package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/export"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

type writer = func(context.Context, io.Writer, export.Source, export.Options) (export.Outcome, error)

var tables = map[string]writer{
	"made-up.csv": export.CSV, "made-up.bench": export.Benchfmt, "made-up.xml": export.JUnit,
}

func exportedAs(t testing.TB, write writer, s export.Source, o export.Options) ([]byte, export.Outcome) {
	t.Helper()
	var out bytes.Buffer
	outcome, err := write(context.Background(), &out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), outcome
}

// withDetails has a metric that one trial lacks, one with a part left out, and
// an outlier.
func withDetails(t testing.TB) export.Source { return withMemory(t, 4) }

func withMemory(t testing.TB, blocks int) export.Source {
	t.Helper()
	_, s := madeUp(t, blocks)
	s.Trials = slices.Clone(s.Trials)
	memory := result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 1 << 20, Group: "memory"}
	for i, trial := range s.Trials {
		switch {
		case trial.Status != result.OK:
		case trial.Block == 1 && trial.Variant == "host":
			s.Trials[i].Missing = map[string]string{"memory": "the probe was ended, by SIGKILL"}
		default:
			s.Trials[i].Values = append(slices.Clone(trial.Values), result.Value{Metric: memory, Value: float64(trial.Block-2) * 1048576, Partial: "without page tables"})
		}
	}
	var err error
	if s.Analysis, err = analysis.Analyze(s.Analysis.Plan, s.Trials, s.Environment); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTextFormats(t *testing.T) {
	s := withDetails(t)
	for name, write := range tables {
		got, _ := exportedAs(t, write, s, export.Options{})
		golden := filepath.Join("testdata", name)
		if *update {
			writeFile(t, golden, got)
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got; -update accepts):\n%s", name, diff)
		}
	}
}

func readParquet(t testing.TB, data []byte) []export.Row {
	t.Helper()
	rows, err := parquet.Read[export.Row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// readCSV undoes the apostrophes, as the page says.
func readCSV(t testing.TB, data []byte) (head []string, rows [][]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	for _, row := range all[1:] {
		for i, field := range row {
			row[i] = strings.TrimPrefix(field, "'")
		}
	}
	return all[0], all[1:]
}

// Both tables have the same rows, one for each number of a trial that counts,
// and what has no number has a reason and NULL.
func TestTablesHaveEveryNumber(t *testing.T) {
	s := withDetails(t)
	data, outcome := exportedAs(t, export.Parquet, s, export.Options{})
	rows := readParquet(t, data)
	text, _ := exportedAs(t, export.CSV, s, export.Options{})
	head, lines := readCSV(t, text)
	if len(rows) != len(lines) || len(rows) != outcome.Rows {
		t.Fatalf("%d rows in Parquet, %d in CSV, %d counted", len(rows), len(lines), outcome.Rows)
	}
	column := func(line []string, name string) string { return line[slices.Index(head, name)] }
	values, unmeasured := map[string]float64{}, map[string]string{}
	for i, row := range rows {
		line := lines[i]
		what := strings.Join([]string{strconv.Itoa(int(row.Block)), row.Variant, row.Metric}, " ")
		if csvValue := column(line, "value"); row.Value == nil && csvValue != "" {
			t.Errorf("%s is %s in CSV and NULL in Parquet", what, csvValue)
		}
		if column(line, "reason") != row.Reason && !strings.Contains(row.Reason, "\n") || column(line, "status") != row.Status || column(line, "variant") != row.Variant {
			t.Errorf("row %d: %v and %+v", i, line, row)
		}
		if row.Value == nil {
			unmeasured[what] = row.Status + ": " + row.Reason
			continue
		}
		values[what] = *row.Value
		if got, err := strconv.ParseFloat(column(line, "value"), 64); err != nil || got != *row.Value {
			t.Errorf("%s is %v in CSV and %v in Parquet: %v", what, got, *row.Value, err)
		}
	}
	want := map[string]float64{}
	for _, m := range s.Analysis.Cells[0].Metrics {
		for _, arm := range m.Arms {
			for _, sample := range arm.Samples {
				want[strings.Join([]string{strconv.Itoa(sample.Block), arm.Variant, m.Name}, " ")] = sample.Value
			}
		}
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-analysis +table):\n%s", diff)
	}
	wantUnmeasured := map[string]string{
		"1 host memory": "ok: the probe was ended, by SIGKILL",
		"2 ours ":       "failed: the server \"pod\" did not start:\nno image",
		"4 ours ":       "missing: never attempted",
	}
	if diff := cmp.Diff(wantUnmeasured, unmeasured); diff != "" || outcome.Unmeasured != len(unmeasured) {
		t.Errorf("without a value, %d counted (-want +got):\n%s", outcome.Unmeasured, diff)
	}
}

// What is selected is in every format, and nothing else.
func TestTablesSelect(t *testing.T) {
	s := withDetails(t)
	only, err := export.Select(s.Analysis.Plan, []string{"host"})
	if err != nil {
		t.Fatal(err)
	}
	data, outcome := exportedAs(t, export.Parquet, s, export.Options{Only: only})
	for _, row := range readParquet(t, data) {
		if row.Variant != "host" {
			t.Errorf("a row of %s", row.Variant)
		}
	}
	if outcome.Rows != 8 {
		t.Errorf("%d rows, want two for each of four blocks", outcome.Rows)
	}
	for name, write := range tables {
		text, _ := exportedAs(t, write, s, export.Options{Only: only})
		want, what := 0, "ours"
		if name == "made-up.xml" { // a verdict about another variant against this one is one about both
			want, what = 1, `.ours" name=`
		}
		if n := strings.Count(string(text), what); n != want {
			t.Errorf("%s names the other variant %d times, want %d", name, n, want)
		}
	}
}

// What a row says besides its value.
func TestRowSaysWhereItIsFrom(t *testing.T) {
	s := withDetails(t)
	data, _ := exportedAs(t, export.Parquet, s, export.Options{})
	rows := readParquet(t, data)
	i := slices.IndexFunc(rows, func(r export.Row) bool { return r.Block == 3 && r.Variant == "host" && r.Metric == "throughput" })
	attempt, value, margin, yes, no := int32(2), 20.3e9, 0.03, true, false
	trial := s.Trials[slices.IndexFunc(s.Trials, func(t result.Trial) bool { return t.Block == 3 && t.Variant == "host" && t.Attempt == 2 })]
	start, end := trial.Start, trial.End
	want := export.Row{
		Campaign: `made "up"`, Run: &began, Plan: s.Analysis.Plan.Hash, Base: "host", Block: 3, Position: 1, CellPosition: 1, Variant: "host", Entry: "host",
		Scenario: "tcp-pod-multi", Cell: "tcp-pod-multi.streams=2", Parameters: `{"duration":"2s","streams":"2"}`, Attempt: &attempt, Status: "ok",
		Metric: "throughput", Value: &value, Unit: "bit/s", Better: "higher", Scale: "ratio", Margin: &margin, Primary: &yes, Outlier: &no,
		Marks: "cpu-saturated", Started: &start, Ended: &end, WindowStart: &trial.Window.Start, WindowEnd: &trial.Window.End, Raw: trial.Raw,
	}
	if diff := cmp.Diff(want, rows[i]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same results give the same bytes, and the file says what it is.
func TestParquetIsDeterministic(t *testing.T) {
	s := withDetails(t)
	first, _ := exportedAs(t, export.Parquet, s, export.Options{})
	second, _ := exportedAs(t, export.Parquet, s, export.Options{})
	if !bytes.Equal(first, second) {
		t.Error("the same results give other bytes the second time")
	}
	f, err := parquet.OpenFile(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"cnibench.schema": export.TableSchema, "cnibench.campaign": `made "up"`, "cnibench.plan": s.Analysis.Plan.Hash} {
		if got, ok := f.Lookup(name); !ok || got != want {
			t.Errorf("the metadata says %s is %q, want %q", name, got, want)
		}
	}
	for _, c := range f.Metadata().RowGroups[0].Columns {
		if codec := c.MetaData.Codec.String(); codec != "ZSTD" {
			t.Errorf("column %v is compressed by %s", c.MetaData.PathInSchema, codec)
		}
	}
}

// A campaign that is larger than a batch and than a row group is whole.
func TestLargeTable(t *testing.T) {
	_, s := madeUp(t, 4)
	one := s.Trials[0]
	one.Values = nil
	for i := range 3000 {
		one.Values = append(one.Values, result.Value{Metric: result.Metric{Name: "m" + strconv.Itoa(i), Scale: result.Ratio, Better: result.Lower}, Value: float64(i)})
	}
	p := s.Analysis.Plan
	p.Blocks, s.Trials = nil, nil
	for b := range 23 {
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: []string{"host"}, Cells: []string{p.Cells[0].ID}})
		one.Block = b + 1
		s.Trials = append(s.Trials, one)
	}
	s.Analysis.Plan, s.Analysis.Missing = p, nil
	data, outcome := exportedAs(t, export.Parquet, s, export.Options{})
	rows := readParquet(t, data)
	if len(rows) != 69000 || outcome.Rows != len(rows) {
		t.Fatalf("%d rows, %d counted, want 69000", len(rows), outcome.Rows)
	}
	for i, row := range rows {
		if *row.Value != float64(i%3000) || int(row.Block) != i/3000+1 {
			t.Fatalf("row %d is %v of block %d", i, *row.Value, row.Block)
		}
	}
}

// Whatever names and reasons are, every format can be read, has as many rows
// and gives the texts back; a spreadsheet sees no formula.
func TestHostileTexts(t *testing.T) {
	_, made := madeUp(t, 4)
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "'", "''=1", "a,b;c\"d\r\ne\nf\rg", "<b>&amp;</b>", "💥", strings.Repeat("ä", 200), " x ", "a-8", "a/b=c%20", "\x00\x1b", "\xff",
	}))
	rapid.Check(t, func(rt *rapid.T) {
		s := made
		s.Trials = slices.Clone(made.Trials)
		evil := text.Draw(rt, "variant")
		reason := text.Filter(func(s string) bool { return s != "" }).Draw(rt, "reason")
		rename := func(name string) string {
			if name == "ours" {
				return "x" + evil
			}
			return name
		}
		s.Analysis.Plan.Name = text.Draw(rt, "campaign")
		s.Analysis.Plan.Variants = slices.Clone(made.Analysis.Plan.Variants)
		s.Analysis.Plan.Variants[1].Name = rename("ours")
		s.Analysis.Plan.Blocks = slices.Clone(made.Analysis.Plan.Blocks)
		for i := range s.Analysis.Plan.Blocks {
			s.Analysis.Plan.Blocks[i].Order = []string{"host", rename("ours")}
		}
		for i := range s.Trials {
			s.Trials[i].Variant = rename(s.Trials[i].Variant)
			if s.Trials[i].Status == result.Failed {
				s.Trials[i].Reason = reason
			}
		}
		var err error
		if s.Analysis, err = analysis.Analyze(s.Analysis.Plan, s.Trials, s.Environment); err != nil {
			rt.Fatal(err)
		}
		data, outcome := exportedAs(t, export.Parquet, s, export.Options{})
		rows := readParquet(t, data)
		text, _ := exportedAs(t, export.CSV, s, export.Options{})
		head, lines := readCSV(t, text)
		if len(rows) != outcome.Rows || len(lines) != outcome.Rows {
			rt.Fatalf("%d rows in Parquet, %d in CSV, want %d", len(rows), len(lines), outcome.Rows)
		}
		clean := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		for i, row := range rows {
			if row.Status == "failed" && (row.Reason != clean(reason) || row.Variant != clean(rename("ours"))) {
				rt.Fatalf("Parquet has %q of %q, want %q", row.Reason, row.Variant, reason)
			}
			// Go's reader alone turns CRLF inside quotes into LF.
			if got := lines[i][slices.Index(head, "reason")]; got != strings.ReplaceAll(row.Reason, "\r\n", "\n") {
				rt.Fatalf("CSV has %q, Parquet %q", got, row.Reason)
			}
		}
		wantNoFormula(rt, text)
		for _, write := range []writer{export.Benchfmt, export.JUnit} {
			if _, outcome := exportedAs(t, write, s, export.Options{}); outcome.Attempts == 0 {
				rt.Fatal("nothing is exported")
			}
		}
	})
}

// wantNoFormula looks at the fields as a spreadsheet would.
func wantNoFormula(t *rapid.T, text []byte) {
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all {
		for _, field := range row {
			if field == "" || !strings.ContainsAny(field[:1], "=+-@\t\r\n") {
				continue
			}
			if x, err := strconv.ParseFloat(field, 64); err != nil || math.IsNaN(x) {
				t.Fatalf("a spreadsheet would compute %q", field)
			}
		}
	}
}

// A full disk and an interruption are errors.
func TestTablesThatCannotBeWritten(t *testing.T) {
	_, s := madeUp(t, 4)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, write := range map[string]writer{"csv": export.CSV, "parquet": export.Parquet, "benchfmt": export.Benchfmt, "junit": export.JUnit} {
		if _, err := write(context.Background(), &full{10}, s, export.Options{}); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s on a full disk: %v", name, err)
		}
		if _, err := write(ctx, io.Discard, s, export.Options{}); err == nil {
			t.Errorf("%s goes on after an interruption", name)
		}
	}
}

// The page on exports lists the columns, in their order, with their types.
func TestPageListsEveryColumn(t *testing.T) {
	page, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	_, columns, _ := strings.Cut(string(page), "| column |")
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([A-Za-z0-9]+) \\|").FindAllStringSubmatch(columns, -1) {
		got = append(got, row[1]+" "+row[2])
	}
	names := map[string]string{"STRING": "string", "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)": "timestamp", "INT(32,true)": "int32", "JSON": "JSON", "DOUBLE": "double", "BOOLEAN": "boolean"}
	var want []string
	for _, f := range parquet.SchemaOf(export.Row{}).Fields() {
		name, known := names[f.Type().String()]
		if !known {
			t.Errorf("%s is a %s", f.Name(), f.Type())
		}
		want = append(want, f.Name()+" "+name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-exported +page):\n%s", diff)
	}
}

// Names and numbers as benchstat's grammar has them: one word, no number at the
// end that it would take for GOMAXPROCS, no line that it cannot read.
func TestBenchfmtGrammar(t *testing.T) {
	names := map[string]string{
		"cilium-2": "cilium%2D2", "a b/c%": "a%20b%2Fc%25", "v1.2-rc": "v1.2-rc", "neu\u2028-7\n": "neu%E2%80%A8-7%0A", "ä=💥": "ä=💥",
	}
	for name, want := range names {
		s := withDetails(t)
		s.Analysis.Plan.Variants[1].Name = name
		for i := range s.Trials {
			if trial := &s.Trials[i]; trial.Variant == "ours" {
				trial.Variant = name
				if trial.Status != result.OK {
					trial.Reason = strings.Repeat("long\n", 100_000)
				}
				for len(trial.Values) > 0 && len(trial.Values) < 5000 {
					trial.Values = append(trial.Values, trial.Values...)
				}
			}
		}
		out, _ := exportedAs(t, export.Benchfmt, s, export.Options{})
		values := 0
		for line := range strings.Lines(string(out)) {
			if len(line) > 60_000 {
				t.Errorf("a line has %d bytes", len(line))
			}
			rest, is := strings.CutPrefix(line, "BenchmarkTcp-pod-multi.streams=2/variant=")
			if !is || strings.HasPrefix(rest, "host ") {
				continue
			}
			fields := strings.Fields(rest)
			if fields[0] != want || fields[1] != "1" || len(fields)%2 != 0 || strings.TrimSuffix(rest, "\n") != strings.Join(fields, " ") {
				t.Fatalf("%s: %.200q", name, line)
			}
			values += len(fields)/2 - 1
		}
		if values < 5000 {
			t.Errorf("%s has %d values", name, values)
		}
	}
}
