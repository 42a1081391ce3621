// Package importer reads what other programs measured and writes it as a
// results directory, which is then read like any other. There is a file per
// format.
//
// What a source lost stays lost: a measurement that did not happen is a failed
// trial, a figure that leaves something out is partial, one that is not there
// is missing with its reason, and none of them is ever 0. Runs of a source are
// blocks of the plan; only where the source measured every variant once in
// each of them, in turns, are their values compared as pairs.
package importer
