package tables

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// Read looks at the network namespace that the process runs in, and at the
// node's pins. It fails only where spec is unusable.
func Read(spec Spec) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, err
	}
	r := Report{Tables: []Table{}, Missing: map[string]string{}}
	if c, err := vitals.ReadConntrack(os.DirFS("/")); errors.Is(err, fs.ErrNotExist) {
		r.Absent = append(r.Absent, Conntrack)
	} else if err != nil {
		r.Missing[Conntrack] = err.Error()
	} else {
		r.Tables = append(r.Tables, Table{Name: Conntrack, Entries: c.Entries, Limit: c.Limit})
	}
	if events, err := readEvents(); err != nil {
		r.Missing[PartEvents] = err.Error()
	} else {
		r.Events = events
	}
	for _, pin := range spec.Pins {
		r.readPins(filepath.Join(spec.Root, pins), pin)
	}
	return r, nil
}

// readPins adds the maps whose pins match.
func (r *Report) readPins(dir, pin string) {
	files, err := filepath.Glob(filepath.Join(dir, pin))
	if err != nil {
		r.Missing[pin] = err.Error()
		return
	}
	if len(files) == 0 {
		r.Absent = append(r.Absent, pin)
	}
	for _, file := range files {
		t, err := readMap(file)
		if err != nil {
			r.Missing[filepath.Base(file)] = err.Error()
			continue
		}
		t.Name = filepath.Base(file)
		r.Tables = append(r.Tables, t)
	}
}

func readEvents() (map[string]uint64, error) {
	b, err := os.ReadFile("/proc/self/net/stat/nf_conntrack")
	if err != nil {
		return nil, err
	}
	return sample.ParseConntrackStat(b)
}
