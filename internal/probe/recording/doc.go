// Package recording runs a command and samples the machine before, while and
// after it runs: the part of `cnibench record` that is there meanwhile, and
// therefore small. What it sees goes to a file, line by line, which cnibench
// turns into an export afterwards.
package recording
