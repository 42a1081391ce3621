package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/recording"
)

// Destination finds out what the user means by a path: a directory, which is
// made if it ends in a slash, or a file, which must not exist.
func Destination(out string) (path string, file bool, err error) {
	path, err = filepath.Abs(out)
	if err != nil {
		return "", false, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return path, false, nil
	case err == nil:
		return "", false, fmt.Errorf("%s exists", out)
	case strings.HasSuffix(out, string(filepath.Separator)):
		return path, false, os.MkdirAll(path, 0o755)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", false, err
	}
	return path, true, nil
}

// Prepare makes the file of a recording, beside its export to be.
func Prepare(plan recording.Plan, e Export) (path string, err error) {
	dir := e.Out
	if e.File {
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".cnibench-record-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if plan.Export, err = json.Marshal(e); err != nil {
		return "", err
	}
	plan.Version = recording.Version
	plan.Finish.Argv = append(plan.Finish.Argv, "--finish", f.Name(), "--")
	if err := plan.Validate(); err != nil {
		return "", err
	}
	return f.Name(), recording.WritePlan(f, plan)
}
