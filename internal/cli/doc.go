// Package cli is the command line: one file per command, which reads flags,
// calls the packages that do the work, and prints. It holds no logic of its
// own.
package cli
