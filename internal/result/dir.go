package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cnibench/cnibench/internal/plan"
)

// Names of the files in a results directory.
const (
	CampaignFile    = "campaign.yaml"
	PlanFile        = "plan.json"
	EnvironmentFile = "environment.json"
	JournalFile     = "trials.jsonl"
	RawDirectory    = "raw"
)

// Dir reads a results directory. It takes no lock: a directory that a run is
// still writing can be read at any moment.
type Dir struct {
	path string
	// files are what path holds; nil: whatever the operating system finds.
	files fs.FS
}

// Open returns the results directory at path, or an error that says why it is
// none.
func Open(path string) (*Dir, error) { return (&Dir{path: path}).check() }

// OpenFS is Open for a reader that decides itself which files may be read:
// everything that a Dir reads, it reads from files. The path is for messages.
func OpenFS(path string, files fs.FS) (*Dir, error) {
	return (&Dir{path: path, files: files}).check()
}

func (d *Dir) check() (*Dir, error) {
	for _, name := range []string{PlanFile, JournalFile} {
		if _, err := d.stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is not a results directory: it has no %s", d.path, name)
		} else if err != nil {
			return nil, fmt.Errorf("opening results: %w", err)
		}
	}
	return d, nil
}

// Path returns the directory's path as it was given.
func (d *Dir) Path() string { return d.path }

// Journal reads all trials.
func (d *Dir) Journal() (Journal, error) {
	name := d.file(JournalFile)
	data, err := d.read(JournalFile)
	if err != nil {
		return Journal{}, fmt.Errorf("reading journal: %w", err)
	}
	return ParseJournal(name, data)
}

// olderPlan is the version of plan.json that can be read besides today's.
const olderPlan = "cnibench.io/plan/v1"

// Plan reads plan.json and verifies its hash.
func (d *Dir) Plan() (plan.Plan, error) {
	data, err := d.readVersioned(PlanFile, plan.SchemaVersion, olderPlan)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("reading plan: %w", err)
	}
	p, err := plan.Decode(data)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("reading plan: %s: %w", d.file(PlanFile), err)
	}
	return p, nil
}

// Environment reads environment.json. A directory whose run died before it
// knew its environment has none: the error then is fs.ErrNotExist.
func (d *Dir) Environment() (Environment, error) {
	var e Environment
	if err := d.readJSON(EnvironmentFile, SchemaVersion, &e); err != nil {
		return Environment{}, fmt.Errorf("reading environment: %w", err)
	}
	return e, nil
}

// Campaign returns the campaign file as the user wrote it.
func (d *Dir) Campaign() ([]byte, error) {
	data, err := d.read(CampaignFile)
	if err != nil {
		return nil, fmt.Errorf("reading campaign: %w", err)
	}
	return data, nil
}

// RawPath returns the directory of one attempt's evidence, relative to the
// results directory and with slashes: raw/BLOCK/VARIANT/CELL/ATTEMPT.
func RawPath(k Key, attempt int) string {
	return path.Join(RawDirectory, strconv.Itoa(k.Block), k.Variant, k.Cell, strconv.Itoa(attempt))
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// The four below take names with slashes, relative to the directory.

func (d *Dir) stat(name string) (fs.FileInfo, error) {
	if d.files != nil {
		return fs.Stat(d.files, name)
	}
	return os.Stat(d.file(filepath.FromSlash(name)))
}

func (d *Dir) read(name string) ([]byte, error) {
	if d.files != nil {
		return fs.ReadFile(d.files, name)
	}
	return os.ReadFile(d.file(filepath.FromSlash(name)))
}

func (d *Dir) open(name string) (fs.File, error) {
	if d.files != nil {
		return d.files.Open(name)
	}
	return os.Open(d.file(filepath.FromSlash(name)))
}

func (d *Dir) list(name string) ([]fs.DirEntry, error) {
	if d.files != nil {
		return fs.ReadDir(d.files, name)
	}
	return os.ReadDir(d.file(filepath.FromSlash(name)))
}

// readVersioned reads the named file, whose "schema" must be of version want
// or one of the older ones.
func (d *Dir) readVersioned(name, want string, older ...string) ([]byte, error) {
	data, err := d.read(name)
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: %w", d.file(name), err)
	}
	if slices.Contains(older, head.Schema) {
		return data, nil
	}
	if err := checkSchema(head.Schema, want); err != nil {
		return nil, fmt.Errorf("%s: %w", d.file(name), err)
	}
	return data, nil
}

// readJSON decodes the named file, whose "schema" must be of version want.
func (d *Dir) readJSON(name, want string, into any) error {
	data, err := d.readVersioned(name, want)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", d.file(name), err)
	}
	return nil
}
