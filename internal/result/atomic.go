package result

import (
	"errors"
	"os"
	"path/filepath"
)

// writeAtomic replaces a file through a synced temporary one in the same
// directory, so that a crash leaves the old content or the new one.
func writeAtomic(name string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	if err := fill(temp, data); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	if err := os.Rename(temp.Name(), name); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return syncDirectory(filepath.Dir(name))
}

// fill writes, syncs and closes a temporary file.
func fill(temp *os.File, data []byte) error {
	_, err := temp.Write(data)
	if err == nil {
		err = temp.Chmod(0o644) // CreateTemp makes it 0600
	}
	if err == nil {
		err = temp.Sync()
	}
	return errors.Join(err, temp.Close())
}

// syncDirectory makes a new or renamed name in a directory survive a crash.
func syncDirectory(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
