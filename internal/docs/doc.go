// Package docs finds in the documentation what a program can check: examples
// to run, commands, targets and links. Only tests use it.
//
// What happens to a fenced block follows from the two words after the fence:
//
//	sh run      run by the unit tests; needs neither root nor a lab
//	sh lab      run by the end-to-end tests on a real lab
//	sh readers  run by make test-readers, with benchstat, DuckDB and promtool
//	sh          not run; its commands, flags, targets and paths must exist
//	LANG FILE   a file that the page's blocks use; one whose name has a slash
//	            belongs into the source tree, where it must compile
//
// The blocks of a page run in order, each in a shell of its own that ends with
// the first error, in a directory that is empty but for the page's files, with
// cnibench on PATH.
package docs
