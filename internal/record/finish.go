package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/recording"
)

// Outcome is what became of a recording.
type Outcome struct {
	// File is the export, Samples how many it has; empty and 0 if nothing was
	// sampled.
	File    string
	Samples int
	// Notes are for the user.
	Notes []string
	// Failure is what made the recording end early, or nil.
	Failure *recording.Event
}

// Finish exports the file of a recording, prints its summary to w, and removes
// the file. After an error the file is still there, to try again.
func Finish(path string, w io.Writer) (Outcome, error) {
	rec, err := load(path)
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Failure: rec.Find(recording.Failure), Notes: notes(rec)}
	t, err := newTimeline(rec)
	switch {
	case errors.Is(err, errNothing) && outcome.Failure != nil:
		return outcome, os.Remove(path)
	case err != nil:
		return outcome, err
	}
	if outcome.File, err = t.write(); err != nil {
		return outcome, &exportError{file: path, err: err}
	}
	outcome.Samples = len(t.series.Samples)
	if err := os.Remove(path); err != nil {
		return outcome, err
	}
	if t.export.Quiet || outcome.Failure != nil {
		return outcome, nil
	}
	return outcome, t.writeSummary(w)
}

func load(path string) (recording.Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return recording.Recording{}, err
	}
	defer func() { _ = f.Close() }() // only read from
	rec, err := recording.Read(f)
	if err != nil {
		return recording.Recording{}, fmt.Errorf("%s: %w", path, err)
	}
	return rec, nil
}

func notes(rec recording.Recording) []string {
	var texts []string
	for _, e := range rec.Events {
		if e.Kind == recording.Note {
			texts = append(texts, e.Text)
		}
	}
	if rec.Cut {
		texts = append(texts, "the recording is cut short, its end is missing")
	}
	return texts
}

// exportError is an export that could not be written. The recording is kept.
type exportError struct {
	file string
	err  error
}

func (e *exportError) Error() string { return "exporting the recording: " + e.err.Error() }
func (e *exportError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *exportError) Hint() string {
	return "what was recorded is in " + e.file + "; mend that, then run `cnibench record --finish " + e.file + "`"
}

// write writes the export to a file that was not there before.
func (t *timeline) write() (string, error) {
	families, err := t.families()
	if err != nil {
		return "", err
	}
	path := t.export.Out
	if !t.export.File {
		path = filepath.Join(path, fileName(t.id, t.plan.Role()))
	}
	for n := 0; ; n++ {
		name := numbered(path, n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := errors.Join(encode(f, strings.HasSuffix(name, ".zst"), families), f.Close()); err != nil {
			return "", errors.Join(err, os.Remove(name))
		}
		return name, nil
	}
}

func encode(w io.Writer, compress bool, families []openmetrics.Family) error {
	if !compress {
		return openmetrics.Write(w, families)
	}
	z, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	return errors.Join(openmetrics.Write(z, families), z.Close())
}
