package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/plan"
)

// Writer is a results directory under an exclusive lock. Its methods must not
// be called at the same time.
type Writer struct {
	Dir
	journal *os.File // also carries the lock
	size    int64    // of the complete lines
	written map[attemptKey]bool
	// broken is set when a torn line could not be taken back: appending to it
	// would make the journal unreadable.
	broken error
	bulk   bool
}

// ErrLocked says that another process is writing the results directory.
var ErrLocked = errors.New("another run is writing these results")

// Create makes the results directory at path, with the user's campaign file
// and the plan in it, and locks it. Without a campaign, as for imported
// results, there is no such file. An existing directory must be empty.
func Create(path string, campaign []byte, p plan.Plan) (*Writer, error) {
	if err := makeEmptyDirectory(path); err != nil {
		return nil, fmt.Errorf("creating results: %w", err)
	}
	// O_EXCL: of two runs that both saw an empty directory, one wins.
	journal, err := os.OpenFile(filepath.Join(path, JournalFile), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("creating results: %w", err)
	}
	w := &Writer{Dir: Dir{path: path}, journal: journal, written: map[attemptKey]bool{}}
	if err := w.initialise(campaign, p); err != nil {
		return nil, errors.Join(fmt.Errorf("creating results in %s: %w", path, err), w.Close())
	}
	return w, nil
}

// initialise writes plan.json last: a directory without it holds no results.
func (w *Writer) initialise(campaign []byte, p plan.Plan) error {
	if err := lockFile(w.journal); err != nil {
		return err
	}
	if campaign != nil {
		if err := writeAtomic(w.file(CampaignFile), campaign); err != nil {
			return err
		}
	}
	return w.writeJSON(PlanFile, p)
}

// Resume opens an existing results directory to continue it, and locks it.
// A torn last line is cut off; the journal that is returned names it in its
// warnings. It fails with ErrLocked while another run writes the directory.
func Resume(path string) (*Writer, Journal, error) {
	d, err := Open(path)
	if err != nil {
		return nil, Journal{}, err
	}
	file, err := os.OpenFile(d.file(JournalFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, Journal{}, fmt.Errorf("resuming: %w", err)
	}
	w := &Writer{Dir: *d, journal: file, written: map[attemptKey]bool{}}
	j, err := w.recover()
	if err != nil {
		return nil, Journal{}, errors.Join(fmt.Errorf("resuming %s: %w", path, err), file.Close())
	}
	return w, j, nil
}

// recover locks and reads the journal and cuts off what a crash left behind
// its last complete line.
func (w *Writer) recover() (Journal, error) {
	if err := lockFile(w.journal); err != nil {
		return Journal{}, err
	}
	data, err := io.ReadAll(w.journal)
	if err != nil {
		return Journal{}, err
	}
	j, err := ParseJournal(w.file(JournalFile), data)
	if err != nil {
		return Journal{}, err
	}
	w.size = j.Size
	for _, t := range j.Trials {
		w.written[attemptKey{t.Key(), t.Attempt}] = true
	}
	if int64(len(data)) > j.Size {
		return j, w.cut()
	}
	return j, nil
}

// cut shortens the journal to its complete lines.
func (w *Writer) cut() error {
	if err := w.journal.Truncate(w.size); err != nil {
		return err
	}
	return w.journal.Sync()
}

// Append writes one attempt to the journal and returns when it is on disk. It
// refuses a trial that Validate refuses, and an attempt that the journal
// already has: both are mistakes of the program. When writing fails, what got
// onto disk is taken back, so that the journal stays readable.
func (w *Writer) Append(t Trial) error {
	line, err := encodeLine(t)
	if err != nil {
		return fmt.Errorf("appending trial: block %d, %s, %s: %w", t.Block, t.Variant, t.Cell, err)
	}
	if w.broken != nil {
		return fmt.Errorf("appending trial: the journal ends in a torn line: %w", w.broken)
	}
	key := attemptKey{t.Key(), t.Attempt}
	if w.written[key] {
		return fmt.Errorf("appending trial: %s is already in the journal", key)
	}
	_, err = w.journal.Write(line)
	if err == nil && !w.bulk {
		err = w.journal.Sync()
	}
	if err != nil {
		w.broken = w.cut()
		return errors.Join(fmt.Errorf("appending trial: %w", err), w.broken)
	}
	w.size += int64(len(line))
	w.written[key] = true
	return nil
}

// Bulk makes Append leave it to Close to put trials on disk, for results that
// can be made again: a sync for each of thousands of trials takes minutes.
func (w *Writer) Bulk() { w.bulk = true }

// NextAttempt returns the number of the next attempt at a planned trial,
// from 1.
func (w *Writer) NextAttempt(k Key) int {
	n := 1
	for w.written[attemptKey{k, n}] {
		n++
	}
	return n
}

// WriteEnvironment replaces environment.json: a reader sees the old file or
// the new one, also after a crash.
func (w *Writer) WriteEnvironment(e Environment) error {
	if err := checkSchema(e.Schema, SchemaVersion); err != nil {
		return fmt.Errorf("writing environment: %w", err)
	}
	if err := w.writeJSON(EnvironmentFile, e); err != nil {
		return fmt.Errorf("writing environment: %w", err)
	}
	return nil
}

// MakeRaw creates the directory for one attempt's evidence and returns its
// path and, for Trial.Raw, its path relative to the results directory. What an
// attempt that never reached the journal left there is removed.
func (w *Writer) MakeRaw(k Key, attempt int) (path, relative string, err error) {
	if !pathName.MatchString(k.Variant) || !pathName.MatchString(k.Cell) {
		return "", "", fmt.Errorf("making raw directory: %q or %q is not a name", k.Variant, k.Cell)
	}
	relative = RawPath(k, attempt)
	path = w.file(filepath.FromSlash(relative))
	if w.written[attemptKey{k, attempt}] {
		return "", "", fmt.Errorf("making raw directory: %s is already in the journal", attemptKey{k, attempt})
	}
	if err := os.RemoveAll(path); err != nil {
		return "", "", fmt.Errorf("making raw directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", "", fmt.Errorf("making raw directory: %w", err)
	}
	return path, relative, nil
}

// ProofPath is the directory for what fails a variant's proof. It is not made.
func (w *Writer) ProofPath(variant string) string {
	return w.file(filepath.Join(RawDirectory, "proof", variant))
}

// Close releases the lock. A second Close does nothing.
func (w *Writer) Close() error {
	if w.bulk {
		if err := w.journal.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
			return errors.Join(fmt.Errorf("closing journal: %w", err), w.journal.Close())
		}
	}
	if err := w.journal.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("closing journal: %w", err)
	}
	return nil
}

func (w *Writer) writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeAtomic(w.file(name), append(data, '\n'))
}

func makeEmptyDirectory(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty (it holds %s): name another directory, or continue it with --resume", path, entries[0].Name())
	}
	return syncDirectory(filepath.Dir(path))
}
