package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

// spool keeps the families of the evidence apart until each is whole:
// OpenMetrics wants a family in one place, the evidence has one part of each
// in every trial. It keeps them in compressed files, so that memory does not
// grow with the campaign.
type spool struct {
	dir      string
	made     bool // dir is ours to remove
	families map[string]*spooled
}

// spooled is one family: how it is declared, and its lines in a file.
type spooled struct {
	family openmetrics.Family // without series
	from   string             // the first file that declared it
	file   *os.File
	lines  *bufio.Writer
	zip    *zstd.Encoder
}

// collect reads the evidence of trials, each file whole or not at all.
func (p *spool) collect(ctx context.Context, s Source, trials []result.Trial, o *Outcome) error {
	for _, t := range trials {
		names, err := s.Dir.MetricsNames(t, "")
		if err != nil {
			return err
		}
		if len(names) == 0 && t.Status == result.OK {
			o.Bare = append(o.Bare, t)
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			families, damage := p.read(s, t, name)
			if damage != nil {
				o.Damaged = append(o.Damaged, Damage{t, name, damage})
				continue
			}
			o.Files++
			for _, f := range families {
				if err := p.add(f, t.Raw+"/"+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ownName is what the families are called that say nothing of the evidence.
var ownName = regexp.MustCompile(`^cnibench_(campaign|variant|cell|warning|trial|trials|summary|comparison)(_|$)`)

// read returns the families of a file with the labels of its trial.
func (p *spool) read(s Source, t result.Trial, name string) ([]openmetrics.Family, error) {
	families, err := s.Dir.Metrics(t, name)
	if err != nil {
		return nil, err
	}
	of := with(s.trial(t), "evidence", name)
	for _, f := range families {
		if known := p.families[f.Name]; known != nil && (known.family.Type != f.Type || known.family.Unit != f.Unit) {
			return nil, fmt.Errorf("%s/%s: metric %s is a %s in %q, in %s it is a %s in %q",
				t.Raw, name, f.Name, f.Type, f.Unit, known.from, known.family.Type, known.family.Unit)
		}
		if ownName.MatchString(f.Name) {
			return nil, fmt.Errorf("%s/%s: metric %s has a name of the export's own", t.Raw, name, f.Name)
		}
		for i, series := range f.Series {
			f.Series[i].Labels = maps.Clone(of)
			for label, value := range series.Labels {
				if _, taken := of[label]; taken {
					return nil, fmt.Errorf("%s/%s: metric %s has the label %q, which is the trial's", t.Raw, name, f.Name, label)
				}
				f.Series[i].Labels[label] = value
			}
		}
	}
	return families, nil
}

// add appends the lines of a family to its file.
func (p *spool) add(f openmetrics.Family, from string) error {
	one := p.families[f.Name]
	if one == nil {
		var err error
		if one, err = p.create(f, from); err != nil {
			return fmt.Errorf("keeping series aside: %w", err)
		}
		p.families[f.Name] = one
	}
	if err := openmetrics.WriteSamples(one.lines, f); err != nil {
		return fmt.Errorf("keeping series aside: %w", err)
	}
	return nil
}

func (p *spool) create(f openmetrics.Family, from string) (*spooled, error) {
	if !p.made {
		dir, err := os.MkdirTemp(p.dir, "cnibench-export-*")
		if err != nil {
			return nil, err
		}
		p.dir, p.made = dir, true
	}
	file, err := os.Create(filepath.Join(p.dir, f.Name))
	if err != nil {
		return nil, err
	}
	// Some fifty encoders live at once; small windows keep each below 1 MiB.
	zip, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(1<<17), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.Series = nil
	return &spooled{family: f, from: from, file: file, zip: zip, lines: bufio.NewWriter(zip)}, nil
}

// write writes all families, sorted by name.
func (p *spool) write(ctx context.Context, out *openmetrics.Stream) error {
	for _, name := range slices.Sorted(maps.Keys(p.families)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.families[name].write(out); err != nil {
			return err
		}
	}
	return nil
}

func (f *spooled) write(out *openmetrics.Stream) error {
	if err := errors.Join(f.lines.Flush(), f.zip.Close()); err != nil {
		return fmt.Errorf("keeping series aside: %w", err)
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading series back: %w", err)
	}
	lines, err := zstd.NewReader(f.file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("reading series back: %w", err)
	}
	defer lines.Close()
	if err := out.Begin(f.family); err != nil {
		return err
	}
	return out.AddSamples(lines)
}

// close removes what was kept.
func (p *spool) close() error {
	var errs []error
	for _, f := range p.families {
		errs = append(errs, f.file.Close())
	}
	if p.made {
		errs = append(errs, os.RemoveAll(p.dir))
	}
	return errors.Join(errs...)
}

// reason is the error without the directory that the results happen to lie
// in, so that the same results give the same text.
func (d Damage) reason() string {
	text := d.Err.Error()
	if i := strings.Index(text, d.Name+".om.zst"); i >= 0 {
		return text[i:]
	}
	return text
}
