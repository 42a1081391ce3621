package importer

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

// imported is what a results directory holds after an import.
type imported struct {
	plan        plan.Plan
	trials      []result.Trial
	environment result.Environment
	analysis    analysis.Analysis
	summary     Summary
}

// importInto imports and reads the directory back as every command does.
func importInto(t testing.TB, format, path string, o Options) (imported, error) {
	t.Helper()
	f, err := FormatOf(format)
	if err != nil {
		t.Fatal(err)
	}
	o.Created, o.Cnibench = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), "test"
	out := filepath.Join(t.TempDir(), "out")
	var got imported
	if got.summary, err = Import(t.Context(), f, path, out, o); err != nil {
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
			t.Errorf("a failed import leaves %v", left)
		}
		return imported{}, err
	}
	d, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if got.plan, err = d.Plan(); err != nil {
		t.Fatal(err)
	}
	journal, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	got.trials = journal.Trials
	if got.environment, err = d.Environment(); err != nil {
		t.Fatal(err)
	}
	if got.analysis, err = analysis.Analyze(got.plan, got.trials, got.environment); err != nil {
		t.Fatal(err)
	}
	return got, nil
}

func mustImport(t testing.TB, format, path string, o Options) imported {
	t.Helper()
	got, err := importInto(t, format, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// line is a trial in a line, as the golden files have it.
func line(t result.Trial) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s %s", t.Block, t.Variant, t.Cell, t.Status)
	if t.Reason != "" {
		fmt.Fprintf(&b, ": %s", t.Reason)
	}
	for _, v := range t.Values {
		fmt.Fprintf(&b, "\n    %s %.6g %s", v.Name, v.Value, v.Unit)
		if v.Partial != "" {
			fmt.Fprintf(&b, " (partial: %s)", v.Partial)
		}
	}
	for _, name := range sortedKeys(t.Missing) {
		fmt.Fprintf(&b, "\n    %s missing: %s", name, t.Missing[name])
	}
	for _, name := range sortedKeys(t.Facts) {
		fmt.Fprintf(&b, "\n    fact %s: %s", name, t.Facts[name])
	}
	for _, m := range t.Marks {
		fmt.Fprintf(&b, "\n    mark %s: %s", m.Name, m.Detail)
	}
	return b.String()
}

// golden compares what was imported with testdata/NAME.golden.
func golden(t *testing.T, name string, got imported) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "base %s, primary %s, unpaired %t\n", got.plan.Analysis.Base, strings.Join(got.plan.Analysis.Primary, " "), got.plan.Unpaired())
	for _, trial := range got.trials {
		fmt.Fprintln(&b, line(trial))
	}
	for _, m := range got.analysis.Missing {
		fmt.Fprintf(&b, "%d %s %s is not in the source\n", m.Block, m.Variant, m.Cell)
	}
	for _, w := range got.analysis.Warnings {
		if w.Code != "imported" { // it names the directory
			fmt.Fprintf(&b, "%s: %s\n", w.Code, w.Message)
		}
	}
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// write makes files in a new directory and returns it.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The digest can be checked with sha256sum, and says when a source changed.
func TestDigest(t *testing.T) {
	const table = "block,variant,scenario,metric,value,unit\n1,a,s,throughput,1,bit/s\n"
	dir := writeFiles(t, map[string]string{"b.csv": table, "a/a.csv": strings.Replace(table, "1,a,", "2,a,", 1)})
	got := mustImport(t, "csv", dir, Options{}).environment.Import
	// (cd DIR && sha256sum a/a.csv b.csv | sha256sum)
	if want := "sha256:a9c9c80e9bc8f901141b7efd83785e2cfc9246c7ad07429f76a7db12336e4bcb"; got.Digest != want || got.Files != 2 || got.Bytes != int64(2*len(table)) {
		t.Errorf("%+v, want %s", got, want)
	}
}

func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	f, _ := FormatOf("csv")
	if _, err := Import(t.Context(), f, filepath.Join(dir, "none.csv"), filepath.Join(dir, "out"), Options{}); err == nil || !strings.Contains(err.Error(), "none.csv: no such file") {
		t.Errorf("a source that is not there: %v", err)
	}
	if _, err := Import(t.Context(), f, "csv.go", dir, Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("a directory that is there: %v", err)
	}
	if _, err := FormatOf("parquet"); err == nil || !strings.Contains(err.Error(), "csv, iperf3") {
		t.Errorf("an unknown format: %v", err)
	}
	table := filepath.Join(writeFiles(t, map[string]string{"n.csv": "block,variant,scenario,metric,value,unit\n1,a,s,throughput,1,bit/s\n"}), "n.csv")
	if _, err := importInto(t, "csv", table, Options{Base: "b"}); err == nil || !strings.Contains(err.Error(), `no variant "b"`) {
		t.Errorf("an unknown base: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("out: %v", err)
	}
}

// problemOf fails unless err is a problem with a remedy.
func problemOf(t *testing.T, err error) *Problem {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem of a source", err)
	}
	if p.Fix == "" || p.Hint() != p.Fix {
		t.Errorf("%v has no remedy", err)
	}
	return p
}
