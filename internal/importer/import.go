package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Options are what a user may say about a source.
type Options struct {
	Campaign string // name; empty: after the source
	Base     string // variant; empty: the host baseline if there is one, or else the first
	// Pattern tells by the path of a file what it is, such as
	// "{variant}/{scenario}-{block}.json"; empty: the format's own rule.
	Pattern     string
	Interleaved bool // every variant was measured once in each block, in turns
	// Created and Cnibench are noted in environment.json.
	Created  time.Time
	Cnibench string
}

// Summary says what was imported.
type Summary struct {
	Variants, Cells, Blocks      int
	Trials, OK, Failed, Unneeded int // Unneeded: the source never measures them
	Partial                      int // values that leave something out
	Files                        int
	Bytes                        int64
	Digest                       string
}

// ErrExists says that the results directory is there already.
var ErrExists = errors.New("already exists")

// Import reads the source at path and writes the results directory out, which
// must not be there. It appears whole or not at all: it is made beside and
// renamed at the end. What is wrong with the source is a [*Problem].
func Import(ctx context.Context, f Format, path, out string, o Options) (Summary, error) {
	if _, err := os.Lstat(out); err == nil {
		return Summary{}, fmt.Errorf("%s %w", out, ErrExists)
	}
	s, err := openSource(path)
	if err != nil {
		return Summary{}, err
	}
	d, err := f.read(s, o)
	if err != nil {
		return Summary{}, s.locate(err)
	}
	p, err := planOf(d, f, path, o)
	if err != nil {
		return Summary{}, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return Summary{}, fmt.Errorf("importing: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(out), ".import-*")
	if err != nil {
		return Summary{}, fmt.Errorf("importing: %w", err)
	}
	sum, err := write(ctx, temp, p, d, s, f, o)
	if err == nil {
		err = os.Chmod(temp, 0o755)
	}
	if err == nil {
		err = os.Rename(temp, out)
	}
	if err != nil {
		return Summary{}, errors.Join(s.locate(err), os.RemoveAll(temp))
	}
	return sum, nil
}

// locate makes a problem of the whole source of an error that names no file.
func (s *source) locate(err error) error {
	var p *Problem
	if errors.As(err, &p) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Problem{File: s.path, What: err.Error(), Fix: "docs/import.md says what the format has to look like"}
}

func planOf(d *data, f Format, path string, o Options) (plan.Plan, error) {
	var variants []string
	for _, b := range d.blocks {
		for _, v := range b.Order {
			variants = appendNew(variants, v)
		}
	}
	if len(variants) == 0 || len(d.cells) == 0 {
		return plan.Plan{}, &Problem{File: path, What: "it holds no results", Fix: "give the file or directory that has them"}
	}
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: nameOf(cmp.Or(o.Campaign, d.name, f.Name)), Cells: d.cells, Blocks: d.blocks,
		Analysis: plan.Analysis{Base: d.base, Primary: d.primary},
		Imported: &plan.Imported{Format: f.Name, Source: path, Interleaved: d.interleaved || o.Interleaved && f.Interleaved},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	if p.Analysis.Base == "" {
		p.Analysis.Base = baseOf(variants)
	}
	if o.Base != "" {
		if !slices.Contains(variants, o.Base) {
			return plan.Plan{}, &Problem{
				File: path, What: fmt.Sprintf("it has no variant %q", o.Base), Fix: "--base takes one of " + strings.Join(variants, ", "),
				Option: true,
			}
		}
		p.Analysis.Base = o.Base
	}
	return plan.Seal(p)
}

func baseOf(variants []string) string {
	for _, name := range plan.BaselineNames() {
		for _, v := range variants {
			if strings.EqualFold(v, name) {
				return v
			}
		}
	}
	return variants[0]
}

func write(ctx context.Context, dir string, p plan.Plan, d *data, s *source, f Format, o Options) (Summary, error) {
	w, err := result.Create(dir, nil, p)
	if err != nil {
		return Summary{}, err
	}
	w.Bulk()
	sum := Summary{Variants: len(p.Variants), Cells: len(p.Cells), Blocks: len(p.Blocks)}
	if err := appendAll(ctx, w, p, d, &sum); err != nil {
		return Summary{}, errors.Join(err, w.Close())
	}
	sum.Digest, sum.Files, sum.Bytes = s.digest()
	env := result.Environment{
		Schema: result.SchemaVersion, Created: o.Created, Cnibench: o.Cnibench, Topology: "imported", Variants: d.environment,
		Import: &result.Import{
			Format: f.Name, Source: s.path, Files: sum.Files, Bytes: sum.Bytes, Digest: sum.Digest, Warnings: d.warnings,
		},
	}
	if env.Variants == nil {
		env.Variants = map[string]result.Variant{}
	}
	if d.learned != nil {
		env.Import.Warnings = append(env.Import.Warnings, d.learned()...)
	}
	return sum, errors.Join(w.WriteEnvironment(env), w.Close())
}

func appendAll(ctx context.Context, w *result.Writer, p plan.Plan, d *data, sum *Summary) error {
	position := map[key]int{}
	for _, b := range p.Blocks {
		for i, v := range b.Order {
			position[key{block: b.Index, variant: v}] = i + 1
		}
	}
	for t, err := range d.trials {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		t.Position = position[key{block: t.Block, variant: t.Variant}]
		if err := w.Append(t); err != nil {
			return err
		}
		sum.count(t)
	}
	return nil
}

func (s *Summary) count(t result.Trial) {
	s.Trials++
	switch t.Status {
	case result.OK:
		s.OK++
	case result.Unsupported:
		s.Unneeded++
	default:
		s.Failed++
	}
	for _, v := range t.Values {
		if v.Partial != "" {
			s.Partial++
		}
	}
}
