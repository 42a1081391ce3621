package facts

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

// Facts are what was read, as text by name. Names are words with dots between
// them, from the general to the particular, such as cpu.governor; names of the
// kernel, which may contain dots themselves, come last. A name is in exactly one
// of the two maps.
type Facts struct {
	Values  map[string]string `json:"values"`
	Missing map[string]string `json:"missing,omitempty"` // why it could not be read
}

// New returns facts without content.
func New() Facts { return Facts{Values: map[string]string{}, Missing: map[string]string{}} }

// Set notes a value. An empty one is no value, and is missing.
func (f Facts) Set(name, value string) {
	value = strings.Join(strings.Fields(value), " ") // files end in newlines, lists have tabs
	if value == "" {
		f.Miss(name, "it is empty")
		return
	}
	delete(f.Missing, name)
	f.Values[name] = value
}

// Miss notes why there is no value.
func (f Facts) Miss(name, reason string) {
	delete(f.Values, name)
	f.Missing[name] = reason
}

// setInt notes a whole number.
func (f Facts) setInt(name string, n int64) { f.Set(name, strconv.FormatInt(n, 10)) }

// Read notes the content of a small file as one line.
func (f Facts) read(fsys fs.FS, name, file string) {
	b, err := fs.ReadFile(fsys, file)
	if err != nil {
		f.Miss(name, reason(err))
		return
	}
	f.Set(name, string(b))
}

// readHere is like read, but says nothing of a file that is not there, because
// most machines have no such thing.
func (f Facts) readHere(fsys fs.FS, name, file string) {
	if b, err := fs.ReadFile(fsys, file); err == nil && len(strings.TrimSpace(string(b))) > 0 {
		f.Set(name, string(b))
	}
}

// reason says why a file could not be read, without its path: that differs
// between machines that lack the same thing.
func reason(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "this kernel does not show it"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
}

// bracketed returns the chosen word of a file that lists all of them, such as
// "always [madvise] never" and "none (voluntary) full".
func bracketed(text string) string {
	for _, pair := range []string{"[]", "()"} {
		_, rest, found := strings.Cut(text, pair[:1])
		chosen, _, closed := strings.Cut(rest, pair[1:])
		if found && closed {
			return chosen
		}
	}
	return text
}
