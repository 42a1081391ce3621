// Package facts tells what a node is: everything about its kernel, its CPUs,
// its network card and its links that may explain a result and that is not
// measured. Facts are flat and stable: text by name, without times, counters,
// addresses or random names, so that those of two nodes or of two days can be
// compared one by one. What could not be read is absent and has a reason.
//
// Everything but the system calls themselves reads from an [io/fs.FS] and from
// bytes, builds everywhere, and is tested with machines that are files.
package facts
