package supply

import "golang.org/x/sys/unix"

// syncFilesystem writes out all of the file system that fd is on.
func syncFilesystem(fd int) error { return unix.Syncfs(fd) }
