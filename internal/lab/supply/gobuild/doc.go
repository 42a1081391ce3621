// Package gobuild builds programs from pinned Go modules with the user's own
// go command. The modules' go.mod and go.sum are embedded, so that every byte
// that is compiled has a checksum in this repository.
package gobuild
