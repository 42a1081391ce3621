package supply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// store is the cache on disk:
//
//	STEP/KEY/manifest.json …    finished steps, never changed
//	tmp/STEP-KEY-RANDOM/        steps being built
//	locks/STEP-KEY              held while a step is built
//	apt/                        the private apt's lists and archives
type store struct{ dir string }

// item names one step's result: the same recipe has the same key.
type item struct{ step, key string }

func (i item) String() string { return i.step + "-" + i.key }

// manifest describes a finished step; it is written last.
type manifest struct {
	Key      string
	Outputs  []string          // relative paths that must exist
	Digest   string            // of the content, in hex
	Versions map[string]string `json:",omitempty"`
	Packages []Package         `json:",omitempty"`
	Images   []Image           `json:",omitempty"` // Archive is relative
}

const manifestName = "manifest.json"

func (s store) place(i item) string { return filepath.Join(s.dir, i.step, i.key) }

// find returns the manifest of a finished item; ok is false when it must be
// built, also when somebody removed parts of it.
func (s store) find(i item) (m manifest, ok bool, err error) {
	data, err := os.ReadFile(filepath.Join(s.place(i), manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, false, nil
	}
	if err != nil {
		return manifest{}, false, fmt.Errorf("reading the cache: %w", err)
	}
	if json.Unmarshal(data, &m) != nil || m.Key != i.key {
		return manifest{}, false, nil
	}
	for _, output := range m.Outputs {
		if _, err := os.Lstat(filepath.Join(s.place(i), output)); err != nil {
			return manifest{}, false, nil
		}
	}
	return m, true, nil
}

// builder fills an empty directory with a step's result.
type builder func(ctx context.Context, dir string, step *progress.Step) (manifest, error)

// ensure returns the item's manifest and builds it first if need be. Other
// processes that want the same item wait for this one.
func (s store) ensure(ctx context.Context, i item, build builder, step *progress.Step) (manifest, error) {
	unlock, err := s.lock(ctx, i.String(), func() { step.Say("waiting for another cnibench that builds it", "") })
	if err != nil {
		return manifest{}, err
	}
	defer unlock()
	if m, ok, err := s.find(i); ok || err != nil {
		return m, err
	}
	if err := s.sweep(i.String()); err != nil {
		return manifest{}, err
	}
	temp, err := s.temp(i)
	if err != nil {
		return manifest{}, err
	}
	m, err := build(ctx, temp, step)
	if err == nil {
		m.Key = i.key
		err = s.publish(i, temp, m)
	}
	if err != nil {
		return manifest{}, errors.Join(err, os.RemoveAll(temp))
	}
	return m, nil
}

func (s store) temp(i item) (string, error) {
	parent := filepath.Join(s.dir, "tmp")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("preparing the cache: %w", err)
	}
	temp, err := os.MkdirTemp(parent, i.String()+"-")
	if err != nil {
		return "", fmt.Errorf("preparing the cache: %w", err)
	}
	return temp, os.Chmod(temp, 0o755)
}

// publish makes a finished directory durable and moves it to its place.
func (s store) publish(i item, temp string, m manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("describing %s: %w", i.step, err)
	}
	if err := os.WriteFile(filepath.Join(temp, manifestName), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("describing %s: %w", i.step, err)
	}
	place := s.place(i)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return fmt.Errorf("storing %s: %w", i.step, err)
	}
	if err := os.RemoveAll(place); err != nil { // parts of it were missing
		return fmt.Errorf("storing %s: %w", i.step, err)
	}
	if err := onDir(temp, syncFilesystem); err != nil {
		return fmt.Errorf("storing %s: %w", i.step, err)
	}
	if err := os.Rename(temp, place); err != nil {
		return fmt.Errorf("storing %s: %w", i.step, err)
	}
	if err := onDir(filepath.Dir(place), unix.Fsync); err != nil {
		return fmt.Errorf("storing %s: %w", i.step, err)
	}
	return nil
}

// onDir calls a system call that takes a directory's descriptor.
func onDir(dir string, call func(fd int) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(call(int(d.Fd())), d.Close())
}

// sweep removes what a crashed build of an item left. The caller holds the
// item's lock.
func (s store) sweep(name string) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, "tmp"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cleaning the cache: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), name+"-") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, "tmp", e.Name())); err != nil {
			return fmt.Errorf("cleaning the cache: %w", err)
		}
	}
	return nil
}
