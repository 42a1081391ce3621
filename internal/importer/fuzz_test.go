package importer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// fuzzFile imports a file of any content: it gives results that can be
// analysed, or a problem with a remedy, and never more than that.
func fuzzFile(f *testing.F, format, name string) {
	f.Helper()
	form, err := FormatOf(format)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if len(content) > 1<<16 {
			return
		}
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		fuzzSource(t, form, path)
	})
}

func fuzzSource(t *testing.T, form Format, path string) {
	t.Helper()
	s, err := openSource(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := form.read(s, Options{})
	if err != nil {
		var p *Problem
		if err = s.locate(err); !errors.As(err, &p) || p.Fix == "" {
			t.Fatalf("%v is no problem with a remedy", err)
		}
		return
	}
	p, err := planOf(d, form, path, Options{})
	if err != nil {
		return
	}
	if n := len(p.Variants) * len(p.Cells) * len(p.Blocks); n > 1000 {
		return
	}
	var trials []result.Trial
	for trial, err := range d.trials {
		if err != nil {
			return
		}
		trial.Position = 1
		if err := trial.Validate(); err != nil {
			t.Fatalf("%v: %+v", err, trial)
		}
		trials = append(trials, trial)
	}
	if d.learned != nil {
		d.learned()
	}
	if _, err := analysis.Analyze(p, trials, result.Environment{Topology: "imported"}); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
