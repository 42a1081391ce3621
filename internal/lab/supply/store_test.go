package supply

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// thing is an item whose builder writes one file.
var thing = item{"thing", "0123"}

func buildThing(_ context.Context, dir string, _ *progress.Step) (manifest, error) {
	return manifest{Outputs: []string{"file"}, Digest: "d"}, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644)
}

// ensureThing is store.ensure with a step around it.
func ensureThing(ctx context.Context, s store, build builder) (manifest, error) {
	step := progress.Start("thing", nil)
	defer step.End(true)
	return s.ensure(ctx, thing, build, step)
}

// leftovers are files in the cache's temporary directory.
func leftovers(t *testing.T, s store) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestStoreBuildsOnceAmongMany(t *testing.T) {
	s := store{t.TempDir()}
	var builds atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			m, err := ensureThing(t.Context(), s, func(ctx context.Context, dir string, step *progress.Step) (manifest, error) {
				builds.Add(1)
				return buildThing(ctx, dir, step)
			})
			if err != nil || m.Digest != "d" {
				t.Errorf("manifest %+v, %v", m, err)
			}
		})
	}
	group.Wait()
	if builds.Load() != 1 || leftovers(t, s) != 0 {
		t.Errorf("%d builds, %d leftovers", builds.Load(), leftovers(t, s))
	}
}

func TestStoreFailureLeavesNothing(t *testing.T) {
	s := store{t.TempDir()}
	broken := errors.New("broken")
	_, err := ensureThing(t.Context(), s, func(_ context.Context, dir string, _ *progress.Step) (manifest, error) {
		return manifest{}, errors.Join(broken, os.WriteFile(filepath.Join(dir, "half"), nil, 0o644))
	})
	if !errors.Is(err, broken) || leftovers(t, s) != 0 {
		t.Errorf("error %v, %d leftovers", err, leftovers(t, s))
	}
	if _, ok, err := s.find(thing); ok || err != nil {
		t.Errorf("the failed item was found: %v, %v", ok, err)
	}
}

func TestStoreSweepsAfterCrash(t *testing.T) {
	s := store{t.TempDir()}
	crashed, err := s.temp(thing) // and never published
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ensureThing(t.Context(), s, buildThing); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(crashed); err == nil {
		t.Error("the crashed build is still there")
	}
}

func TestStoreRebuildsWhatIsDamaged(t *testing.T) {
	damages := map[string]func(place string) error{
		"output removed":     func(place string) error { return os.Remove(filepath.Join(place, "file")) },
		"manifest removed":   func(place string) error { return os.Remove(filepath.Join(place, manifestName)) },
		"manifest truncated": func(place string) error { return os.Truncate(filepath.Join(place, manifestName), 5) },
	}
	for name, damage := range damages {
		s := store{t.TempDir()}
		if _, err := ensureThing(t.Context(), s, buildThing); err != nil {
			t.Fatal(err)
		}
		if err := damage(s.place(thing)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.find(thing); ok || err != nil {
			t.Errorf("%s: found %v, %v", name, ok, err)
		}
		if _, err := ensureThing(t.Context(), s, buildThing); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok, err := s.find(thing); !ok || err != nil {
			t.Errorf("%s: not rebuilt: %v", name, err)
		}
	}
}

func TestLockWaitsAndGivesUp(t *testing.T) {
	s := store{t.TempDir()}
	unlock, err := s.lock(t.Context(), "apt", func() { t.Error("a free lock was waited for") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.lock(ctx, "apt", cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a held lock ended with %v", err)
	}
	unlock()
	if unlock, err = s.lock(t.Context(), "apt", func() {}); err != nil {
		t.Fatal(err)
	}
	unlock()
}
