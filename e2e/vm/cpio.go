package vm

import (
	"fmt"
	"io"
)

// archiveFile is a file or directory of an initramfs, with its mode bits as
// in stat(2), type included.
type archiveFile struct {
	name string
	mode uint32
	data []byte
}

// Types of archiveFile.mode.
const (
	modeDir  = 0o040000
	modeFile = 0o100000
)

// cpioEnd is the name of the entry that ends an archive.
const cpioEnd = "TRAILER!!!"

// writeCPIO writes an uncompressed initramfs in the format "newc", see the
// kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
// Directories come before what they hold.
func writeCPIO(w io.Writer, files []archiveFile) error {
	for i, f := range append(files, archiveFile{name: cpioEnd}) {
		const links = 1
		// magic, inode, mode, uid, gid, links, mtime, size, device of the file
		// and of what it names (four numbers), length of the name with its NUL,
		// check sum; in hexadecimal, eight digits each.
		header := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			i+1, f.mode, 0, 0, links, 0, len(f.data), 0, 0, 0, 0, len(f.name)+1, 0)
		if err := writePadded(w, []byte(header+f.name+"\x00")); err != nil {
			return fmt.Errorf("writing %s into the initramfs: %w", f.name, err)
		}
		if err := writePadded(w, f.data); err != nil {
			return fmt.Errorf("writing %s into the initramfs: %w", f.name, err)
		}
	}
	return nil
}

// writePadded writes data and zeros up to a multiple of four bytes.
func writePadded(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, (4-len(data)%4)%4))
	return err
}
