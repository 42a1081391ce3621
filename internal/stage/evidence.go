package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cnibench/cnibench/internal/result"
)

// evidence notes what of a trial's evidence could not be kept. Figures that
// were measured are not given up for want of room to prove them.
type evidence struct {
	mutex sync.Mutex
	lost  []string // files with the reason
}

func (e *evidence) lose(name string, err error) {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the path is the reader's own
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.lost = append(e.lost, fmt.Sprintf("%s: %v", name, err))
}

// marks say in the trial what is not there.
func (e *evidence) marks() []result.Mark {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.lost) == 0 {
		return nil
	}
	return []result.Mark{{Name: "evidence-incomplete", Detail: strings.Join(e.lost, "; ")}}
}

// Keep writes evidence as it is. A file that does not fit is taken away: cut
// off it would be none, and the journal needs the room.
func (b *Bench) Keep(name string, data []byte) {
	file := filepath.Join(b.Raw, name)
	err := os.WriteFile(file, data, 0o644)
	if err == nil {
		return
	}
	_ = os.Remove(file) // what failed already is what is told
	b.lose(name, err)
}

func (b *Bench) lose(name string, err error) {
	if b.evidence != nil { // a trial's
		b.evidence.lose(name, err)
	}
}

// KeepJSON writes evidence as indented JSON. Its error is the program's own:
// something that has no JSON.
func (b *Bench) KeepJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping evidence %s: %w", name, err)
	}
	b.Keep(name, append(data, '\n'))
	return nil
}

// EvidenceIn returns the bench with a directory of its own for evidence, for
// what is sampled besides the load.
func (b *Bench) EvidenceIn(dir string) *Bench {
	within := *b
	within.Raw = filepath.Join(b.Raw, dir)
	if err := os.MkdirAll(within.Raw, 0o755); err != nil {
		b.lose(dir, err)
	}
	return &within
}
